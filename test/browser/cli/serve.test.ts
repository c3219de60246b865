/** The server as a process: address, first output, refusals and end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { endServers, processesMentioning, run, serve } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-serve-"));
const testMsMax = 300_000;

afterEach(endServers);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readyWithinMs = 300_000;

async function ready(url: string): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    if (Date.now() > deadline) throw new Error("not ready in time");
    await Bun.sleep(100);
  }
}

describe("a server", () => {
  test(
    "explains how to create the first account, works beside other commands, and ends its browser and exits 0",
    async () => {
      const data = mkdtempSync(join(folder, "data-"));
      const server = await serve(["--data", data]);
      expect(server.stderr()).toContain(`user create you@example.com --data ${data}`);

      await run(["user", "create", "first@assay.test", "--data", data]);
      const { stdout } = await run(["token", "create", "--user", "first@assay.test", "--name", "ci", "--data", data]);
      const list = () => fetch(`${server.url}/api/v1/scans`, { headers: { authorization: `Bearer ${stdout.trim()}` } });
      expect((await list()).status).toBe(200);
      await run(["user", "set-plan", "first@assay.test", "free", "--data", data]);
      expect((await list()).status).toBe(403);
      await run(["token", "revoke", "1", "--data", data]);
      expect((await list()).status).toBe(401);

      await ready(server.url);
      expect(await server.end("SIGTERM")).toBe(0);
      expect(await processesMentioning(data)).toEqual([]);
    },
    testMsMax,
  );

  test(
    "reports that its browser has no sandbox, with the reason",
    async () => {
      const data = mkdtempSync(join(folder, "data-"));
      const server = await serve(["--data", data, "--browser-sandbox", "off"]);
      await ready(server.url);
      expect(server.stderr()).toContain("browser runs without sandbox");
      expect(server.stderr()).toContain("browser.sandbox is off");
      expect(await server.end("SIGINT")).toBe(0);
    },
    testMsMax,
  );

  test(
    "runs without a browser, and reports that it is not ready",
    async () => {
      const data = mkdtempSync(join(folder, "data-"));
      const server = await serve(["--data", data, "--browser-path", join(folder, "no-such-browser")]);
      const deadline = Date.now() + readyWithinMs;
      while (!server.stderr().includes("browser does not start") && Date.now() < deadline) await Bun.sleep(50);
      expect(server.stderr()).toContain("which is not an executable file");
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect((await fetch(`${server.url}/api/`)).url).toBe(`${server.url}/api`);
      const answer = await fetch(`${server.url}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([
        503,
        {
          errorMessage: "Not ready: the browser does not start.",
          reasons: [{ source: "browser", because: "the browser does not start" }],
        },
      ]);
      expect(await server.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );

  test(
    "shares neither data directory nor port with another server",
    async () => {
      const data = mkdtempSync(join(folder, "data-"));
      const server = await serve(["--data", data]);
      const second = await run(["serve", "--listen", "127.0.0.1:0", "--data", data]);
      expect([second.code, second.stderr]).toEqual([6, expect.stringContaining("in use by another assay server")]);
      const { host } = new URL(server.url);
      const third = await run(["serve", "--listen", host, "--data", mkdtempSync(join(folder, "data-"))]);
      expect([third.code, third.stderr]).toEqual([2, `assay: cannot listen on ${host} (EADDRINUSE); --listen names another address\n`]);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      expect(await server.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );
});
