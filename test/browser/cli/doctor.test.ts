/** The doctor passes a working appliance, reports the faults of a broken one, and changes neither. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { endServers, run, serve } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-doctor-"));
let dns: DnsServerHandle;

beforeAll(async () => {
  dns = await startDnsServer({ "example.com": { A: ["192.0.2.1"], AAAA: [] } });
});
const testMsMax = 300_000;

afterEach(endServers);
afterAll(() => {
  dns.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Finding = { readonly what: string; readonly state: string; readonly detail: string };

async function doctor(data: string, ...args: string[]): Promise<{ readonly code: number; readonly states: Record<string, string> }> {
  const { code, stdout } = await run(["doctor", "--json", "--data", data, "--dns", dns.address, ...args]);
  return { code, states: Object.fromEntries((JSON.parse(stdout) as Finding[]).map(({ what, state }) => [what, state])) };
}

describe("assay doctor", () => {
  test(
    "finds no fault in a complete installation, and creates no store",
    async () => {
      const data = join(folder, "sound");
      expect(await doctor(data, "--listen", "127.0.0.1:0")).toEqual({
        code: 0,
        states: { "data directory": "ok", port: "ok", checks: "ok", dns: "ok", browser: "ok" },
      });
      expect(existsSync(join(data, "store"))).toBe(false);
    },
    testMsMax,
  );

  test(
    "works beside a running server, and recognizes its port",
    async () => {
      const data = join(folder, "served");
      const server = await serve(["--data", data]);
      const { host } = new URL(server.url);
      expect((await doctor(data, "--listen", host)).code).toBe(0);
      expect((await doctor(join(folder, "other"), "--listen", host)).states.port).toBe("failed");
      expect(await server.end("SIGTERM")).toBe(0);
    },
    testMsMax,
  );

  test(
    "names missing parts and exits 1",
    async () => {
      const noBrowser = join(folder, "no-such-browser");
      const { code, stdout } = await run([
        ...["doctor", "--data", join(folder, "sound"), "--listen", "127.0.0.1:0"],
        ...["--dns", "127.0.0.1:9", "--browser-path", noBrowser],
      ]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^failed {2}dns .*127\.0\.0\.1:9.*dns\.servers/m);
      expect(stdout).toContain(`browser.path names ${noBrowser}`);
    },
    testMsMax,
  );

  test(
    "names a broken plugin, and examines the rest without it",
    async () => {
      const checks = mkdtempSync(join(folder, "checks-"));
      writeFileSync(join(checks, "broken-check.ts"), "export default {");
      const { code, states } = await doctor(join(folder, "sound"), "--listen", "127.0.0.1:0", "--checks-dir", checks);
      expect([code, states.checks, states.browser]).toEqual([1, "failed", "ok"]);
    },
    testMsMax,
  );

  test(
    "reports a folder in which no store can be created",
    async () => {
      const file = join(folder, "a-file");
      writeFileSync(file, "");
      expect((await doctor(join(file, "data"), "--listen", "127.0.0.1:0")).states["data directory"]).toBe("failed");
    },
    testMsMax,
  );
});
