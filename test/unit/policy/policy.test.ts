/** End of a call, and the findings that fail it, under a policy: tables. */
import { describe, expect, test } from "vitest";
import type { CheckDefinition } from "../../../src/check/registry.ts";
import type { ScanErrorCode } from "../../../src/evidence/scan.ts";
import type { AcceptEntry } from "../../../src/policy/accept.ts";
import type { Baseline } from "../../../src/policy/baseline.ts";
import { baselineOf, noPolicy, type Policy, type PolicyPage, pipelineEnd, unusedEntries, verdictOf } from "../../../src/policy/policy.ts";
import { storedResult } from "../../support/stored.ts";

const url = "https://site.example/shop";
const code = "security.sample.weak";
const other = "security.sample.other";
const checks = [
  { key: "sample-header", findings: { [code]: {}, [other]: {} } },
  { key: "unread-check", findings: { "security.unread.x": {} } },
] as unknown as readonly CheckDefinition[];

/** Finished with a score of 67 and one finding of severity medium, unless given otherwise. */
function finished(score: number | null = 67): PolicyPage {
  return { url, result: { ...storedResult(), score, measured: score !== null }, errorCode: null };
}

function failed(errorCode: ScanErrorCode): PolicyPage {
  return { url, result: null, errorCode };
}

function baseline(codes: readonly string[], knownCodes: readonly string[] = [code, other]): Baseline {
  return { findings: new Map([[url, new Set(codes)]]), knownCodes: new Set(knownCodes) };
}

function accept(given: Partial<AcceptEntry> = {}): AcceptEntry {
  return { code, host: null, path: null, reason: "known", until: null, line: 1, ...given };
}

function endOf(pages: readonly PolicyPage[], given: Partial<Policy>, complete = true) {
  const policy = { ...noPolicy, today: "2026-11-22", ...given };
  return pipelineEnd(
    pages,
    pages.map((page) => verdictOf(page, policy, checks)),
    policy,
    complete,
  );
}

function verdict(given: Partial<Policy>, page = finished()) {
  return verdictOf(page, { ...noPolicy, today: "2026-11-22", ...given }, checks);
}

describe("end of a call", () => {
  test.each([
    ["that meets its policy", [finished()], {}, "some"],
    ["that violates its policy", [finished()], { failUnder: 99 }, "some"],
    ["in which every page failed", [failed("refused")], {}, "target"],
  ] as const)("%s, and misses pages that were meant", (_case, pages, policy, end) => {
    expect(endOf(pages, policy, false)).toBe(end);
  });

  test.each([
    ["finished without a policy", [finished()], {}, "ok"],
    ["a finding as severe as the limit", [finished()], { failOn: "medium" }, "policy"],
    ["a finding more severe than the limit", [finished()], { failOn: "info" }, "policy"],
    ["a finding less severe than the limit", [finished()], { failOn: "high" }, "ok"],
    ["a score at the limit", [finished()], { failUnder: 67 }, "ok"],
    ["a score under the limit", [finished()], { failUnder: 68 }, "policy"],
    ["no score, with a limit", [finished(null)], { failUnder: 0 }, "policy"],
    ["no score, without a limit", [finished(null)], {}, "ok"],
    ["no score, where a measurement is needed", [finished(null)], { needsMeasurement: true }, "target"],
    ["one of several without a score, where it is needed", [finished(), finished(null)], { needsMeasurement: true, failUnder: 99 }, "some"],
    ["one of several violates the policy", [finished(90), finished(10)], { failUnder: 50 }, "policy"],
    ["the only target failed", [failed("unresolved")], {}, "target"],
    ["every target failed", [failed("refused"), failed("tls")], {}, "target"],
    ["some of several failed", [finished(), failed("timeout")], {}, "some"],
    ["some failed, and others violate the policy", [finished(), failed("timeout")], { failUnder: 90 }, "some"],
    ["assay broke", [failed("crashed")], {}, "internal"],
    ["the browser does not start", [finished(), failed("browser-unavailable")], {}, "internal"],
    ["a finding that is new", [finished()], { baseline: baseline([]) }, "policy"],
    ["a finding of the baseline", [finished()], { baseline: baseline([code]) }, "ok"],
    ["a finding of the baseline, with a limit", [finished()], { baseline: baseline([code]), failOn: "info" }, "ok"],
    ["a new finding below the limit", [finished()], { baseline: baseline([]), failOn: "high" }, "ok"],
    ["a finding that the baseline could not know", [finished()], { baseline: baseline([], [other]) }, "ok"],
    ["a new finding that is accepted", [finished()], { baseline: baseline([]), accepted: [accept()] }, "ok"],
    ["an accepted finding on its last day", [finished()], { failOn: "low", accepted: [accept({ until: "2026-11-22" })] }, "ok"],
    ["an accepted finding a day later", [finished()], { failOn: "low", accepted: [accept({ until: "2026-11-21" })] }, "policy"],
    ["expired and accepted anew", [finished()], { failOn: "low", accepted: [accept({ until: "2026-11-21" }), accept()] }, "ok"],
    ["accepted on another host", [finished()], { failOn: "low", accepted: [accept({ host: "other.example" })] }, "policy"],
    ["accepted, with a score under the limit", [finished()], { failUnder: 68, accepted: [accept()] }, "policy"],
    ["findings that become the baseline", [finished()], { failOn: "low", writesBaseline: true }, "ok"],
    ["a score under the limit beside a new baseline", [finished()], { failUnder: 68, writesBaseline: true }, "policy"],
  ] as [string, PolicyPage[], Partial<Policy>, string][])("%s", (_words, pages, policy, end) => {
    expect(endOf(pages, policy)).toBe(end as never);
  });

  test("a note violates no policy", () => {
    const { result } = finished();
    if (result === null) throw new Error("not finished");
    const noted = { ...finished(), result: { ...result, ledger: result.ledger.map((row) => ({ ...row, weight: 0 })) } };
    expect(endOf([noted], { failOn: "info" })).toBe("ok");
    expect(endOf([noted], { baseline: baseline([]) })).toBe("ok");
  });
});

describe("verdict", () => {
  test("marks accepted and new findings", () => {
    const accepted = [accept({ until: "2027-03-01" })];
    expect(verdict({ accepted, baseline: baseline([]) }).marks).toEqual(
      new Map([[code, { accepted: { reason: "known", until: "2027-03-01" }, inBaseline: false }]]),
    );
    expect(verdict({ baseline: baseline([code]) }).marks).toEqual(new Map([[code, { accepted: null, inBaseline: true }]]));
    expect(verdict({}).marks).toEqual(new Map([[code, { accepted: null, inBaseline: null }]]));
  });

  test("names what expired, with its entry", () => {
    const entry = accept({ until: "2026-11-21" });
    expect(verdict({ accepted: [entry] }).expired).toEqual([{ code, entry }]);
    expect(verdict({ accepted: [entry, accept()] }).expired).toEqual([]);
  });

  test("names what is fixed, unless its check has no verdict", () => {
    const unread = "security.unread.x";
    const page = finished();
    const ledger = [...(page.result?.ledger ?? []), { key: "unread-check", state: "notChecked", evidence: [] } as const];
    const withUnread = { ...page, result: page.result === null ? null : { ...page.result, ledger } };
    const held = baseline([code, other, unread, "security.gone.x"]);
    expect(verdict({ baseline: held }, withUnread).fixed).toEqual(["security.gone.x", other]);
    expect(verdict({ baseline: held }, failed("timeout")).fixed).toEqual([]);
  });

  test("names what the baseline could not know", () => {
    expect(verdict({ baseline: baseline([], [other]) })).toMatchObject({ beyondBaseline: [code], failing: [] });
    expect(verdict({ baseline: baseline([], [other]) }).marks.get(code)?.inBaseline).toBe("unknown");
    expect(verdict({ baseline: baseline([code], [other]) }).marks.get(code)?.inBaseline).toBe(true);
    expect(verdict({ baseline: baseline([], [code]) })).toMatchObject({ beyondBaseline: [], failing: [{ code }] });
  });
});

test("a new baseline leaves accepted findings out, and knows every code of the catalog", () => {
  const pages = [finished()];
  const written = (accepted: readonly AcceptEntry[]) =>
    baselineOf(
      pages,
      pages.map((page) => verdictOf(page, { ...noPolicy, accepted, today: "2026-11-22" }, checks)),
      checks,
    );
  expect(written([]).findings.get(url)).toEqual(new Set([code]));
  expect(written([accept()]).findings.get(url)).toEqual(new Set());
  expect(written([accept({ until: "2026-11-21" })]).findings.get(url)).toEqual(new Set([code]));
  expect([...written([]).knownCodes].sort()).toEqual([other, code, "security.unread.x"].sort());
});

test("an entry is unused only where its finding could have been seen", () => {
  const unused = (entry: AcceptEntry, page = finished()) => unusedEntries([entry], [page], checks).length === 1;
  expect(unused(accept())).toBe(false);
  expect(unused(accept({ code: other }))).toBe(true);
  expect(unused(accept({ host: "other.example" }))).toBe(true);
  expect(unused(accept({ code: other }), failed("timeout"))).toBe(false);
});
