/** Browser lifecycle: started once, restarted after a crash or hang, and never left behind. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "puppeteer-core";
import { afterEach, describe, expect, test } from "vitest";
import { type BrowserHost, openBrowser } from "../../../src/browser/browser.ts";
import { processesMentioning } from "../../support/program.ts";
import { startHttp } from "../../support/servers.ts";
import { browserDir, openTestBrowser } from "../../support/visits.ts";

const open: BrowserHost[] = [];

afterEach(async () => {
  for (const host of open.splice(0)) await host.stop();
});

function openHere(): BrowserHost {
  const host = openTestBrowser();
  open.push(host);
  return host;
}

const pidOf = (host: BrowserHost) => host.state()?.pid ?? 0;

/** Time to detect and kill a browser that hangs. */
const slowMs = 300_000;

/** Profiles of this process. */
const profiles = () => readdirSync(join(browserDir, "profiles")).filter((name) => name.startsWith(`${process.pid}-`));

async function until(condition: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<boolean> {
  const endsAtMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > endsAtMs) return false;
    await Bun.sleep(50);
  }
  return true;
}

describe("the browser", () => {
  test("is started once for concurrent calls, and reports its state", async () => {
    const host = openHere();
    expect(host.state()).toBeNull();
    const endpoints = await Promise.all(Array.from({ length: 10 }, () => host.endpoint()));
    expect(new Set(endpoints).size).toBe(1);
    const state = host.state();
    expect(state?.version).toMatch(/Chrome\/\d+/);
    // Sandboxed, or with a reason why not.
    expect(state?.sandboxed).toBe(state?.unsandboxedBecause === null);
    expect(profiles()).toHaveLength(1);
  });

  test("leaves neither process nor profile after stop, and is not started again", async () => {
    const host = openHere();
    await host.endpoint();
    const [profile = ""] = profiles();
    await host.stop();
    expect(await until(async () => (await processesMentioning(profile)).length === 0)).toBe(true);
    expect(profiles()).toEqual([]);
    expect(host.state()).toBeNull();
    await expect(host.endpoint()).rejects.toThrow("stopped");
  });

  test("is restarted after being killed", async () => {
    const host = openHere();
    const first = await host.endpoint();
    const firstPid = pidOf(host);
    process.kill(firstPid, "SIGKILL");
    expect(await host.endpoint()).not.toBe(first);
    expect(pidOf(host)).not.toBe(firstPid);
    expect(await until(() => profiles().length === 1)).toBe(true);
  });

  test(
    "is replaced when it hangs",
    async () => {
      const host = openHere();
      const first = await host.endpoint();
      process.kill(pidOf(host), "SIGSTOP");
      expect(await host.endpoint()).not.toBe(first);
    },
    slowMs,
  );

  test("is replaced after Browser.close or retire", async () => {
    const host = openHere();
    const endpoints = [await host.endpoint()];
    const browser = await connect({ browserWSEndpoint: endpoints[0] ?? "" });
    await browser.close();
    // A closing browser still answers for some milliseconds; a scan in that window is repeated.
    while (host.state() !== null) await Bun.sleep(5);
    endpoints.push(await host.endpoint());
    await host.retire();
    endpoints.push(await host.endpoint());
    expect(new Set(endpoints).size).toBe(3);
  });

  test("is replaced after many scans, and continues for its open scans", async () => {
    const host = openHere();
    const first = await host.endpoint();
    const browser = await connect({ browserWSEndpoint: first });
    let asked = 1;
    while ((await host.endpoint()) === first) asked++;
    expect(asked).toBe(500);
    expect(await browser.version()).toMatch(/Chrome/);
    await browser.disconnect();
    await host.stop();
    expect(profiles()).toEqual([]);
  });

  test("that crashes at every start is not started endlessly", async () => {
    const host = openHere();
    let refusal = "";
    for (let start = 0; start < 20 && refusal === ""; start++) {
      await host.endpoint().catch((error: Error) => {
        refusal = error.message;
      });
      if (refusal === "") process.kill(pidOf(host), "SIGKILL");
    }
    expect(refusal).toContain("started again later");
  });

  test("connects only through the proxy of a scan", async () => {
    const server = await startHttp({ "*": { body: "reached" } });
    const browser = await connect({ browserWSEndpoint: await openHere().endpoint() });
    try {
      for (const context of [browser.defaultBrowserContext(), await browser.createBrowserContext()]) {
        const page = await context.newPage();
        const outcome = await page.goto(`http://127.0.0.1:${server.port}/`).catch((error: Error) => error.message);
        expect(outcome).toContain("ERR_PROXY_CONNECTION_FAILED");
      }
      expect(server.requests).toEqual([]);
    } finally {
      await browser.disconnect();
      await server.stop();
    }
  });

  test("ends with its owner, even if killed during a busy page, and its profile is deleted", async () => {
    const dir = mkdtempSync(join(tmpdir(), "assay-browser-"));
    try {
      const owner = Bun.spawn([process.execPath, join(import.meta.dirname, "browser-in-child.ts"), dir], {
        stdout: "pipe",
        stderr: "inherit",
      });
      const { value } = await owner.stdout.getReader().read();
      expect(await processesMentioning(join(dir, "profiles"))).toContain(Number(new TextDecoder().decode(value)));
      owner.kill("SIGKILL");
      await owner.exited;
      expect(await until(async () => (await processesMentioning(join(dir, "profiles"))).length === 0)).toBe(true);
      const left = readdirSync(join(dir, "profiles"));
      const next = openBrowser({ path: null, dir, sandbox: "auto" });
      open.push(next);
      await next.endpoint();
      expect(readdirSync(join(dir, "profiles")).filter((name) => left.includes(name))).toEqual([]);
      await next.stop();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
    expect(existsSync(dir)).toBe(false);
  });

  test("without a sandbox reports why", async () => {
    const host = openBrowser({ path: null, dir: browserDir, sandbox: "off" });
    open.push(host);
    await host.endpoint();
    expect(host.state()).toMatchObject({ sandboxed: false, unsandboxedBecause: "browser.sandbox is off" });
  });

  test.skipIf(process.getuid?.() !== 0)("with an unavailable sandbox is not started", async () => {
    const host = openBrowser({ path: null, dir: browserDir, sandbox: "on" });
    open.push(host);
    await expect(host.endpoint()).rejects.toThrow(/sandbox/i);
    expect(profiles()).toEqual([]);
  });
});
