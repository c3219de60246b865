/** An unread policy is never better for the score than its visible part proves. */
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { strictestCompletion } from "../../../src/parse/csp.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";

const padded = (start: string, chars: number) => start.padEnd(chars, "a");

/** Judges a page with this policy; a value beyond the limit is cut as by the probe. */
function judged(policy: string, given: EvidenceGiven = {}) {
  const whole = evidence({ ...given, headers: { ...given.headers, "content-security-policy": [policy] } });
  if (whole.page.status === "failed") throw new Error("the page is read");
  const headers = whole.page.facts.headers.map((field) => ({
    ...field,
    value: field.value.slice(0, headerValueCharsMax),
    truncated: field.value.length > headerValueCharsMax,
  }));
  const cut = { ...whole, page: { ...whole.page, facts: { ...whole.page.facts, headers } } };
  const result = judgeEvidence(cut, { checks: builtInChecks, version: "test" }, () => {});
  const rows = new Map(result.ledger.map((row) => [row.key, row]));
  return { ...result, main: rows.get("content-security-policy"), framing: rows.get("x-frame-options") };
}

const unsafe = "script-src 'unsafe-inline'; img-src https://";

describe("a policy of 513 characters", () => {
  test("is not better than the one of 512", () => {
    const [read, cut] = [judged(padded(unsafe, 512)), judged(padded(unsafe, 513))];
    expect([read.main?.state, cut.main?.state]).toEqual(["passed", "notChecked"]);
    expect(cut.main).toMatchObject({ readDirectives: "script-src" });
    expect(cut.score).toBeLessThan(79);
    expect(cut.score).toBe(cut.main?.scoreMax ?? null);
  });

  test("has no finding of its policy, and no row with a verdict on it", () => {
    const { findings, ledger } = judged(padded(unsafe, 513));
    const ofPolicy = ledger.filter(({ notCheckedBecause }) => notCheckedBecause === "header-truncated");
    expect(ofPolicy.length).toBeGreaterThan(5);
    expect(new Set(ofPolicy.map(({ state }) => state))).toEqual(new Set(["notChecked"]));
    expect(findings.filter(({ checkKey }) => ofPolicy.some(({ key }) => key === checkKey))).toEqual([]);
  });

  test("leaves the row on framing without a verdict", () => {
    const { framing } = judged(padded(unsafe, 513));
    expect(framing).toMatchObject({ state: "notChecked" });
    expect(framing?.scoreMax).toBeUndefined();
  });

  test.each([
    ["any host", "script-src https:; img-src https://"],
    ["eval", "script-src 'self' 'unsafe-eval'; img-src https://"],
    ["an open base", "script-src 'nonce-cmFuZG9tMQ'; base-uri *; img-src https://"],
    ["a host that anyone can rent", "default-src 'none'; script-src https://*.vercel.app; img-src https://"],
    ["in the first of equal directives", "script-src data:; script-src 'self'; img-src https://"],
  ])("limits the score by a complete directive: %s", (_words, start) => {
    const { main, score } = judged(padded(start, 600));
    expect(main?.scoreMax).toBeLessThan(80);
    expect(main?.readDirectives).not.toBe("");
    expect(score).toBeLessThanOrEqual(main?.scoreMax ?? 100);
  });

  test.each([
    ["a sound directive", "script-src 'self'; img-src https://"],
    ["a fallback that later text can replace", "default-src 'unsafe-inline' https:; img-src https://"],
    ["the directive that was cut itself", "img-src 'self'; script-src 'unsafe-inline' https://"],
    ["what only lacks a directive", "img-src 'self'; style-src https://"],
    ["a cut in a later policy, which may forbid everything", "script-src 'unsafe-inline', img-src https://"],
    ["one long directive", "script-src https://"],
  ])("keeps the maximum of an unread defence: %s", (_words, start) => {
    const { main } = judged(padded(start, 600));
    expect(main).toMatchObject({ state: "notChecked" });
    expect(main?.scoreMax).toBeUndefined();
  });
});

test("the strictest rest keeps what is complete, and repeats nothing", () => {
  const completed = strictestCompletion("script-src 'self'; object-src https://a.example; img-src https://");
  expect(completed).toMatch(/^script-src 'self'; object-src https:\/\/a\.example; base-uri 'none';/);
  expect(completed).toContain("; img-src 'none'");
  expect(completed.match(/script-src /g)).toHaveLength(1);
});
