/** Time and threads of the worker pool, and judging whose thread is lost before the first check. */
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { openJudging } from "../../../src/scan/judging.ts";
import { openPool, type WorkerPool } from "../../../src/scan/pool.ts";
import type { WorkerMessage } from "../../../src/scan/task.ts";
import { evidence } from "../../support/evidence.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const workerFile = join(import.meta.dirname, "lost-worker.ts");
const task = { evidence: evidence(), hung: [] };

let pool: WorkerPool;
let gate: Int32Array;

function opened(clock: Clock = systemClock): WorkerPool {
  gate = new Int32Array(new SharedArrayBuffer(8));
  const workerData = { snapshot: null, version: "v", gate };
  return openPool({ workerFile, threads: 3, workerData, onIdleFault: () => {}, clock });
}

afterEach(async () => {
  await pool?.close();
});

/** Runs the task; resolves when its thread is at work. */
async function begun(deadlineMs: number, signal?: AbortSignal) {
  const atWork = Promise.withResolvers<void>();
  const onMessage = ({ type }: WorkerMessage) => type === "judging" && atWork.resolve();
  const ended = pool.run("judge", task, { deadlineMs, onMessage, signal });
  await atWork.promise;
  return { ended };
}

test("a task may take longer than a thread has to start, up to its deadline", async () => {
  const clock = fakeClock();
  pool = opened(clock);
  const first = await begun(60_000);
  clock.advance(59_000);
  Atomics.store(gate, 0, 1);
  expect(await first.ended).toMatchObject({ end: "done" });
  Atomics.store(gate, 0, 0);
  const second = await begun(60_000);
  clock.advance(60_000);
  expect(await second.ended).toEqual({ end: "late" });
});

test("a thread that does not start its task in time is broken, which is no timeout of the site", async () => {
  const clock = fakeClock();
  pool = opened(clock);
  const unstarted = { evidence: evidence({ url: "https://unstarted.test/" }), hung: [] };
  const ended = pool.run("judge", unstarted, { deadlineMs: 1, onMessage: () => {} });
  clock.advance(30_000);
  expect(await ended).toEqual({ end: "died", because: "the worker did not start within 30000 ms" });
});

test("the port of a task is closed with it", async () => {
  pool = opened();
  const { ended } = await begun(60_000);
  Atomics.store(gate, 0, 1);
  await ended;
  while (Atomics.load(gate, 1) === 0) await Bun.sleep(1);
});

test("a task that its caller gives up is cancelled", async () => {
  pool = opened();
  const abandon = new AbortController();
  const { ended } = await begun(60_000, abandon.signal);
  abandon.abort();
  expect(await ended).toEqual({ end: "cancelled" });
});

test("threads are started when they are needed", async () => {
  pool = opened();
  const first = await begun(60_000);
  expect(pool.threadIds().size).toBe(1);
  const second = await begun(60_000);
  expect(pool.threadIds().size).toBe(2);
  Atomics.store(gate, 0, 1);
  expect(await Promise.all([first.ended, second.ended])).toMatchObject([{ end: "done" }, { end: "done" }]);
});

test("judging is given up if its thread is lost before the first check", async () => {
  const logged: unknown[] = [];
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (_event: string, fields = {}) => void logged.push(fields) };
  const options = { workerFile, threads: 1, deadlineMs: 60_000, onIdleFault: () => {}, onCheckFault: () => {}, clock: systemClock, log };
  const judging = openJudging(options, { snapshot: null, version: "v" });
  const unnamed = evidence({ url: "https://unnamed.test/" });
  expect(await judging.withCurrent((judge) => judge({ fields: {}, evidence: unnamed }))).toBe("crashed");
  expect(logged).toEqual([expect.objectContaining({ check: null, end: "died", because: "lost before the first check" })]);
  await judging.close();
});
