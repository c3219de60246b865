/** Visits of one host, by a clock that the test sets. */
import { expect, test } from "vitest";
import type { VisitJob } from "../../../src/scan/gatherer.ts";
import type { Visited } from "../../../src/scan/task.ts";
import { type GiveWay, inTurns, visitGapMs } from "../../../src/scan/visit-turns.ts";
import { fakeClock } from "../../support/fake-clock.ts";

/** Visits that last so long. `starts`: page and time of each, in their order. */
function openVisits(tookMs: number) {
  const clock = fakeClock();
  const starts: (readonly [string, number])[] = [];
  const visitInTurn = inTurns(async ({ url }) => {
    starts.push([url.replace("https://", ""), clock.monotonicMs()]);
    await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
    return {} as Visited;
  }, clock);
  const visit = (page: string, signal?: AbortSignal, giveWay: GiveWay = (wait) => wait()) =>
    visitInTurn({ url: `https://${page}`, overrides: null, screenshot: false } satisfies VisitJob, { onStage: () => {}, signal, giveWay });
  return { clock, starts, visit };
}

test("visits of one host start in the order of the calls, with the gap between them", async () => {
  const { clock, starts, visit } = openVisits(50);
  const pages = ["a.test/1", "a.test/2", "a.test:8443/3", "a.test./4"];
  await clock.until(Promise.all(pages.map((page) => visit(page))));
  expect(starts).toEqual(pages.map((page, at) => [page, at * visitGapMs]));
});

test("a short visit is followed after the rest of the gap, a long one at once", async () => {
  const { clock, starts, visit } = openVisits(200);
  await clock.until(visit("a.test/1"));
  await clock.until(visit("a.test/2"));
  await clock.pass(visitGapMs);
  const askedMs = clock.monotonicMs();
  await clock.until(visit("a.test/3"));
  expect(starts).toEqual([
    ["a.test/1", 0],
    ["a.test/2", visitGapMs],
    ["a.test/3", askedMs],
  ]);
});

test("other hosts do not wait", async () => {
  const { clock, starts, visit } = openVisits(50);
  await clock.until(Promise.all([visit("a.test/1"), visit("b.test/1"), visit("www.a.test/1")]));
  expect(starts.map(([, atMs]) => atMs)).toEqual([0, 0, 0]);
});

test("a visit that is aborted while it waits ends at once, and is not made", async () => {
  const { clock, starts, visit } = openVisits(50);
  const stop = new AbortController();
  const [first, stopped, next] = [visit("a.test/1"), visit("a.test/2", stop.signal), visit("a.test/3")];
  stop.abort();
  expect([await stopped, clock.monotonicMs()]).toEqual(["interrupted", 0]);
  await clock.until(Promise.all([first, next]));
  expect(starts.map(([page]) => page)).toEqual(["a.test/1", "a.test/3"]);
});

test("a visit that gives way for longer than its turn begins the gap when it starts", async () => {
  const { clock, starts, visit } = openVisits(50);
  const scanMs = 5_000;
  const first = visit("a.test/1", undefined, async (wait) => {
    await wait();
    await new Promise<void>((resolve) => void clock.after(scanMs, resolve));
  });
  await clock.until(first);
  await clock.until(visit("a.test/2"));
  expect(starts).toEqual([
    ["a.test/1", scanMs],
    ["a.test/2", scanMs + visitGapMs],
  ]);
});

test("visits that wait for slots and then get them together keep the gap", async () => {
  const { clock, starts, visit } = openVisits(50);
  const slots = Promise.withResolvers<void>();
  const inSlot: GiveWay = async (wait) => {
    await wait();
    await slots.promise;
  };
  const both = Promise.all([visit("a.test/1", undefined, inSlot), visit("a.test/2", undefined, inSlot)]);
  await clock.pass(10 * visitGapMs);
  slots.resolve();
  await clock.until(both);
  expect(starts.map(([, atMs]) => atMs)).toEqual([10 * visitGapMs, 11 * visitGapMs]);
});
