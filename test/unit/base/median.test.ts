/** Median of odd and even counts. */
import { expect, test } from "vitest";
import { medianOf } from "../../../src/base/median.ts";

test.each([
  [[5], 5],
  [[9, 1, 5], 5],
  [[10, 1, 2, 100], 6],
  [[], Number.NaN],
])("%j: %d", (values, median) => {
  expect(medianOf(values)).toBe(median);
});
