/** Weighted round robin: compared with a simulation that serves one scan after the other. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLaneSchedule, laneSchedule } from "../../../src/store/queue.ts";

const laneCountMax = 4;
const lanesOf = (count: number) => Array.from({ length: count }, (_, at) => `lane-${at}`);
const weightsOf = (weights: readonly number[]) => Object.fromEntries(weights.map((weight, at) => [`lane-${at}`, weight]));
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const weightList = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: laneCountMax });
const lengthList = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: laneCountMax, maxLength: laneCountMax });

test("agency and free take turns four to one, and the free turn is in the middle", () => {
  let turn = 0;
  const served = Array.from({ length: 10 }, () => {
    const next = laneSchedule.next(turn, () => true);
    turn = next?.turn ?? -1;
    return next?.lane;
  });
  expect(served).toEqual([..."aafaaaafaa"].map((letter) => (letter === "a" ? "agency" : "free")));
});

describe("a schedule", () => {
  test("gives every waiting scan the position at which it is claimed", () => {
    fc.assert(
      fc.property(weightList, lengthList, fc.nat(), (weights, given, seed) => {
        const schedule = createLaneSchedule(weightsOf(weights));
        const names = lanesOf(weights.length);
        const lengths = Object.fromEntries(names.map((lane, at) => [lane, given[at] ?? 0]));
        const start = seed % sumOf(weights);
        const claimed = Object.fromEntries(names.map((lane) => [lane, 0]));
        const scans = sumOf(Object.values(lengths));
        for (let turn = start, claims = 1; claims <= scans; claims++) {
          const next = schedule.next(turn, (lane) => (claimed[lane] ?? 0) < (lengths[lane] ?? 0));
          if (next === undefined) throw new Error("a waiting scan was not served");
          claimed[next.lane] = (claimed[next.lane] ?? 0) + 1;
          turn = next.turn;
          expect(schedule.position(start, { lane: next.lane, rank: claimed[next.lane] ?? 0, lengths })).toBe(claims);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("serves whenever a scan waits, and between two turns of a waiting lane at most the turns of the others", () => {
    const steps = fc.array(fc.array(fc.nat({ max: laneCountMax - 1 }), { maxLength: 3 }), { maxLength: 120 });
    fc.assert(
      fc.property(weightList, steps, (weights, arrivals) => {
        const schedule = createLaneSchedule(weightsOf(weights));
        const names = lanesOf(weights.length);
        const waiting = new Map(names.map((lane) => [lane, 0]));
        const waited = new Map(names.map((lane) => [lane, 0]));
        let turn = 0;
        for (const arriving of arrivals) {
          for (const at of arriving) if (names[at] !== undefined) waiting.set(names[at], (waiting.get(names[at]) ?? 0) + 1);
          const next = schedule.next(turn, (lane) => (waiting.get(lane) ?? 0) > 0);
          expect(next === undefined).toBe(sumOf([...waiting.values()]) === 0);
          if (next === undefined) continue;
          turn = next.turn;
          waiting.set(next.lane, (waiting.get(next.lane) ?? 0) - 1);
          for (const [at, lane] of names.entries()) {
            const isServed = lane === next.lane || waiting.get(lane) === 0;
            waited.set(lane, isServed ? 0 : (waited.get(lane) ?? 0) + 1);
            expect(waited.get(lane)).toBeLessThanOrEqual(sumOf(weights) - (weights[at] ?? 0));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("gives each lane its weight in every round while all lanes have scans", () => {
    fc.assert(
      fc.property(weightList, fc.nat(), (weights, seed) => {
        const schedule = createLaneSchedule(weightsOf(weights));
        const round = sumOf(weights);
        const served = new Map<string, number>();
        let turn = seed % round;
        for (let claims = 0; claims < round; claims++) {
          const next = schedule.next(turn, () => true);
          turn = next?.turn ?? -1;
          served.set(next?.lane ?? "", (served.get(next?.lane ?? "") ?? 0) + 1);
        }
        expect(lanesOf(weights.length).map((lane) => served.get(lane))).toEqual([...weights]);
      }),
    );
  });

  test.each([-1, 5, 1.5, Number.NaN])("a stored turn of %p counts as the first", (turn) => {
    expect(laneSchedule.next(turn, (lane) => lane === "free")).toEqual({ lane: "free", turn: 3 });
    expect(
      laneSchedule.position(turn, { lane: "free", rank: 1, lengths: { agency: 9, free: 1, "second-look": 9, scheduled: 9, first: 9 } }),
    ).toBe(3);
  });
});
