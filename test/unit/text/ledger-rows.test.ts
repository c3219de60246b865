/** Order of findings and selection of the first steps. Texts for scans without a score, and for scores that unread rows limit. */
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { type Effort, type Severity, severities } from "../../../src/check/check.ts";
import { algorithmVersion, type LedgerRow, type NotCheckedBecause, type StoredResult } from "../../../src/judge/result.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import {
  type CostedFinding,
  codesInFixOrder,
  fixFirst,
  fixOrder,
  heldScore,
  inFixOrder,
  notMeasuredBecause,
} from "../../../src/text/ledger-rows.ts";
import { knownScans } from "../../support/finished-scans.ts";
import { checksTexts, storedResult } from "../../support/stored.ts";

function costed(
  checkKey: string,
  severity: Severity,
  effort: Effort,
  points: number | null,
  scoreCap: number | null = null,
): CostedFinding {
  const finding = { code: `security.sample.${checkKey}`, checkKey, severity, riskLevel: "low", effort, values: {} } as const;
  return { finding, points, scoreCap };
}

const keysOf = (findings: readonly CostedFinding[]) => findings.map(({ finding }) => finding.checkKey);

test("the worst severity comes first, then most points for the effort", () => {
  const rebuild = costed("rebuild", "high", "high", 8);
  const header = costed("header", "high", "low", 8);
  const cookie = costed("cookie", "medium", "low", 8);
  expect(keysOf(fixOrder([rebuild, cookie, header]))).toEqual(["header", "rebuild", "cookie"]);
});

test("among equal severities a lower cap comes first", () => {
  const heavy = costed("heavy", "critical", "low", 30);
  const findings = [heavy, costed("sixty", "critical", "high", 1, 60), costed("twenty", "critical", "high", 1, 20)];
  expect(keysOf(fixOrder(findings))).toEqual(["twenty", "sixty", "heavy"]);
});

test("a note comes last, whatever its severity, and is no step", () => {
  const ordered = fixOrder([costed("note", "medium", "low", 0), costed("header", "low", "high", 1)]);
  expect(keysOf(ordered)).toEqual(["header", "note"]);
  expect(keysOf(fixFirst(ordered))).toEqual(["header"]);
});

test("results without points are ordered by severity and effort", () => {
  const findings = [costed("mild", "low", "low", null), costed("slow", "critical", "high", null), costed("grave", "critical", "low", null)];
  expect(keysOf(fixOrder(findings))).toEqual(["grave", "slow", "mild"]);
});

test("findings known by code alone are ordered by the catalog, and those that left it by severity", () => {
  const [heavy, light] = ["heavy", "light"].map((key, at) => {
    const finding = { severity: "high", riskLevel: "low", effort: "low" } as const;
    return { key, weight: at === 0 ? 8 : 1, findings: { [`security.sample.${key}`]: finding } };
  });
  const known = (checkKey: string, severity: Severity) => ({ code: `security.sample.${checkKey}`, checkKey, severity });
  const findings = [known("gone", "low"), known("light", "high"), known("heavy", "high"), known("lost", "critical")];
  const checks = [heavy, light] as unknown as Parameters<typeof codesInFixOrder>[1];
  expect(codesInFixOrder(findings, checks).map(({ checkKey }) => checkKey)).toEqual(["lost", "heavy", "light", "gone"]);
});

test("the first steps are the first three of the order", () => {
  const ordered = fixOrder(["a", "b", "c", "d"].map((key) => costed(key, "low", "low", 1)));
  expect(keysOf(fixFirst(ordered))).toEqual(["a", "b", "c"]);
  expect(fixFirst([])).toEqual([]);
});

test("a stored result keeps its findings and gets them in order", () => {
  const { result } = knownScans.bare;
  const { findings, ...rest } = inFixOrder(result, builtInChecks);
  const { findings: before, ...restBefore } = result;
  expect(rest).toEqual(restBefore);
  expect(findings.map(({ code }) => code).sort()).toEqual(before.map(({ code }) => code).sort());
  const severitiesFound = findings.map(({ severity }) => severity);
  expect(severitiesFound).toEqual(severitiesFound.toSorted((one, other) => severities.indexOf(one) - severities.indexOf(other)));
});

const texts = createTexts(checksTexts);

function row(key: string, weight: number, notCheckedBecause: NotCheckedBecause): LedgerRow {
  return { key, state: "notChecked", weight, evidence: ["page"], notCheckedBecause };
}

function result(score: number | null, ...ledger: readonly LedgerRow[]): StoredResult {
  return { ...storedResult(), algorithmVersion, score, measured: score !== null, ledger };
}

describe("without a score", () => {
  test.each([
    ["en-gb", "page: client-error", "4xx", "the start page"],
    ["de-de", "page: client-error", "4xx", "die Startseite"],
    ["en-gb", "page: sign-in-required", "requires a sign-in", "opens without a sign-in"],
    ["de-de", "page: sign-in-required", "verlangt eine Anmeldung", "ohne Anmeldung \u00f6ffnet"],
    ["en-gb", "page: no-content", "204 or 205", "the start page"],
    ["de-de", "page: no-content", "204 oder 205", "die Startseite"],
    ["en-gb", "page: no-location", "names no address", "a Location header"],
    ["de-de", "page: no-location", "keine Adresse nennt", "einen Location-Header"],
    ["en-gb", "page: download", "a PDF or an attachment", "links to the file"],
    ["de-de", "page: download", "einem PDF oder einem Anhang", "auf die Datei verweist"],
    ["en-gb", "page: server-error", "5xx", "answers without an error"],
    ["en-gb", "page: tls-incompatible", "Browsers refuse", "TLS 1.2 or 1.3 with ECDHE"],
    ["de-de", "page: tls-incompatible", "Browser lehnen", "TLS 1.2 oder 1.3 mit ECDHE"],
    ["en-gb", "page: server-busy", "too little processor time", "Scan again once this appliance has less to do"],
    ["de-de", "page: server-busy", "zu wenig Rechenzeit", "sobald diese Installation weniger zu tun hat"],
    ["en-gb", "page: challenged", "bot defence", "allow this appliance"],
  ] as const)("in %s, %s: why and what to scan", (locale, because, why, instead) => {
    const text = notMeasuredBecause(result(null, row("a", 1, "tls: timeout"), row("b", 1, because)), locale, texts) ?? "";
    expect(text).toContain(why);
    expect(text).toContain(instead);
    expect(text).not.toContain("{{");
  });

  test("an unknown reason of a newer version is shown as it is", () => {
    expect(notMeasuredBecause(result(null, row("a", 1, "page: from-the-future")), "en-gb", texts)).toBe(
      `${enGb.report.pageNotRead} from-the-future`,
    );
  });

  test("an appliance without processor time is the reason, also where another reading than the page lacks", () => {
    const busy = result(null, row("a", 1, "page: timeout"), row("b", 0, "mailSpf: server-busy"));
    expect(notMeasuredBecause(busy, "en-gb", texts)).toContain(enGb.report.notAllRead);
    expect(notMeasuredBecause(busy, "de-de", texts)).toContain(deDe.report.notAllRead);
  });

  test("a page that was read had too few rows", () => {
    expect(notMeasuredBecause(result(null, row("a", 1, "tls: timeout")), "de-de", texts)).toBe(deDe.report.notMeasured);
  });

  test("a measured result needs no reason", () => {
    expect(notMeasuredBecause(result(50, row("a", 1, "tls: timeout")), "en-gb", texts)).toBeNull();
  });
});

describe("a score with unread rows", () => {
  test("is limited by the heavy ones, each with its remedy", () => {
    const unread = result(79, row("csp", 8, "header-truncated"), row("tls-x", 10, "tls: timeout"), row("light", 7, "header-truncated"));
    const held = heldScore(unread, "en-gb", texts);
    expect(held).toEqual({
      scoreMax: 79,
      rows: [
        { key: "csp", because: "header-truncated", remedy: enGb.report.remedies["header-truncated"] },
        { key: "tls-x", because: "tls: timeout", remedy: enGb.report.remedies.reading },
      ],
    });
    expect(heldScore(unread, "de-de", texts)?.rows[0]?.remedy).toContain("scan.header_chars_max");
  });

  test.each([
    ["no heavy row", result(90, row("light", 7, "header-truncated"))],
    ["no score", result(null, row("csp", 8, "header-truncated"))],
    ["rules without this limit", { ...result(95, row("csp", 8, "header-truncated")), algorithmVersion: 2 }],
  ])("is not limited with %s", (_words, unlimited) => {
    expect(heldScore(unlimited, "en-gb", texts)).toBeNull();
  });
});
