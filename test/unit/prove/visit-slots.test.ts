/** Slots of the visits of one proof, which the test frees. */
import { expect, test } from "vitest";
import { openVisitSlots } from "../../../src/prove/visit-slots.ts";
import { settled } from "../../support/fake-clock.ts";

const wait = () => Promise.resolve();

/** Slots of which so many are free beside the own one. */
function openSlots(free: number) {
  const stop = new AbortController();
  const gaveWay: string[] = [];
  let left = free;
  const slotForVisit = openVisitSlots({
    signal: stop.signal,
    giveWay: async (given) => {
      gaveWay.push("own");
      await given();
    },
    takeFree: async () => {
      if (left === 0) return null;
      left -= 1;
      return () => {
        left += 1;
      };
    },
  });
  const begun: string[] = [];
  const begin = async (name: string) => {
    const end = await slotForVisit(wait);
    begun.push(name);
    return end;
  };
  return { stop, gaveWay, begun, begin };
}

test("the first visit has the own slot, and further ones those that are free", async () => {
  const { begun, begin, gaveWay } = openSlots(1);
  const ends = ["first", "second", "third"].map(begin);
  await settled();
  expect([...begun].sort()).toEqual(["first", "second"]);
  (await ends[1])?.();
  await settled();
  expect([...begun].sort()).toEqual(["first", "second", "third"]);
  expect(gaveWay).toEqual(["own"]);
});

test("a visit that waits for a free slot gets the own one once it is free, after giving way", async () => {
  const { begun, begin, gaveWay } = openSlots(0);
  const [first] = ["first", "second"].map(begin);
  await settled();
  expect(begun).toEqual(["first"]);
  (await first)?.();
  await settled();
  expect([begun, gaveWay]).toEqual([
    ["first", "second"],
    ["own", "own"],
  ]);
});

test("visits that wait when the proof ends hold no slot", async () => {
  const { begun, begin, stop, gaveWay } = openSlots(0);
  const [first, second] = ["first", "second"].map(begin);
  await settled();
  stop.abort();
  (await first)?.();
  (await second)?.();
  expect([begun, gaveWay]).toEqual([["first", "second"], ["own"]]);
});
