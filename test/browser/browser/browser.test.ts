/** Browser of a slot: started on demand, replaced when it is faulty, and never left behind. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threadId, Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { openBrowsers } from "../../../src/browser/browser.ts";
import { openPage } from "../../../src/browser/browser-page.ts";
import { pidsBelow, readChildPids } from "../../../src/browser/processes.ts";
import { openProfilesDir } from "../../../src/browser/profiles.ts";
import { type BrowserEvent, type BrowserSlot, openBrowserSlot } from "../../../src/browser/slot.ts";
import { browserDir } from "../../support/binary.ts";
import { rootIsMissing } from "../../support/missing.ts";
import { processesMentioning } from "../../support/program.ts";
import { startHttp } from "../../support/servers.ts";
import { launchPlainBrowser, rendererPids } from "../../support/test-browser.ts";

/** Time to detect and kill a browser that hangs, on a busy machine. */
const slowMs = 120_000;
/** Longer than a slot waits for an answer, or for pages to close. */
const standstillMs = 3_500;
const closedProxy = "http://127.0.0.1:1";
const closes: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

function openHere(sandbox: "auto" | "on" | "off" = "auto") {
  const profiles = openProfilesDir(browserDir);
  const slot = openBrowserSlot({ path: null, dir: browserDir, sandbox, profilesDir: profiles.path });
  closes.push(profiles.close, () => slot.stop());
  const events: BrowserEvent[] = [];
  return {
    slot,
    events,
    begin: () => slot.begin((event) => events.push(event)),
    pid: () => slot.state()?.pid ?? 0,
    profiles: () => readdirSync(profiles.path).filter((name) => name !== "lock"),
  };
}

async function scanOnce({ slot, begin }: { slot: BrowserSlot; begin: () => ReturnType<BrowserSlot["begin"]> }): Promise<number> {
  await begin();
  slot.end();
  return slot.state()?.pid ?? 0;
}

async function until(condition: () => boolean | Promise<boolean>, withinMs = slowMs): Promise<boolean> {
  const endsAtMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > endsAtMs) return false;
    await Bun.sleep(50);
  }
  return true;
}

const exists = (pid: number) => existsSync(`/proc/${pid}`);

describe("the browser of a slot", () => {
  test(
    "is kept though this thread stood still while its pages closed, and while it was asked for an answer",
    async () => {
      const here = openHere();
      const browser = await here.begin();
      const pid = here.pid();
      const { close } = await openPage(browser, closedProxy);
      close();
      here.slot.end();
      // Longer than the deadlines of both: what the browser answers meanwhile is read later than the timers are due.
      Bun.sleepSync(standstillMs);
      const next = here.begin();
      await Promise.resolve();
      Bun.sleepSync(standstillMs);
      await next;
      here.slot.end();
      expect(here.pid()).toBe(pid);
      expect(here.events.map(({ event }) => event)).toEqual(["started", "reused"]);
    },
    slowMs,
  );

  test("is started for the first scan, and used for the next", async () => {
    const here = openHere();
    expect(here.slot.state()).toBeNull();
    const pid = await scanOnce(here);
    expect(await scanOnce(here)).toBe(pid);
    const state = here.slot.state();
    expect(state?.version).toMatch(/Chrome\/\d+/);
    // Sandboxed, or with a reason why not.
    expect(state?.sandboxed).toBe(state?.unsandboxedBecause === null);
    expect(here.profiles()).toHaveLength(1);
    expect(here.events).toMatchObject([{ event: "started", state: { pid } }, { event: "reused" }]);
  });

  test("listens on no port", async () => {
    const here = openHere();
    const pid = await scanOnce(here);
    // A process of the browser, or one of its descriptors, may end meanwhile.
    const ifThere = <T>(read: () => T, otherwise: T): T => {
      try {
        return read();
      } catch {
        return otherwise;
      }
    };
    const descriptorsOf = (each: number) => ifThere(() => readdirSync(`/proc/${each}/fd`).map((fd) => `/proc/${each}/fd/${fd}`), []);
    const links = pidsBelow(pid, readChildPids()).flatMap(descriptorsOf);
    const sockets = new Set(links.map((link) => ifThere(() => readlinkSync(link), "")));
    // proc(5): the fourth column is the state, 0A for listening, and the tenth the inode.
    const listening = ["tcp", "tcp6"].flatMap((table) =>
      readFileSync(`/proc/net/${table}`, "utf8")
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter((cells) => cells[3] === "0A" && sockets.has(`socket:[${cells[9]}]`)),
    );
    expect(listening).toEqual([]);
    expect([...sockets].some((name) => name.startsWith("socket:"))).toBe(true);
  });

  test("leaves neither process nor profile after stop, and is not started again", async () => {
    const here = openHere();
    const pid = await scanOnce(here);
    await here.slot.stop();
    expect(exists(pid)).toBe(false);
    expect(here.profiles()).toEqual([]);
    expect(here.slot.state()).toBeNull();
    await expect(here.begin()).rejects.toThrow("stopped");
  });

  test("is replaced after being killed, with its profile", async () => {
    const here = openHere();
    const first = await scanOnce(here);
    process.kill(first, "SIGKILL");
    expect(await scanOnce(here)).not.toBe(first);
    expect(await until(() => here.profiles().length === 1)).toBe(true);
    expect(here.events.map(({ event }) => event)).toEqual(["started", "replaced", "started"]);
  });

  test(
    "is replaced when it hangs",
    async () => {
      const here = openHere();
      const first = await scanOnce(here);
      process.kill(first, "SIGSTOP");
      expect(await scanOnce(here)).not.toBe(first);
      expect(exists(first)).toBe(false);
      expect(here.events).toContainEqual({ event: "replaced", pid: first, because: "it did not answer", isFaulty: true });
    },
    slowMs,
  );

  test("is replaced after a scan that reports a fault", async () => {
    const here = openHere();
    const browser = await here.begin();
    const first = here.pid();
    browser.reportIllness("it took no screenshot in time");
    here.slot.end();
    expect(await until(() => !exists(first))).toBe(true);
    expect(await scanOnce(here)).not.toBe(first);
    expect(here.events).toContainEqual({ event: "replaced", pid: first, because: "it took no screenshot in time", isFaulty: true });
  });

  test("is replaced for a scan that needs a fresh one, unless it is fresh", async () => {
    const here = openHere();
    const first = await scanOnce(here);
    expect((await here.slot.begin(undefined, true)).isFresh).toBe(true);
    expect(here.pid()).not.toBe(first);
    here.slot.end();
  });

  test(
    "is replaced when a page of it does not close, although no further scan comes",
    async () => {
      const here = openHere();
      const browser = await here.begin();
      const first = here.pid();
      browser.closeLater(new Promise(() => {}));
      here.slot.end();
      expect(await until(() => !exists(first))).toBe(true);
    },
    slowMs,
  );

  test("is replaced after many scans", async () => {
    const here = openHere();
    const first = await scanOnce(here);
    let scans = 1;
    while (here.events.every(({ event }) => event !== "replaced")) {
      await scanOnce(here);
      scans++;
    }
    expect(scans).toBe(201);
    expect(here.events).toContainEqual({ event: "replaced", pid: first, because: "it ran 200 scans", isFaulty: false });
  });

  test("shows nothing of a scan to the next one", async () => {
    const here = openHere();
    const browser = await here.begin();
    const { session, close } = await openPage(browser, closedProxy);
    await session.send("Page.navigate", { url: "data:text/html,<script>for (;;) ;</script>" }, { timeout: 500 }).catch(() => {});
    close();
    here.slot.end();
    const next = await here.begin();
    const { browserContextIds } = await next.connection.send("Target.getBrowserContexts");
    expect(browserContextIds).toEqual([]);
    expect(await until(() => rendererPids(here.pid()).length <= 1)).toBe(true);
    here.slot.end();
  });

  test("without a sandbox reports why", async () => {
    const here = openHere("off");
    await scanOnce(here);
    expect(here.slot.state()).toMatchObject({ sandboxed: false, unsandboxedBecause: "browser.sandbox is off" });
  });

  test.skipIf(rootIsMissing())("with an unavailable sandbox is not started", async () => {
    const here = openHere("on");
    await expect(here.begin()).rejects.toThrow(/sandbox/i);
    expect(here.profiles()).toEqual([]);
    expect(here.events).toMatchObject([{ event: "unavailable" }]);
  });
});

describe("the browsers of a process", () => {
  const limits = { childBytesMax: 1_024 ** 3, browserBytesMax: 2 * 1_024 ** 3 };

  function openAll(given: Partial<typeof limits> = {}) {
    const lines: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
    const browsers = openBrowsers({ path: null, dir: browserDir, sandbox: "auto", limits: { ...limits, ...given }, log });
    closes.push(() => browsers.stop());
    return { browsers, lines };
  }

  test(
    "end with their thread, even if it hangs",
    async () => {
      const { browsers, lines } = openAll();
      const options = await browsers.prepare();
      const worker = new Worker(join(import.meta.dirname, "slot-in-thread.ts"), { workerData: options });
      const alive = new Set([worker.threadId]);
      browsers.watch(() => alive);
      const started = await new Promise<BrowserEvent>((resolve) => worker.once("message", resolve));
      browsers.record(started);
      const pid = browsers.state()?.pid ?? 0;
      expect(exists(pid)).toBe(true);
      await worker.terminate();
      alive.clear();
      expect(await until(() => !exists(pid))).toBe(true);
      expect(await until(() => lines.some((line) => line.includes("its worker is gone")))).toBe(true);
      expect(readdirSync(options.profilesDir)).toEqual(["lock"]);
      await browsers.stop();
      expect(existsSync(options.profilesDir)).toBe(false);
    },
    slowMs,
  );

  test(
    "are ended above their memory, and the slot is told",
    async () => {
      const { browsers, lines } = openAll({ childBytesMax: 300 * 1_024 ** 2 });
      const slot = openBrowserSlot(await browsers.prepare());
      closes.push(() => slot.stop());
      browsers.watch(() => new Set([threadId]));
      const browser = await slot.begin();
      const first = slot.state()?.pid ?? 0;
      const { session } = await openPage(browser, closedProxy);
      const crashed = new Promise((resolve) => session.once("Inspector.targetCrashed", resolve));
      const fill = "setInterval(() => (globalThis.kept ??= []).push(new Uint8Array(50e6).fill(1)), 50)";
      await session.send("Runtime.evaluate", { expression: fill });
      await crashed;
      expect(lines.join("")).toContain("browser process ended");
      slot.end();
      expect(await until(() => !exists(first))).toBe(true);
    },
    slowMs,
  );

  test(
    "are ended above their memory in messages that wait, which no process has mapped",
    async () => {
      // No lower limit of one process: the end of the renderer alone would end the flood.
      const bytesMax = 400 * 1_024 ** 2;
      const { browsers, lines } = openAll({ browserBytesMax: bytesMax, childBytesMax: bytesMax });
      const slot = openBrowserSlot(await browsers.prepare());
      closes.push(() => slot.stop());
      browsers.watch(() => new Set([threadId]));
      const browser = await slot.begin();
      const pid = slot.state()?.pid ?? 0;
      const { session } = await openPage(browser, closedProxy);
      const flood = `const port = new BroadcastChannel("c"); new BroadcastChannel("c").onmessage = () => { for (;;) ; };
        for (let count = 0; count < 2000; count++) port.postMessage("x".repeat(1e6))`;
      void session.send("Runtime.evaluate", { expression: flood }).catch(() => {});
      expect(await until(() => !exists(pid))).toBe(true);
      expect(lines.join("")).toContain('"because":"its memory"');
      slot.end();
    },
    slowMs,
  );

  test("that cannot be prepared are told, and prepared again later", async () => {
    const dir = mkdtempSync(join(tmpdir(), "assay-browsers-"));
    closes.push(() => rmSync(dir, { recursive: true }));
    const lines: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
    const browsers = openBrowsers({ path: join(dir, "chromium"), dir, sandbox: "auto", limits, log });
    await expect(browsers.prepare()).rejects.toThrow("is not an executable file");
    expect(browsers.fault()).toContain("is not an executable file");
    await Bun.write(join(dir, "chromium"), "#!/bin/sh\nexit 1\n");
    Bun.spawnSync(["chmod", "+x", join(dir, "chromium")]);
    expect((await browsers.prepare()).path).toBe(join(dir, "chromium"));
    await browsers.stop();
  });

  test("are not at fault once a running one serves another scan", async () => {
    const { browsers } = openAll();
    const slot = openBrowserSlot(await browsers.prepare());
    closes.push(() => slot.stop());
    const record = (event: BrowserEvent) => browsers.record(event);
    await slot.begin(record);
    slot.end();
    browsers.record({ event: "unavailable", because: "another slot had no memory" });
    expect(browsers.fault()).toBe("another slot had no memory");
    await slot.begin(record);
    slot.end();
    expect(browsers.fault()).toBeNull();
  });

  test("connect only through the proxy of a scan", async () => {
    const server = await startHttp({ "*": { body: "reached" } });
    const browser = await launchPlainBrowser();
    try {
      for (const context of [browser.defaultBrowserContext(), await browser.createBrowserContext()]) {
        const page = await context.newPage();
        const outcome = await page.goto(`http://127.0.0.1:${server.port}/`).catch((error: Error) => error.message);
        expect(outcome).toContain("ERR_PROXY_CONNECTION_FAILED");
      }
      expect(server.requests).toEqual([]);
    } finally {
      await browser.close();
      await server.stop();
    }
  });

  test(
    "end with their process, even if killed during a busy page, and the next process deletes the profiles",
    async () => {
      const dir = mkdtempSync(join(tmpdir(), "assay-browser-"));
      closes.push(() => rmSync(dir, { recursive: true, force: true }));
      const owner = Bun.spawn([process.execPath, join(import.meta.dirname, "browser-in-child.ts"), dir], {
        stdout: "pipe",
        stderr: "inherit",
      });
      const { value } = await owner.stdout.getReader().read();
      expect(await processesMentioning(join(dir, "profiles"))).toContain(Number(new TextDecoder().decode(value)));
      const beside = openProfilesDir(dir);
      expect(readdirSync(join(dir, "profiles"))).toHaveLength(2);
      owner.kill("SIGKILL");
      await owner.exited;
      expect(await until(async () => (await processesMentioning(join(dir, "profiles"))).length === 0)).toBe(true);
      const next = openProfilesDir(dir);
      expect(
        readdirSync(join(dir, "profiles"))
          .map((name) => join(dir, "profiles", name))
          .sort(),
      ).toEqual([beside.path, next.path].sort());
      beside.close();
      next.close();
      expect(readdirSync(join(dir, "profiles"))).toEqual([]);
    },
    slowMs,
  );
});
