/** Bounds of the LRU caches. */
import { expect, test } from "vitest";
import { createLruByteCache, createLruCache } from "../../../src/base/lru-cache.ts";

test("a cache of entries drops the one that was used longest ago", () => {
  const cache = createLruCache<number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
});

test("a cache of bytes never holds more than its bound, and no entry that is larger", () => {
  const cache = createLruByteCache<string>(100, (text, key) => text.length + key.length);
  for (let at = 0; at < 50; at++) {
    cache.set(`${at}`, "x".repeat(1 + (at % 30)));
    expect(cache.calculatedSize).toBeLessThanOrEqual(100);
  }
  expect(cache.get("49")).toBeDefined();
  cache.set("huge", "x".repeat(100));
  expect(cache.get("huge")).toBeUndefined();
  expect(cache.get("49")).toBeDefined();
});
