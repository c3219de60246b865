/** The ledger's rules for all checks: their order, narrowed evidence, and checks that break the contract. */
import { describe, expect, test } from "vitest";
import type { AnyCheck } from "../../../src/check/registry.ts";
import { findingsPerCheckMax, findingValueCharsMax } from "../../../src/evidence/limits.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { answer, type EvidenceGiven, evidence } from "../../support/evidence.ts";

const code = "security.test.found" as const;

/** Check with a given verdict; records the evidence that it receives. */
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

describe("rules before a check is called", () => {
  test.each([
    ["https, on a page over http", "https", { url: "http://site.example/" }, "notApplicable"],
    ["https, on a page over https", "https", {}, "passed"],
    ["https, when the browser failed", "https", { navigation: "timeout" }, "passed"],
    ["html, on an image", "html", { page: { mediaType: "image/png" } }, "notApplicable"],
    ["html, on an answer without a type", "html", { page: { mediaType: null } }, "passed"],
    ["public-name, on an IP address", "public-name", { registrableDomain: null }, "notApplicable"],
  ] as const)("applies to %s", (_words, condition, given, state) => {
    const { row } = judged(checkThat({ reads: [], appliesTo: [condition] }), given as EvidenceGiven);
    expect(row?.state).toBe(state);
  });

  test("lists the evidence of a verdict", () => {
    const check = checkThat({ reads: ["page", "tls"], consults: ["dom"], headers: ["x-test"], appliesTo: ["https"] });
    expect(judged(check).row?.evidence).toEqual(["page", "tls", "dom", "headers.x-test"]);
    expect(judged(check, { tls: "refused" }).row?.evidence).toEqual(["page", "tls", "dom", "headers.x-test"]);
    expect(judged(check, { url: "http://site.example/" }).row?.evidence).toEqual(["navigation"]);
  });

  test.each([
    ["a row on its content", ["dom"], { stillChanging: true }, true],
    ["a row on its scripts", ["scripts"], { stillChanging: true }, true],
    ["not a row on its answer", ["page"], { stillChanging: true }, undefined],
    ["no row of a page at rest", ["dom"], {}, undefined],
  ] as const)("a page that was still changing is named in %s", (_words, reads, dom, expected) => {
    expect(judged(checkThat({ reads: [...reads] }), { dom }).row?.stillChanging).toBe(expected);
  });

  test("a row without a verdict says only why it has none", () => {
    const row = judged(checkThat({ reads: ["dom", "tls"] }), { dom: { stillChanging: true }, tls: "refused" }).row;
    expect(row).toMatchObject({ state: "notChecked" });
    expect(row?.stillChanging).toBeUndefined();
  });

  test("a failed reading gives notChecked with its name and reason", () => {
    const { row } = judged(checkThat({ reads: ["page", "tls"] }), { tls: "refused" });
    expect(row).toEqual({
      key: "under-test",
      state: "notChecked",
      evidence: ["page", "tls"],
      notCheckedBecause: "tls: refused",
      weight: 1,
    });
  });

  test("conditions precede failed readings", () => {
    const { row } = judged(checkThat({ reads: ["tls"], appliesTo: ["https"] }), { url: "http://site.example/", tls: "refused" });
    expect(row?.state).toBe("notApplicable");
  });

  test("notChecked if the field may be among the dropped ones", () => {
    const { row } = judged(checkThat({ headers: ["x-test"] }), { page: { headersDropped: 1 } });
    expect(row?.notCheckedBecause).toBe("headers-dropped");
  });

  test("a kept field is judged although others were dropped", () => {
    const { row } = judged(checkThat({ headers: ["x-test"] }), { page: { headersDropped: 1 }, headers: { "X-Test": "1" } });
    expect(row?.state).toBe("passed");
  });
});

describe("evidence that a check receives", () => {
  test("only declared evidence", () => {
    const seen: Record<string, unknown>[] = [];
    judged(checkThat({ reads: ["tls"], consults: ["dom"], headers: ["x-test"] }, seen), { headers: { "X-Test": ["1", "2"], server: "s" } });
    expect(Object.keys(seen[0] ?? {}).sort()).toEqual(["dom", "headers", "subject", "tls"]);
    expect(seen[0]?.headers).toEqual({ "x-test": ["1", "2"] });
  });

  test("consulted readings include failures", () => {
    const seen: Record<string, unknown>[] = [];
    judged(checkThat({ consults: ["dom"] }, seen), { dom: "timeout" });
    expect(seen[0]?.dom).toEqual({ status: "failed", because: "timeout" });
  });

  test("headers of the scanned host's first https answer, if declared", () => {
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

  test.each([
    [{ "x-test": "on the error page" }, "passed", undefined],
    [{}, "notChecked", "page: client-error"],
  ])("a header of an error page counts, but not its absence: %j", (headers, state, because) => {
    const { row } = judged(checkThat({ reads: ["navigation"], headers: ["x-test"], headersFrom: "first-https" }), {
      page: "client-error",
      navigation: { errorAnswer: answer({ url: "https://site.example/", status: 404, headers }) },
    });
    expect([row?.state, row?.notCheckedBecause]).toEqual([state, because]);
  });
});

test("equal findings are reported once", () => {
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
    ["returns a promise", () => Promise.resolve({ state: "passed" })],
    ["violates without a finding", () => ({ state: "violated", findings: [] })],
    ["returns an undeclared code", () => ({ state: "violated", findings: [{ code: "security.other.code" }] })],
    ["returns an inherited name as a code", () => ({ state: "violated", findings: [{ code: "constructor" }] })],
  ] as [string, () => never][])("%s: not checked, and reported with its key", (_words, misjudge) => {
    const { row, findings, faults } = judged(checkThat({ judge: misjudge }));
    expect(row).toMatchObject({ state: "notChecked", notCheckedBecause: "check-failed" });
    expect(findings).toEqual([]);
    expect(faults).toHaveLength(1);
  });
});

test("findings have their definition and bounded values", () => {
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

test("a finding's cap limits the score", () => {
  const capped = checkThat({
    key: "capped",
    findings: { [code]: { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 } },
    judge: () => ({ state: "violated", findings: [{ code }] }),
  });
  const sound = checkThat({ key: "sound", weight: 10 });
  const result = judgeEvidence(evidence(), { checks: [capped, sound], version: "v" }, () => {});
  expect([result.score, result.band, result.rank]).toEqual([20, "poor", "critical"]);
});

test("names the limit of header values and the dates of the data files that the scan used", () => {
  const basisOf = (given: EvidenceGiven) => judged(checkThat({}), given).result.basis;
  expect(basisOf({ hstsPreload: { listDate: "2026-06-01" }, scriptLibraries: { advisoriesDate: "2026-08-22" } })).toEqual({
    headerValueCharsMax: 512,
    dataDates: { hstsPreload: "2026-06-01", scriptLibraries: "2026-08-22" },
  });
  expect(basisOf({ hstsPreload: "crashed", scriptLibraries: "crashed" })).toEqual({ headerValueCharsMax: 512, dataDates: {} });
});

test("names no date for a reading that the evidence of an older version lacks", () => {
  const { hstsPreload: _later, ...older } = evidence();
  const { basis } = judgeEvidence(older as ReturnType<typeof evidence>, { checks: [checkThat({})], version: "v" }, () => {});
  expect(Object.keys(basis?.dataDates ?? {})).not.toContain("hstsPreload");
});

test("names the date of the operator's public suffix list", () => {
  const known = evidence();
  const dated = { ...known, subject: { ...known.subject, publicSuffixesDate: "2026-11-01" } };
  const { basis } = judgeEvidence(dated, { checks: [checkThat({})], version: "v" }, () => {});
  expect(basis?.dataDates).toMatchObject({ publicSuffixes: "2026-11-01" });
});

test("names the code of plugin checks", () => {
  const plugins = { own: "0123456789abcdef" };
  const { basis } = judgeEvidence(evidence(), { checks: [checkThat({})], version: "v", plugins }, () => {});
  expect(basis?.plugins).toEqual(plugins);
});

describe("a reading without processor time", () => {
  const others = checkThat({ key: "others", weight: 30 });
  const resultOf = (check: Parameters<typeof checkThat>[0], given: EvidenceGiven) =>
    judgeEvidence(evidence(given), { checks: [others, checkThat({ key: "asks", ...check })], version: "v" }, () => {});

  test.each<[string, Parameters<typeof checkThat>[0]]>([
    ["that a check reads", { reads: ["tls"] }],
    ["that a check consults", { consults: ["tls"] }],
    ["that a note reads", { reads: ["tls"], weight: 0 }],
  ])("%s leaves its row without a verdict, and the result without a score", (_words, check) => {
    const { ledger, ...result } = resultOf(check, { tls: "server-busy" });
    expect(ledger.map(({ state, notCheckedBecause }) => [state, notCheckedBecause])).toEqual([
      ["passed", undefined],
      ["notChecked", "tls: server-busy"],
    ]);
    expect([result.measured, result.score, result.band, result.rank]).toEqual([false, null, "unknown", "unknown"]);
  });

  test.each<[string, Parameters<typeof checkThat>[0], EvidenceGiven]>([
    ["that no check uses", {}, { tls: "server-busy" }],
    ["in place of which the site was silent", { reads: ["tls"], weight: 1 }, { tls: "timeout" }],
    ["in place of which the site was silent, where a check consults it", { consults: ["tls"] }, { tls: "timeout" }],
  ])("%s changes nothing", (_words, check, given) => {
    expect(resultOf(check, given)).toMatchObject({ measured: true, score: 100 });
  });
});

test("an unread page is never measured", () => {
  const { result } = judged(checkThat({ reads: ["tls"] }), { page: "server-error" });
  expect([result.measured, result.score, result.band, result.rank]).toEqual([false, null, "unknown", "unknown"]);
});
