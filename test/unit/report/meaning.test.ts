/** The sentence below the rank says no more than the checks that ran. */
import { describe, expect, test } from "vitest";
import { type LedgerRow, standing } from "../../../src/judge/result.ts";
import type { ShownFinding } from "../../../src/report/report.ts";
import { meaningOf } from "../../../src/report/score.tsx";
import { checkSummaryOf } from "../../../src/text/render.ts";

const row = (state: LedgerRow["state"], weight: number, charged?: number): LedgerRow => ({
  ...{ key: "sample", state, weight, evidence: [] },
  ...(charged === undefined ? {} : { charged }),
});
const passedRows = Array.from({ length: 9 }, () => row("passed", 4));
const capped = (scoreCap: number) => ({ scoreCap, points: 10 }) as ShownFinding;

function meaning(score: number | null, ledger: readonly LedgerRow[], findings: readonly ShownFinding[] = [], algorithmVersion = 3): string {
  const result = { algorithmVersion, catalogVersion: "one", measured: score !== null, score, ...standing(score), ledger, findings: [] };
  return meaningOf({ result, findings, summary: checkSummaryOf(ledger) }).replace("report.verdict.", "");
}

describe("the meaning of a score", () => {
  test("is that of the rank, if points lead to it", () => {
    expect(meaning(100, passedRows)).toBe("means.excellent");
    expect(meaning(90, [...passedRows, row("violated", 8, 10)])).toBe("means.strong");
    expect(meaning(null, [])).toBe("means.unknown");
  });

  test("names an unread protection that limits the score, and no missing one", () => {
    expect(meaning(79, [...passedRows, row("notChecked", 8)])).toBe("held");
    expect(meaning(74, [...passedRows, row("notChecked", 8), row("violated", 8, 30)])).toBe("means.fair");
  });

  test("names a cap, unless that means danger", () => {
    const ledger = [...passedRows, row("violated", 8, 10)];
    expect(meaning(60, ledger, [capped(60)])).toBe("capped");
    expect(meaning(20, ledger, [capped(20)])).toBe("means.critical");
    expect(meaning(60, [...passedRows, row("violated", 24)], [capped(60)], 2)).toBe("means.weak");
    expect(meaning(60, [...passedRows, row("violated", 4)], [capped(60)], 2)).toBe("capped");
  });

  test("praises only what was checked", () => {
    const open = [...passedRows, row("notChecked", 1), row("notChecked", 1), row("notChecked", 1)];
    expect(meaning(100, open)).toBe("partly");
    expect(meaning(60, [...open, row("violated", 8, 51)])).toBe("means.weak");
  });

  test("of a result without points is that of the rank", () => {
    expect(meaning(60, [{ key: "sample", state: "passed", evidence: [] }], [], 1)).toBe("means.weak");
  });
});
