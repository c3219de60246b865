/** The ledger's rules for all checks: their order, the narrowing, and what becomes of a check that breaks its contract. */
import { describe, expect, test } from "vitest";
import type { AnyCheck } from "../../../src/check/registry.ts";
import { findingsPerCheckMax, findingValueCharsMax } from "../../../src/evidence/limits.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { answer, type EvidenceGiven, evidence } from "../../support/evidence.ts";

const code = "security.test.found" as const;

/** A check with a verdict of its own, which remembers what it was handed. */
function checkThat(part: Partial<AnyCheck>, seen: unknown[] = []): AnyCheck {
  return {
    key: "under-test",
    weight: 1,
    reads: ["page"],
    findings: { [code]: { severity: "high", riskLevel: "medium", effort: "low" } },
    judge: (given: unknown) => {
      seen.push(given);
      return { state: "passed" };
    },
    ...part,
  };
}

function judged(check: AnyCheck, given: EvidenceGiven = {}) {
  const faults: string[] = [];
  const result = judgeEvidence(evidence(given), { checks: [check], version: "v" }, (key, fault) => faults.push(`${key}: ${fault}`));
  return { row: result.ledger[0], findings: result.findings, faults, result };
}

describe("what the ledger settles before a check is asked", () => {
  test.each([
    ["https, on a page over http", "https", { url: "http://site.example/" }, "notApplicable"],
    ["https, on a page over https", "https", {}, "passed"],
    ["https, where the browser got nowhere", "https", { navigation: "timeout" }, "passed"],
    ["html, on a picture", "html", { page: { mediaType: "image/png" } }, "notApplicable"],
    ["html, on an answer without a type", "html", { page: { mediaType: null } }, "passed"],
    ["public-name, on an address", "public-name", { registrableDomain: null }, "notApplicable"],
  ] as const)("applies to %s", (_words, condition, given, state) => {
    const { row } = judged(checkThat({ reads: [], appliesTo: [condition] }), given as EvidenceGiven);
    expect(row?.state).toBe(state);
  });

  test("names what a verdict rests on", () => {
    const check = checkThat({ reads: ["page", "tls"], consults: ["dom"], headers: ["x-test"], appliesTo: ["https"] });
    expect(judged(check).row?.evidence).toEqual(["page", "tls", "dom", "headers.x-test"]);
    expect(judged(check, { tls: "refused" }).row?.evidence).toEqual(["page", "tls", "dom", "headers.x-test"]);
    expect(judged(check, { url: "http://site.example/" }).row?.evidence).toEqual(["navigation"]);
  });

  test("a failed reading is not checked, and says which and why", () => {
    const { row } = judged(checkThat({ reads: ["page", "tls"] }), { tls: "refused" });
    expect(row).toEqual({
      key: "under-test",
      state: "notChecked",
      evidence: ["page", "tls"],
      notCheckedBecause: "tls: refused",
      weight: 1,
    });
  });

  test("a check that does not apply is not asked for its readings", () => {
    const { row } = judged(checkThat({ reads: ["tls"], appliesTo: ["https"] }), { url: "http://site.example/", tls: "refused" });
    expect(row?.state).toBe("notApplicable");
  });

  test("a field left out because there were too many may have been the one", () => {
    const { row } = judged(checkThat({ headers: ["x-test"] }), { page: { headersDropped: 1 } });
    expect(row?.notCheckedBecause).toBe("headers-dropped");
  });

  test("a field that was kept is judged although others were left out", () => {
    const { row } = judged(checkThat({ headers: ["x-test"] }), { page: { headersDropped: 1 }, headers: { "X-Test": "1" } });
    expect(row?.state).toBe("passed");
  });
});

describe("what a check is handed", () => {
  test("only what it declared", () => {
    const seen: Record<string, unknown>[] = [];
    judged(checkThat({ reads: ["tls"], consults: ["dom"], headers: ["x-test"] }, seen), { headers: { "X-Test": ["1", "2"], server: "s" } });
    expect(Object.keys(seen[0] ?? {}).sort()).toEqual(["dom", "headers", "subject", "tls"]);
    expect(seen[0]?.headers).toEqual({ "x-test": ["1", "2"] });
  });

  test("a consulted reading with its failure", () => {
    const seen: Record<string, unknown>[] = [];
    judged(checkThat({ consults: ["dom"] }, seen), { dom: "timeout" });
    expect(seen[0]?.dom).toEqual({ status: "failed", because: "timeout" });
  });

  test("headers of the scanned host's first https answer where it asks for those", () => {
    const seen: Record<string, unknown>[] = [];
    const hop = (url: string, value: string) => ({ ...answer({ url, status: 301, headers: { "x-test": value } }), internal: false });
    judged(checkThat({ headers: ["x-test"], headersFrom: "first-https" }, seen), {
      headers: { "x-test": "final" },
      navigation: {
        finalUrl: "https://www.site.example/",
        hops: [hop("http://site.example/", "plain"), hop("https://site.example/", "first secure")],
      },
    });
    expect(seen[0]?.headers).toEqual({ "x-test": ["first secure"] });
  });
});

test("what is found twice in the same words is told once", () => {
  const found = (value: number) => ({ code, values: { value } });
  const { findings } = judged(checkThat({ judge: () => ({ state: "violated", findings: [found(1), found(2), found(1)] }) }));
  expect(findings.map(({ values }) => values)).toEqual([{ value: 1 }, { value: 2 }]);
});

describe("a check that breaks its contract", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["answers nothing", () => undefined],
    ["answers a promise", () => Promise.resolve({ state: "passed" })],
    ["violates without a finding", () => ({ state: "violated", findings: [] })],
    ["reports a code it never declared", () => ({ state: "violated", findings: [{ code: "security.other.code" }] })],
    ["reports an inherited name as a code", () => ({ state: "violated", findings: [{ code: "constructor" }] })],
  ] as [string, () => never][])("%s: not checked, and told by key", (_words, misjudge) => {
    const { row, findings, faults } = judged(checkThat({ judge: misjudge }));
    expect(row).toMatchObject({ state: "notChecked", notCheckedBecause: "check-failed" });
    expect(findings).toEqual([]);
    expect(faults).toHaveLength(1);
  });
});

test("findings carry their definition and bounded values", () => {
  const found = (number: number) => ({ code, values: { long: "x".repeat(10_000), number } });
  const many = Array.from({ length: findingsPerCheckMax + 5 }, (_, at) => found(at + 3));
  const check = checkThat({ judge: () => ({ state: "violated", findings: many }) });
  const { row, findings } = judged(check);
  expect(row?.state).toBe("violated");
  expect(findings).toHaveLength(findingsPerCheckMax);
  expect(findings[0]).toEqual({
    code,
    checkKey: "under-test",
    severity: "high",
    riskLevel: "medium",
    effort: "low",
    values: { long: "x".repeat(findingValueCharsMax), number: 3 },
  });
});

test("a finding's cap holds the score down", () => {
  const capped = checkThat({
    key: "capped",
    findings: { [code]: { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 } },
    judge: () => ({ state: "violated", findings: [{ code }] }),
  });
  const sound = checkThat({ key: "sound", weight: 10 });
  const result = judgeEvidence(evidence(), { checks: [capped, sound], version: "v" }, () => {});
  expect([result.score, result.band, result.rank]).toEqual([20, "poor", "critical"]);
});

test("a page that was not read is never measured", () => {
  const { result } = judged(checkThat({ reads: ["tls"] }), { page: "server-error" });
  expect([result.measured, result.score, result.band, result.rank]).toEqual([false, null, "unknown", "unknown"]);
});
