/** Division of memory among scan slots, from a small virtual server to a large machine. */
import { describe, expect, test } from "vitest";
import { browserMemoryMax, childMemoryMax, memoryNeeded, slotsThatFit } from "../../../src/settings/scans.ts";

describe("memory in MiB", () => {
  test.each([
    // Memory, slots, browser, child.
    [512, 1, 384, 288],
    [1_024, 1, 624, 468],
    [2_048, 2, 824, 618],
    [4_096, 6, 616, 462],
    [8_192, 12, 649, 486],
  ])("%d has room for %d slots", (machine, slots, browser, child) => {
    expect([slotsThatFit(machine), browserMemoryMax(machine, slots), childMemoryMax(browser)]).toEqual([slots, browser, child]);
  });

  test("slots at their limits fit, from 1 GB on", () => {
    for (let machine = 1_000; machine < 20_000; machine += 7) {
      const slots = slotsThatFit(machine);
      expect(memoryNeeded(slots, browserMemoryMax(machine, slots))).toBeLessThanOrEqual(machine);
    }
  });

  test("few slots on a large machine get no more than a page needs", () => {
    expect(browserMemoryMax(65_536, 4)).toBe(2_048);
    expect(childMemoryMax(2_048)).toBe(1_024);
  });

  test("many slots on a small machine get what an ordinary page needs", () => {
    expect(browserMemoryMax(2_048, 16)).toBe(384);
  });
});
