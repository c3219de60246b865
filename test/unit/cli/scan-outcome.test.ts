/** The exit code of several scans under a policy: a table. */
import { describe, expect, test } from "vitest";
import { codeOf, type Policy, type ScannedUrl, shortfalls, undecided } from "../../../src/cli/scan-outcome.ts";
import type { ScanErrorCode } from "../../../src/evidence/scan.ts";
import { evidence } from "../../support/evidence.ts";
import { storedResult } from "../../support/stored.ts";

const url = "https://site.example/";
const noPolicy: Policy = { failOn: null, failUnder: null };

/** Finished with a score of 67 and one finding of severity medium, unless given otherwise. */
function finished(score: number | null = 67): ScannedUrl {
  const result = { ...storedResult(), score, measured: score !== null };
  return { url, outcome: { status: "finished", result, evidence: evidence({ url }), screenshot: null, timings: {} } };
}

function failed(code: ScanErrorCode): ScannedUrl {
  return { url, outcome: { status: "failed", code, evidence: null, timings: {} } };
}

describe("exit code", () => {
  test.each([
    ["finished without a policy", [finished()], noPolicy, 0],
    ["a finding as severe as the limit", [finished()], { ...noPolicy, failOn: "medium" }, 1],
    ["a finding more severe than the limit", [finished()], { ...noPolicy, failOn: "info" }, 1],
    ["a finding less severe than the limit", [finished()], { ...noPolicy, failOn: "high" }, 0],
    ["a score at the limit", [finished()], { ...noPolicy, failUnder: 67 }, 0],
    ["a score under the limit", [finished()], { ...noPolicy, failUnder: 68 }, 1],
    ["no score, with a limit", [finished(null)], { ...noPolicy, failUnder: 0 }, 1],
    ["no score, without a limit", [finished(null)], noPolicy, 0],
    ["one of several violates the policy", [finished(90), finished(10)], { ...noPolicy, failUnder: 50 }, 1],
    ["the only target failed", [failed("unresolved")], noPolicy, 3],
    ["every target failed", [failed("refused"), failed("tls")], noPolicy, 3],
    ["some of several failed", [finished(), failed("timeout")], noPolicy, 5],
    ["some failed, and others violate the policy", [finished(), failed("timeout")], { ...noPolicy, failUnder: 90 }, 5],
    ["assay broke", [failed("crashed")], noPolicy, 4],
    ["the browser does not start", [finished(), failed("browser-unavailable")], noPolicy, 4],
  ] as [string, ScannedUrl[], Policy, number][])("%s", (_words, scanned, policy, code) => {
    expect(codeOf(scanned, policy, false)).toBe(code as never);
  });

  test("an interruption overrides every other code", () => {
    expect(codeOf([failed("crashed")], noPolicy, true)).toBe(130);
  });
});

test("a note violates no policy", () => {
  const noted = finished();
  if (noted.outcome.status !== "finished") throw new Error("not finished");
  const { result } = noted.outcome;
  const ledger = result.ledger.map((row) => ({ ...row, weight: 0 }));
  const scanned = [{ ...noted, outcome: { ...noted.outcome, result: { ...result, ledger } } }];
  expect(codeOf(scanned, { ...noPolicy, failOn: "info" }, false)).toBe(0);
  expect(shortfalls(scanned, { ...noPolicy, failOn: "info" })).toEqual([]);
});

test("names the pages that violate the policy", () => {
  expect(shortfalls([finished(), failed("timeout")], { failOn: "low", failUnder: 70 })).toEqual([
    `${url}: findings that are low or worse: 1 (--fail-on)`,
    `${url}: its score is 67, under 70 (--fail-under)`,
  ]);
});

test("names the pages for which --fail-on decides little, because they were not measured", () => {
  expect(undecided([finished(null), finished(), failed("timeout")], { failOn: "high", failUnder: null })).toEqual([
    `${url}: not measured, so --fail-on saw only part of the checks`,
  ]);
  expect(undecided([finished(null)], noPolicy)).toEqual([]);
});
