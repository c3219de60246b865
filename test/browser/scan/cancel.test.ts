/** A scan that an administrator cancels while its page loads: nothing of it is left, and the next scan works. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScanEvent } from "../../../src/evidence/scan.ts";
import { type DnsServerHandle, startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { processesMentioning } from "../../support/program.ts";
import { egressTo, startHttp, type TestServer } from "../../support/servers.ts";
import { type Engine, startEngine } from "./engine.ts";

const testMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), "assay-cancel-"));
const browserDir = join(folder, "browser");
let site: TestServer;
let dns: DnsServerHandle;
let engine: Engine;
let slowRequests = 0;

beforeAll(async () => {
  site = await startHttp({
    "/": { status: 200, headers: { "content-type": "text/html" }, body: "<title>fine</title>" },
    "/slow": () => void slowRequests++,
  });
  dns = await startDnsServer({ "site.test": { A: ["127.0.0.1"] } });
  const targets = { "site.test:80": site, "site.test:443": { port: portWithoutListener() } };
  engine = await startEngine({ dataDir: folder, browserDir, egress: egressTo(targets, { dnsServers: [dns.address] }), caPems: [] });
});

afterAll(async () => {
  await engine.stop();
  await site.stop();
  dns.stop();
  rmSync(folder, { recursive: true });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(5);
}

test(
  "a running scan fails as cancelled, with its browser ended, and its readers know at once",
  async () => {
    const token = await engine.queue("http://site.test/slow");
    const events: ScanEvent["type"][] = [];
    engine.progress.subscribe(token, ({ type }) => void events.push(type));
    await until(() => slowRequests > 0);
    const profiles = `${browserDir}/profiles`;
    const before = await processesMentioning(profiles);
    expect(before).not.toEqual([]);
    expect(await engine.dispatcher.cancel(token)).toBe("cancelled");
    expect(engine.store.scans.findByToken(token)).toMatchObject({ status: "failed", errorCode: "cancelled", attempts: 1 });
    expect([events.at(-1), engine.dispatcher.running()]).toEqual(["failed", 0]);
    await until(async () => {
      const left = new Set(await processesMentioning(profiles));
      return before.every((pid) => !left.has(pid));
    });
    const next = await engine.queue("http://site.test/");
    await until(() => engine.store.scans.findByToken(next)?.status === "finished");
    expect(await engine.dispatcher.cancel(next)).toBe("over");
  },
  testMs,
);
