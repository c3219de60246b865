/** Visits of one host, by a clock that the test sets. */
import { expect, test } from "vitest";
import type { VisitJob } from "../../../src/scan/gatherer.ts";
import type { Visited } from "../../../src/scan/task.ts";
import { inTurns, visitGapMs } from "../../../src/scan/visit-turns.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

const tookMs = 1_200;

/** Visits that last `tookMs`. `seen`: path and host of each, with its start and end. */
function openVisits() {
  const clock = fakeClock();
  const seen: { readonly page: string; readonly fromMs: number; untilMs: number }[] = [];
  const visitInTurn = inTurns(async ({ url }) => {
    const one = { page: url.replace("https://", ""), fromMs: clock.monotonicMs(), untilMs: Number.POSITIVE_INFINITY };
    seen.push(one);
    await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
    one.untilMs = clock.monotonicMs();
    if (url.endsWith("/broken")) throw new Error("a defect");
    return {} as Visited;
  }, clock);
  const visit = (url: string, signal?: AbortSignal) =>
    visitInTurn({ url: `https://${url}`, overrides: null, screenshot: false } satisfies VisitJob, { onStage: () => {}, signal });
  return { clock, seen, visit };
}

test("visits of one host follow each other in the order of the calls, with a rest between them", async () => {
  const { clock, seen, visit } = openVisits();
  const visits = ["a.test/1", "a.test/2", "a.test:8443/3", "a.test./4"].map((url) => visit(url));
  await clock.until(Promise.all(visits));
  expect(seen.map(({ page, fromMs }) => [page, fromMs])).toEqual(
    ["a.test/1", "a.test/2", "a.test:8443/3", "a.test./4"].map((page, at) => [page, at * (tookMs + visitGapMs)]),
  );
});

test("the rest also follows a visit that ended before the next one is asked for, and no longer", async () => {
  const { clock, seen, visit } = openVisits();
  await clock.until(visit("a.test/1"));
  await clock.pass(200);
  await clock.until(visit("a.test/2"));
  await clock.pass(visitGapMs);
  const askedMs = clock.monotonicMs();
  await clock.until(visit("a.test/3"));
  expect([(seen[1]?.fromMs ?? 0) - (seen[0]?.untilMs ?? 0), seen[2]?.fromMs]).toEqual([visitGapMs, askedMs]);
});

test("other hosts do not wait", async () => {
  const { clock, seen, visit } = openVisits();
  await clock.until(Promise.all([visit("a.test/1"), visit("b.test/1"), visit("www.a.test/1")]));
  expect(seen.map(({ fromMs }) => fromMs)).toEqual([0, 0, 0]);
});

test("a visit that fails has a rest after it, too", async () => {
  const { clock, seen, visit } = openVisits();
  const broken = visit("a.test/broken").catch(({ message }) => message);
  await clock.until(visit("a.test/2"));
  expect([await broken, seen[1]?.fromMs]).toEqual(["a defect", tookMs + visitGapMs]);
});

test("a visit that is aborted while it waits ends at once, and the next one still waits", async () => {
  const { clock, seen, visit } = openVisits();
  const stop = new AbortController();
  const [first, stopped, next] = [visit("a.test/1"), visit("a.test/2", stop.signal), visit("a.test/3")];
  stop.abort();
  expect([await stopped, clock.monotonicMs()]).toEqual(["interrupted", 0]);
  await clock.until(Promise.all([first, next]));
  expect(seen.map(({ page, fromMs }) => [page, fromMs])).toEqual([
    ["a.test/1", 0],
    ["a.test/3", tookMs + visitGapMs],
  ]);
});

test("hosts that have rested leave no timer", async () => {
  const { clock, visit } = openVisits();
  await clock.until(visit("a.test/1"));
  await clock.pass(visitGapMs);
  await settled();
  expect(clock.waits()).toEqual([]);
});
