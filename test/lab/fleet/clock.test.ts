/** Workers whose clock is wrong by an hour, their browser included: results, instants and presence follow the clock of the head. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import { findExecutable } from "../../../src/browser/executable.ts";
import { browserDir, skippedNote } from "../../support/binary.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttps, type TestServer } from "../../support/servers.ts";

import { startFleet, stopFleets, type TestFleet } from "./fleet.ts";

const testMsMax = 300_000;
const endMsMax = 120_000;
/** File of libfaketime, from Debian's package. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
/** Only the time of day is wrong: the monotonic clock of a machine is never set. */
const variables = {
  LD_PRELOAD: library,
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  // Without it, timed waits of the browser return at once.
  FAKETIME_FORCE_MONOTONIC_FIX: "0",
  FAKETIME_DISABLE_SHM: "1",
};

const clocks = [
  { name: "right", offsetMs: 0, env: {} },
  { name: "slow", offsetMs: -hourMs, env: { ...variables, FAKETIME: "-3600" } },
  { name: "fast", offsetMs: hourMs, env: { ...variables, FAKETIME: "+3600" } },
] as const;

const page = `<!doctype html><title>clock</title><script>fetch("/clock?" + Date.now())</script>`;

describe.skipIf(natsIsMissing())(`a worker with a wrong clock${skippedNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-clock-"));
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    if (!existsSync(library)) throw new Error("libfaketime is not installed; test/lab/install.sh installs it");
    site = await startHttps(siteIdentity("site.test"), {
      "/": { headers: { "set-cookie": "seen=1; Max-Age=86400; Secure; HttpOnly; SameSite=Lax" }, body: page },
      "*": { status: 404, body: "not found" },
    });
    const rootFile = join(folder, "root.pem");
    writeFileSync(rootFile, testAuthority().root.pem);
    fleet = await startFleet({ workerArgs: ["--connect-to", `site.test:443=127.0.0.1:${site.port}`, "--ca-file", rootFile] });
    for (const { name } of clocks) await fleet.enrol(name, name);
    for (const { name, env } of clocks)
      await fleet.startWorker(name, { env: { ...env, ASSAY_BROWSER_PATH: await browserWith(name, env) } });
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A program that starts the browser with these variables: the worker passes none of its own on. */
  async function browserWith(name: string, env: Readonly<Record<string, string>>): Promise<string> {
    const { path, environment } = await findExecutable({ path: null, dir: browserDir });
    const exports = Object.entries({ ...environment, ...env }).map(([variable, value]) => `${variable}='${value}'`);
    const program = join(folder, `browser-${name}`);
    writeFileSync(program, `#!/bin/sh\nexec env ${exports.join(" ")} '${path}' "$@"\n`);
    chmodSync(program, 0o755);
    return program;
  }

  test(
    "returns the same result at the instants of the head, and is present",
    async () => {
      const results = [];
      const startMs = Date.now();
      for (const { name, offsetMs } of clocks) {
        const token = await fleet.scan("https://site.test/", name);
        const { status, security } = await fleet.api.ended(token, endMsMax);
        const { scan, subject } = await fleet.withStore(({ scans, evidence }) => ({
          scan: scans.findByToken(token),
          subject: evidence.find(token)?.evidence.subject,
        }));
        expect([name, status, subject?.scannedAt]).toEqual([name, "finished", scan?.startedAt]);
        expectNow([scan?.startedAt, scan?.endedAt], startMs);
        expectNear(clockOfBrowser(), offsetMs);
        results.push(security);
      }
      expect(results[0]?.measured).toBe(true);
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
      const workers = await fleet.withStore((store) => store.workers.list());
      expect(workers.map(({ scansDone }) => scansDone)).toEqual([1, 1, 1]);
      expectNow(
        workers.map(({ lastSeenAt }) => lastSeenAt),
        startMs - testMsMax,
      );
    },
    testMsMax,
  );

  /** Difference to the right time in milliseconds, as the latest page has read it. */
  function clockOfBrowser(): number {
    const { path } = site.requests.findLast((request) => request.path.startsWith("/clock?")) ?? { path: "" };
    return Number(path.split("?")[1]) - Date.now();
  }
});

/** Far below the hour that a clock is wrong by. */
const toleranceMs = 600_000;

function expectNear(ms: number, expected: number): void {
  expect(ms).toBeGreaterThan(expected - toleranceMs);
  expect(ms).toBeLessThan(expected + toleranceMs);
}

function expectNow(instants: readonly (string | null | undefined)[], fromMs: number): void {
  for (const instant of instants) {
    expect(Date.parse(instant ?? "")).toBeGreaterThanOrEqual(fromMs);
    expect(Date.parse(instant ?? "")).toBeLessThanOrEqual(Date.now());
  }
}
