/** A scan survives dead workers, hung checks and a lost browser, on real threads. */
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import type { ProgressStage } from "../../../src/evidence/scan.ts";
import { localLocation } from "../../../src/parse/location.ts";
import { openScanner, type Scanner } from "../../../src/scan/scanner.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { egressSettings } from "../../support/egress-settings.ts";

const deadlines = { ...defaultDeadlines, scanMs: 1_000, judgeMs: 300 };
let scanner: Scanner;
let lines: string[];

function opened({
  graceMs = 500,
  judgeMs = deadlines.judgeMs,
  prepare,
}: {
  graceMs?: number;
  judgeMs?: number;
  prepare?: () => Promise<never>;
} = {}): Scanner {
  lines = [];
  const processes = new SharedArrayBuffer(4);
  scanner = openScanner({
    clock: systemClock,
    egress: egressSettings(),
    caPems: [],
    deadlines: { ...deadlines, judgeMs },
    graceMs,
    concurrency: 2,
    catalog: builtInCatalog(),
    browsers: {
      // The faulty worker counts its attempts in this memory.
      prepare: prepare ?? (async () => ({ path: null, dir: "", sandbox: "auto", profilesDir: "", processes })),
      watch: () => {},
      record: () => {},
    },
    workerFiles: { gather: join(import.meta.dirname, "faulty-worker.ts"), judge: join(import.meta.dirname, "faulty-worker.ts") },
    log: createLog({ level: "debug", format: "json", write: (line) => lines.push(line) }),
  });
  return scanner;
}

afterEach(() => scanner.close());

async function scan(host: string, signal?: AbortSignal) {
  const stages: ProgressStage[] = [];
  const outcome = await scanner.scanUrl(`https://${host}/`, (stage) => stages.push(stage), signal);
  const states = outcome.status === "finished" ? Object.fromEntries(outcome.result.ledger.map((row) => [row.key, row.state])) : {};
  return { outcome, states, stages, code: outcome.status === "failed" ? outcome.code : null };
}

describe("a scan", () => {
  test("passes its stages to a judged outcome", async () => {
    opened();
    const { outcome, stages, states } = await scan("stages.test");
    expect(stages).toEqual(["resolving", "connecting", "tls", "browsing", "analysing", "storing"]);
    expect(Object.values(states)).toEqual(Array(7).fill("passed"));
    expect(Object.keys(outcome.timings)).toEqual(["total", "judge"]);
  });

  test("logs its trace at level debug, with token and milliseconds", async () => {
    opened();
    const stored = { token: "token-of-scan", attempt: 1, location: localLocation, adopted: false };
    await scanner.scanStored("https://stages.test/?key=secret", stored, () => {});
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const common = { level: "debug", token: "token-of-scan", url: "https://stages.test/?..." };
    expect(logged).toMatchObject([
      { ...common, event: "probe started", probe: "tls" },
      { ...common, event: "egress blocked", refusal: "10.0.0.1: private", ms: 3 },
      { ...common, event: "probe ended", probe: "tls", ms: 4 },
    ]);
  });

  test("of an unreachable page fails with code and evidence, and logs refusals of the guard", async () => {
    opened();
    const { outcome } = await scan("unreachable.test");
    expect(outcome).toMatchObject({ status: "failed", code: "unresolved", timings: { total: 5 } });
    expect(outcome.evidence?.subject.url).toBe("https://unreachable.test/");
    expect(lines.join("")).toContain("scan.allow_cidrs opens it");
  });

  test("that is aborted ends at once", async () => {
    opened({ graceMs: 60_000 });
    const abandon = new AbortController();
    setTimeout(() => abandon.abort(), 100);
    expect((await scan("loops.test", abandon.signal)).code).toBe("interrupted");
    expect((await scan("fine.test")).outcome.status).toBe("finished");
  });
});

describe("a worker that", () => {
  test.each([
    ["throws", "throws.test", "crashed", 2],
    ["throws outside its task", "throws-later.test", "crashed", 2],
    ["ends its thread", "exits.test", "timeout", 1],
    ["never returns", "loops.test", "timeout", 1],
  ])("%s", async (_words, host, code, attempts) => {
    opened();
    expect((await scan(host)).code).toBe(code as never);
    expect(lines.filter((line) => line.includes("worker lost while gathering"))).toHaveLength(attempts);
    expect((await scan("fine.test")).outcome.status).toBe("finished");
  });

  test("dies once costs one retry", async () => {
    opened();
    expect((await scan("dies-once.test")).outcome.status).toBe("finished");
  });
});

describe("a browser that", () => {
  test("breaks once costs one retry", async () => {
    opened();
    expect((await scan("browser-breaks-once.test")).outcome.status).toBe("finished");
  });

  test("breaks because of earlier pages: the retry gets a fresh one", async () => {
    opened();
    expect((await scan("browser-sick-of-others.test")).outcome.status).toBe("finished");
    expect(lines.filter((line) => line.includes("browser broke while gathering"))).toHaveLength(1);
  });

  test("breaks every time: the page was not read, which is told as ours", async () => {
    opened();
    const { outcome } = await scan("browser-breaks.test");
    expect(outcome.status).toBe("finished");
    const crashed = { status: "failed", because: "crashed" };
    expect(outcome.evidence).toMatchObject({ navigation: crashed, page: crashed, dom: crashed, requests: crashed, scripts: crashed });
    expect(outcome.evidence?.tls.status).toBe("read");
    expect(outcome.status === "finished" && outcome.result.measured).toBe(false);
  });

  test("breaks every time, for a site without TLS, fails the scan", async () => {
    opened();
    expect((await scan("browser-breaks-no-tls.test")).code).toBe("crashed");
  });

  test("is ended while it starts costs one retry", async () => {
    opened();
    expect((await scan("no-browser-once.test")).outcome.status).toBe("finished");
  });

  test("cannot be started in a worker", async () => {
    opened();
    expect((await scan("no-browser.test")).code).toBe("browser-unavailable");
    expect(lines.join("")).toContain("no room for it");
  });

  test("cannot be started", async () => {
    opened({ prepare: () => Promise.reject(new Error("no such file")) });
    expect((await scan("fine.test")).code).toBe("browser-unavailable");
  });
});

describe("a check that", () => {
  test("hangs does not hold up another scan", async () => {
    opened({ judgeMs: 1_000 });
    const ended: string[] = [];
    const scanned = ["hangs.test", "fine.test"].map((host) => scan(host).then(() => ended.push(host)));
    await Promise.all(scanned);
    expect(ended).toEqual(["fine.test", "hangs.test"]);
  });

  test.each([
    ["hangs", "hangs.test", ["b-hangs"]],
    ["ends its thread", "check-exits.test", ["c-exits"]],
    ["throws", "check-throws.test", ["d-throws"]],
    ["returns a promise", "check-async.test", ["e-async"]],
    ["changes the evidence", "check-mutates.test", ["f-mutates"]],
    ["hangs, with another one", "all-hangs.test", ["b-hangs", "g-hangs-too"]],
  ])("%s is not checked, and named in the log", async (_words, host, keys) => {
    opened();
    const { outcome, states } = await scan(host);
    expect(Object.entries(states).filter(([, state]) => state !== "passed")).toEqual(keys.map((key) => [key, "notChecked"]));
    if (outcome.status === "finished")
      expect(outcome.result.ledger.find((row) => row.key === keys[0])?.notCheckedBecause).toBe("check-failed");
    for (const key of keys) expect(lines.some((line) => line.includes("check failed") && line.includes(key))).toBe(true);
    expect((await scan("fine.test")).outcome.status).toBe("finished");
  });
});
