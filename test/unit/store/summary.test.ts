/** Summaries of results for lists: notes are no violations, and older results have no basis. */
import { expect, test } from "vitest";
import { listedScoreOf, scanSummaryOf } from "../../../src/store/scan-record.ts";
import { rowFormats } from "../../../src/store/tables.ts";
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

test.each([
  [100, "excellent"],
  [95, "excellent"],
  [94, "strong"],
  [80, "solid"],
  [79, "fair"],
  [50, "weak"],
  [49, "bad"],
  [25, "bad"],
  [24, "critical"],
  [0, "critical"],
  [null, "unknown"],
])("a summary of score %s without rank is listed as %s", (score, rank) => {
  const { rank: _rank, ...summary } = { ...scanSummaryOf(storedResult()), score };
  expect(listedScoreOf(summary)).toEqual({ score, band: summary.band, rank });
});

test("a stored rank is listed as it is, and no summary as unknown", () => {
  expect(listedScoreOf({ ...scanSummaryOf(storedResult()), score: 100, band: "good", rank: "solid" }).rank).toBe("solid");
  expect(listedScoreOf(null)).toEqual({ score: null, band: "unknown", rank: "unknown" });
});

test("a stored scan whose summary has no rank is read, and one with a wrong rank is damaged", () => {
  const { rank: _rank, ...summary } = scanSummaryOf(storedResult());
  const at = "2026-11-01T12:00:00.000Z";
  const times = { createdAt: at, startedAt: at, endedAt: at };
  const scan = {
    token: "A".repeat(22),
    id: 1,
    accountId: null,
    url: "https://site.example/",
    status: "finished",
    ...times,
    progressPercent: 100,
    attempts: 1,
  };
  const accepts = (value: unknown) => rowFormats.get("scans")?.accepts(value);
  expect(accepts({ ...scan, progressStage: null, errorCode: null, summary })).toBe(true);
  expect(accepts({ ...scan, progressStage: null, errorCode: null, summary: { ...summary, rank: "splendid" } })).toBe(false);
});
