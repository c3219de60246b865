/** Tests that a bounded map forgets the entry that was set longest ago, and none before it is full. */
import { expect, test } from "vitest";
import { setYoungest } from "../../../src/base/bounded-map.ts";

function filled(...keys: readonly string[]): Map<string, number> {
  const map = new Map<string, number>();
  keys.forEach((key, at) => {
    setYoungest(map, key, at, 3);
  });
  return map;
}

test("holds as many as it may", () => {
  expect([...filled("a", "b", "c")]).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
});

test("forgets the oldest for a new one", () => {
  expect([...filled("a", "b", "c", "d").keys()]).toEqual(["b", "c", "d"]);
});

test("takes what is set again for young, and forgets nothing for it", () => {
  expect([...filled("a", "b", "c", "a").keys()]).toEqual(["b", "c", "a"]);
  expect([...filled("a", "b", "c", "a", "d").keys()]).toEqual(["c", "a", "d"]);
});
