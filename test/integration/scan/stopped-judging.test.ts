/** The same evidence has the same ledger, whatever processor time its threads get: real threads, which stop inside of a check. */
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import type { LogFields } from "../../../src/base/log.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { type JudgedCatalog, type Judging, openJudging, storedResult } from "../../../src/scan/judging.ts";
import { defaultDeadlines } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { eventually } from "../../support/raw-head.ts";
import { ownKeys, stoppedCatalog } from "./stopped-catalog.ts";
import type { Stops } from "./stopped-worker.ts";

const stopped = evidence({ url: "https://stopped.test/" });
const neighbour = evidence({ url: "https://neighbour.test/" });
const framing = "x-frame-options";
const [own = ""] = ownKeys;
const deadlineMs = defaultDeadlines.judgeMs;
/** Time after which a judgement that hangs lets the next one begin. */
const turnMs = 250;

/** Keys of the checks that judge this evidence, in order. */
const called: string[] = [];
performJudge({ evidence: structuredClone(stopped), hung: [] }, stoppedCatalog(), (key) => called.push(key));

let judging: Judging;
let counts: Int32Array;
let logged: (LogFields & { readonly level: string })[];
let faults: string[];

interface Opened extends Partial<Pick<Stops, "key" | "times" | "ms">> {
  readonly clock?: Clock;
}

function opened({ key = framing, times = 1, ms = 60_000, clock = systemClock }: Opened) {
  counts = new Int32Array(new SharedArrayBuffer(8));
  logged = [];
  faults = [];
  const note =
    (level: string) =>
    (event: string, fields: LogFields = {}) =>
      void logged.push({ level, event, ...fields });
  const log = { debug: () => {}, info: () => {}, warn: note("warn"), error: note("error") };
  const onCheckFault = (check: string) => void faults.push(check);
  const snapshot = { key, times, ms, counts } satisfies Stops;
  const catalog = { snapshot, version: stoppedCatalog().version } as unknown as JudgedCatalog;
  const workerFile = join(import.meta.dirname, "stopped-worker.ts");
  judging = openJudging({ workerFile, threads: 3, deadlineMs, onIdleFault: () => {}, onCheckFault, clock, log }, catalog);
}

afterEach(() => judging.close());

function judged(given = stopped, signal?: AbortSignal) {
  return judging.withCurrent((judge) => judge({ fields: {}, evidence: given, signal }));
}

/** The result on a machine where nothing is late. */
function resultOf(given = stopped) {
  return storedResult(performJudge({ evidence: structuredClone(given), hung: [] }, stoppedCatalog(), () => {}));
}

/** Messages of a thread arrive in order, soon after it has stopped. */
const arrivalMs = 100;

/** Resolves when a thread has stopped for the `count`th time, with this limit, and its messages have arrived. */
async function stops(count: number, clock: FakeClock, limitMs: number): Promise<void> {
  await eventually(() => Atomics.load(counts, 1) === count && clock.waits().includes(limitMs), `stop ${count}`);
  await Bun.sleep(arrivalMs);
}

describe("the ledger is complete after a thread", () => {
  test("that stopped for 6 s, with the deadline of a scan", async () => {
    opened({ ms: 6_000 });
    expect(await judged()).toEqual(resultOf());
    expect(resultOf().ledger.find(({ key }) => key === framing)?.state).toBe("violated");
    expect(logged).toMatchObject([{ level: "warn", check: framing, end: "late" }]);
    expect(faults).toEqual([]);
  });

  test.each([
    ["that stopped in the first built-in check", { key: called[ownKeys.length] ?? "" }],
    ["that stopped in the last check", { key: called.at(-1) ?? "" }],
    ["that stopped in a plugin", { key: ownKeys }],
    ["that ended once", { ms: null }],
    ["that ended once, in a plugin", { key: ownKeys, ms: null }],
  ])("%s", async (_words, given) => {
    const clock = fakeClock();
    opened({ ...given, clock });
    const result = judged();
    await stops(1, clock, deadlineMs);
    clock.advance(deadlineMs);
    expect(await result).toEqual(resultOf());
    expect(logged.map(({ level }) => level)).toEqual(["warn"]);
    expect(faults).toEqual([]);
  });

  test("that stopped again, for less than ten deadlines", async () => {
    const clock = fakeClock();
    opened({ times: 2, ms: 1_500, clock });
    const result = judged();
    await stops(1, clock, deadlineMs);
    clock.advance(deadlineMs);
    await stops(2, clock, 10 * deadlineMs);
    clock.advance(10 * deadlineMs - 1);
    expect(await result).toEqual(resultOf());
    expect(faults).toEqual([]);
  });

  test("that stopped, for each of several scans at once", async () => {
    const clock = fakeClock();
    opened({ times: 3, clock });
    const results = [judged(), judged(), judged()];
    for (const count of [1, 2, 3]) {
      await stops(count, clock, deadlineMs);
      clock.advance(turnMs);
    }
    clock.advance(deadlineMs);
    expect(await Promise.all(results)).toEqual([resultOf(), resultOf(), resultOf()]);
    expect(faults).toEqual([]);
  });
});

describe("after ten deadlines alone", () => {
  test.each([
    ["a built-in check is not blamed: the scan fails", { key: framing }, []],
    ["a plugin is left out, and named", { key: own }, [own]],
    ["a built-in check whose thread ended is not blamed", { key: framing, ms: null }, []],
    ["a plugin whose thread ended is left out, and named", { key: own, ms: null }, [own]],
  ])("%s", async (_words, given, leftOut) => {
    const clock = fakeClock();
    opened({ times: 2, clock, ...given });
    let isOver = false;
    const ended = judged().finally(() => {
      isOver = true;
    });
    await stops(1, clock, deadlineMs);
    clock.advance(deadlineMs);
    await stops(2, clock, 10 * deadlineMs);
    clock.advance(10 * deadlineMs - 1);
    await Bun.sleep(arrivalMs);
    expect([isOver, counts[0]]).toEqual([false, 2]);
    clock.advance(1);
    const result = await ended;
    const failed = expect.objectContaining({ state: "notChecked", notCheckedBecause: "check-failed" });
    const ledger = resultOf().ledger.map((row) => (leftOut.includes(row.key) ? failed : row));
    if (leftOut.length === 0) expect(result).toBe("crashed");
    else expect(result).toMatchObject({ ledger });
    expect(logged).toMatchObject([
      { level: "warn", check: given.key },
      { level: "error", check: given.key },
    ]);
    expect(faults).toEqual(leftOut);
  });

  test("the next plugin has both of its tries", async () => {
    const clock = fakeClock();
    opened({ key: ownKeys, times: 4, clock });
    const ended = judged();
    for (const count of [1, 2, 3, 4]) {
      const limitMs = count % 2 === 1 ? deadlineMs : 10 * deadlineMs;
      await stops(count, clock, limitMs);
      clock.advance(limitMs);
    }
    const result = await ended;
    const failed = typeof result === "string" ? result : result.ledger.filter((row) => row.notCheckedBecause === "check-failed");
    expect(failed).toMatchObject(ownKeys.map((key) => ({ key })));
    expect(faults).toEqual(ownKeys);
  });
});

describe("a judgement that is tried alone", () => {
  test("holds up its neighbours until its end and no longer, though more of its kind wait", async () => {
    const clock = fakeClock();
    opened({ times: 4, clock });
    const both = [judged()];
    await stops(1, clock, deadlineMs);
    clock.advance(turnMs);
    both.push(judged());
    await stops(2, clock, deadlineMs);
    clock.advance(deadlineMs);
    await stops(3, clock, 10 * deadlineMs);
    const beside = judged(neighbour);
    await Bun.sleep(arrivalMs);
    expect(counts[0]).toBe(3);
    clock.advance(10 * deadlineMs);
    expect(await beside).toEqual(resultOf(neighbour));
    await stops(4, clock, 10 * deadlineMs);
    clock.advance(10 * deadlineMs);
    expect(await Promise.all(both)).toEqual(["crashed", "crashed"]);
    expect(counts[0]).toBe(5);
  });

  test("begins when no neighbour runs", async () => {
    const clock = fakeClock();
    opened({ times: 2, clock });
    const first = judged();
    await stops(1, clock, deadlineMs);
    clock.advance(1_000);
    const second = judged();
    await stops(2, clock, deadlineMs);
    clock.advance(deadlineMs - 1_000);
    await Bun.sleep(arrivalMs);
    expect(counts[0]).toBe(2);
    clock.advance(1_000);
    expect(await Promise.all([first, second])).toEqual([resultOf(), resultOf()]);
  });

  test("is ended at once by its caller, and so is a neighbour that waits for it", async () => {
    const clock = fakeClock();
    opened({ times: 2, clock });
    const [abandon, abandonBeside] = [new AbortController(), new AbortController()];
    const ended = judged(stopped, abandon.signal);
    await stops(1, clock, deadlineMs);
    clock.advance(deadlineMs);
    await stops(2, clock, 10 * deadlineMs);
    const beside = judged(neighbour, abandonBeside.signal);
    const further = judged(neighbour);
    abandonBeside.abort();
    expect(await beside).toBe("interrupted");
    abandon.abort();
    expect(await ended).toBe("interrupted");
    expect(await further).toEqual(resultOf(neighbour));
    expect(counts[0]).toBe(3);
  });
});
