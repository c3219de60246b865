/** Lines on stderr about a policy: what fails the build, and what is worth knowing. */
import { describe, expect, test } from "vitest";
import type { CheckDefinition } from "../../../src/check/registry.ts";
import { policyFaults, policyNotes } from "../../../src/cli/scan/policy.ts";
import type { AcceptEntry } from "../../../src/policy/accept.ts";
import { noPolicy, type Policy, type PolicyPage, verdictOf } from "../../../src/policy/policy.ts";
import { storedResult } from "../../support/stored.ts";

const url = "https://site.example/";
const code = "security.sample.weak";
const other = "security.sample.other";
const checks = [{ key: "sample-header", findings: { [code]: {}, [other]: {} } }] as unknown as readonly CheckDefinition[];
const finished: PolicyPage = { url, result: storedResult(), errorCode: null };
const unmeasured: PolicyPage = { url, result: { ...storedResult(), score: null, measured: false }, errorCode: null };
const twice: PolicyPage = {
  ...finished,
  result: { ...storedResult(), findings: storedResult().findings.flatMap((finding) => [finding, finding]) },
};
const failed: PolicyPage = { url, result: null, errorCode: "timeout" };

function call(given: Partial<Policy>, pages: readonly PolicyPage[] = [finished], verbose = false) {
  const policy = { ...noPolicy, today: "2026-11-22", ...given };
  const verdicts = pages.map((page) => verdictOf(page, policy, checks));
  return { pages, verdicts, policy, checks, acceptFile: given.accepted === undefined ? null : "a.toml", verbose };
}

function accept(given: Partial<AcceptEntry> = {}): AcceptEntry {
  return { code, host: null, path: null, reason: "known", until: null, line: 3, ...given };
}

function baseline(codes: readonly string[], knownCodes: readonly string[] = [code, other]) {
  return { findings: new Map([[url, new Set(codes)]]), knownCodes: new Set(knownCodes) };
}

const expired = accept({ until: "2026-11-21" });

describe("faults", () => {
  test.each([
    ["none without a policy", call({}, [finished, failed, unmeasured]), []],
    ["findings", call({ failOn: "low" }), [`${url}: findings that are low or worse: 1 (--fail-on): ${code}`]],
    ["the number of several findings", call({ failOn: "low" }, [twice]), [`${url}: findings that are low or worse: 2 (--fail-on)`]],
    [
      "the codes of several findings on request",
      call({ failOn: "low" }, [twice], true),
      [`${url}: findings that are low or worse: 2 (--fail-on): ${code}, ${code}`],
    ],
    [
      "all of a page in one sentence",
      call({ failOn: "low", failUnder: 70 }),
      [`${url}: findings that are low or worse: 1 (--fail-on): ${code}; its score is 67, under 70 (--fail-under)`],
    ],
    ["new findings", call({ baseline: baseline([]) }), [`${url}: new findings: 1 (--baseline): ${code}`]],
    [
      "new findings of a severity",
      call({ baseline: baseline([]), failOn: "low" }),
      [`${url}: new findings that are low or worse: 1 (--baseline, --fail-on): ${code}`],
    ],
    ["a score", call({ failUnder: 70 }), [`${url}: its score is 67, under 70 (--fail-under)`]],
    ["no score", call({ failUnder: 70 }, [unmeasured]), [`${url}: its score is not measured, under 70 (--fail-under)`]],
    [
      "a gate that saw only a part",
      call({ failOn: "critical" }, [unmeasured, finished]),
      [`${url}: not measured, so --fail-on saw only part of the checks`],
    ],
    [
      "a page that must be measured",
      call({ needsMeasurement: true }, [unmeasured]),
      [`${url}: not measured, so it counts as not scannable`],
    ],
    ["an expired entry", call({ accepted: [expired] }), [`${url}: ${code} counts again, because it was accepted until 2026-11-21`]],
    ["no expired entry of a finding in the baseline", call({ accepted: [expired], baseline: baseline([code]) }), []],
    [
      "the entry that ended last",
      call({ accepted: [expired, accept({ until: "2025-01-01" })] }),
      [`${url}: ${code} counts again, because it was accepted until 2026-11-21`],
    ],
  ])("%s", (_words, given, lines) => expect(policyFaults(given)).toEqual(lines));
});

describe("notes", () => {
  const outdated = "the baseline is out of date; write it anew with --write-baseline";
  test.each([
    ["none without a policy", call({}), []],
    ["counts of accepted findings", call({ accepted: [accept()] }, [finished, finished]), ["2 accepted, 0 expired"]],
    ["counts of expired entries", call({ accepted: [expired] }), ["0 accepted, 1 expired"]],
    [
      "an unknown code",
      call({ accepted: [accept({ code: "security.sample.wek" })] }),
      ["0 accepted, 0 expired", `a.toml, line 3: no check reports "security.sample.wek"; did you mean ${code}?`],
    ],
    [
      "an entry without effect",
      call({ accepted: [accept({ code: other })] }),
      ["0 accepted, 0 expired", `a.toml, line 3: nothing to accept, ${other} was not found`],
    ],
    ["no entry of a page that failed", call({ accepted: [accept()] }, [failed]), ["0 accepted, 0 expired"]],
    ["what is fixed", call({ baseline: baseline([code, other]) }), [`${url}: fixed since the baseline: ${other}`, outdated]],
    [
      "what the baseline could not know",
      call({ baseline: baseline([], []) }),
      [`${url}: unknown when the baseline was written, so not counted: ${code}`, outdated],
    ],
    [
      "no advice while the baseline is written",
      call({ baseline: baseline([code, other]), writesBaseline: true }),
      [`${url}: fixed since the baseline: ${other}`],
    ],
  ])("%s", (_words, given, lines) => expect(policyNotes(given)).toEqual(lines));
});
