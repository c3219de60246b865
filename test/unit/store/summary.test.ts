/** Summaries of results for lists: notes are no violations, and older results have no basis. */
import { expect, test } from "vitest";
import { scanSummaryOf } from "../../../src/store/summary.ts";
import { emptyResult, storedResult } from "../../support/stored.ts";

test("counts violated rows without notes", () => {
  const result = storedResult();
  expect(scanSummaryOf(result).violated).toBe(1);
  expect(scanSummaryOf({ ...result, ledger: result.ledger.map((row) => ({ ...row, weight: 1 })) }).violated).toBe(1);
  expect(scanSummaryOf({ ...result, ledger: result.ledger.map((row) => ({ ...row, weight: 0 })) }).violated).toBe(0);
});

test("has the basis of the result, and none for older ones", () => {
  const basis = { headerValueCharsMax: 512, dataDates: { hstsPreload: "2026-06-01" } };
  expect(scanSummaryOf({ ...emptyResult, basis }).basis).toEqual(basis);
  expect(scanSummaryOf(emptyResult)).not.toHaveProperty("basis");
});
