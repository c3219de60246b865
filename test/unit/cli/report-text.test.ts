/** The report at a terminal: complete, worst first, in both languages, and without control characters of a site. */
import { describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { type ReportStyle, reportText } from "../../../src/cli/scan/report-text.ts";
import { evidenceWithoutErrorPage } from "../../../src/evidence/evidence.ts";
import { judgeEvidence } from "../../../src/judge/ledger.ts";
import { algorithmVersion } from "../../../src/judge/result.ts";
import type { FindingMark } from "../../../src/policy/finding-mark.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { renderFullReport } from "../../../src/text/render.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";
import { checksTexts, storedResult } from "../../support/stored.ts";

const texts = createTexts(checksTexts);
const scan = { token: "local", url: "https://site.example/", status: "finished", progressStage: null, progressPercent: 100 } as const;

function styled(given: Partial<ReportStyle> = {}): ReportStyle {
  return { locale: "en-gb", texts, colour: false, columns: 80, verbose: false, ...given };
}

function rendered(sent?: string, style = styled(), mark?: FindingMark): string {
  const stored = { ...scan, errorCode: null };
  const report = renderFullReport(stored, storedResult(sent), { evidence: null, timings: null }, style.locale, texts);
  return reportText(report, style, new Map(mark === undefined ? [] : [["security.sample.weak", mark]]));
}

describe("a finished scan", () => {
  test("has score, summary, findings and unchecked rows", () => {
    expect(rendered()).toBe(`https://site.example/

Medium  Weak sample
  security.sample.weak
  site.example sent max-age=1 at https://site.example/, and site.example again.
  What can happen: A risk.
  What to do:      Send more.
  Effort:          low

Not checked, neither good nor bad:
  sample-tls - sample-tls (tls: timeout)

  4 checks: 1 passed, 1 failed, 1 not checked, 1 not applicable
  Score 67 of 100: fair`);
  });

  test("counts notes apart from failed checks", () => {
    const result = storedResult();
    const ledger = result.ledger.map((row) => ({ ...row, weight: 0 }));
    const stored = { ...scan, errorCode: null };
    const report = renderFullReport(stored, { ...result, ledger }, { evidence: null, timings: null }, "en-gb", texts);
    expect(reportText(report, styled())).toContain(`
  4 checks: 1 passed, 0 failed, 1 not checked, 1 not applicable
  Notes without effect on the score: 1
`);
  });

  test("says that the page was still changing", () => {
    const ledger = storedResult().ledger.map((row) => ({ ...row, stillChanging: true as const }));
    const stored = { ...scan, errorCode: null };
    const report = renderFullReport(stored, { ...storedResult(), ledger }, { evidence: null, timings: null }, "en-gb", texts);
    expect(reportText(report, styled())).toContain(`
  The page was still changing when it was read, so this is about that moment.
`);
  });

  test("says what the lines are worth, once it is known", () => {
    const report = renderFullReport({ ...scan, errorCode: null }, storedResult(), { evidence: null, timings: null }, "en-gb", texts);
    expect(reportText(report, styled())).not.toContain("These lines");
    const lines = { score: 99, codes: ["security.sample-header.missing"] };
    const known = renderFullReport(
      { ...scan, errorCode: null },
      { ...storedResult(), lines },
      { evidence: null, timings: null },
      "en-gb",
      texts,
    );
    expect(reportText(known, styled())).toContain("\n  These lines: 67 -> 99 (header fields; all else as scanned)\n  Score 67");
  });

  test("is completely German on request", () => {
    const text = rendered(undefined, styled({ locale: "de-de" }));
    expect(text).toContain("67 von 100 Punkten: ordentlich");
    expect(text).toMatch(/Abhilfe: +Senden Sie more\./);
  });

  test.each([40, 64])("wraps its lines at %i columns of the terminal", (columns) => {
    const lines = rendered(undefined, styled({ columns })).split("\n");
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines).toContain(columns === 40 ? "  What to do: Send more." : "  What to do:      Send more.");
  });

  test("counts the checks of a reason in one line, and lists them with --verbose", () => {
    const report = renderFullReport({ ...scan, errorCode: null }, storedResult(), { evidence: null, timings: null }, "en-gb", texts);
    const notChecked = ["a", "b", "c", "d"].map((key) => ({ key, because: "page: sign-in-required" }));
    const sections = (verbose: boolean) => reportText({ ...report, notChecked }, styled({ columns: 1_000, verbose })).split("\n\n");
    const head = "Not checked, neither good nor bad:";
    expect(sections(false)).toContain(
      `${head}\n  4 checks: The server requires a sign-in (401) before it shows the page (page: sign-in-required)`,
    );
    const rows = notChecked.map(({ key, because }) => `  ${key} - ${key} (${because})`);
    expect(sections(true)).toContain([head, ...rows].join("\n"));
  });

  test.each([
    ["chosen", "Lines to paste are for Caddy."],
    ["guessed", "Lines to paste are for Caddy, which the response names; --lines chooses another server."],
    ["assumed", "Lines to paste are for Caddy, because the response names no server; --lines chooses another."],
  ] as const)("says that the server of its lines is %s", (because, line) => {
    const report = renderFullReport({ ...scan, errorCode: null }, storedResult(), { evidence: null, timings: null }, "en-gb", texts);
    expect(reportText(report, styled({ columns: 1_000 }), new Map(), { name: "caddy", because }).split("\n")[1]).toBe(`  ${line}`);
  });

  test("never wraps lines to paste", () => {
    const line = 'nginx: add_header X-Sample-Header-With-A-Long-Name "value" always;';
    const report = renderFullReport({ ...scan, errorCode: null }, storedResult(), { evidence: null, timings: null }, "en-gb", texts);
    const findings = report.security?.findings.map((finding) => ({ ...finding, remediation: `Send more.\n${line}\nDNS: a` })) ?? [];
    const security = report.security === null ? null : { ...report.security, findings };
    const lines = reportText({ ...report, security }, styled({ columns: 40 })).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["  What to do: Send more.", `    ${line}`, "    DNS: a"]));
  });

  test("is coloured only on request", () => {
    expect(rendered()).not.toContain("\x1b");
    expect(rendered(undefined, styled({ colour: true }))).toContain("\x1b[33mMedium\x1b[0m");
    expect(rendered(undefined, styled({ colour: true })).endsWith("\x1b[1;33m  Score 67 of 100: fair\x1b[0m")).toBe(true);
  });

  test.each([
    ["escape sequences", "\x1b]0;owned\x07"],
    ["C1 controls", "\u009b31m"],
    ["bidirectional control characters", "\u202ecod.exe"],
    ["new lines", "a\nb\r\nc"],
  ])("does not obey %s of a site", (_words, sent) => {
    const text = rendered(sent);
    expect([...text].filter((sign) => sign !== "\n" && /[\p{Cc}\p{Bidi_Control}]/u.test(sign))).toEqual([]);
    expect(text.split("\n").length).toBe(rendered().split("\n").length);
  });
});

test("a failed scan has only its reason", () => {
  const failed = { ...scan, status: "failed", errorCode: "refused" } as const;
  const report = renderFullReport(failed, null, { evidence: null, timings: null }, "en-gb", texts);
  expect(reportText(report, styled())).toBe("https://site.example/\n  site.example refused the connection.");
});

describe("a page that was not judged", () => {
  const resultOf = (given: EvidenceGiven) =>
    judgeEvidence(evidenceWithoutErrorPage(evidence(given)), { checks: builtInChecks, version: "v" }, () => {});
  const result = resultOf({ page: { status: 401 }, headers: { "www-authenticate": "Basic" } });

  test.each<[string, EvidenceGiven]>([
    ["no-content", { page: { status: 204 } }],
    ["no-location", { page: { status: 308 } }],
    ["download", { page: { mediaType: "application/pdf" } }],
  ])("%s is named as the reason", (because, given) => {
    const report = renderFullReport({ ...scan, errorCode: null }, resultOf(given), { evidence: null, timings: null }, "en-gb", texts);
    expect(report.security).toMatchObject({ measured: false, score: null });
    expect(report.notChecked).toContainEqual({ key: "content-security-policy", because: `page: ${because}` });
    expect(reportText(report, styled({ columns: 1_000 }))).toContain(
      "No score: the page itself could not be read. The server responded with",
    );
  });

  test.each([
    ["en-gb", "No score: the page itself could not be read. The server requires a sign-in (401)", "opens without a sign-in"],
    ["de-de", "Keine Punktzahl: Die Seite selbst konnte nicht gelesen werden. Der Server verlangt eine Anmeldung (401)", "ohne Anmeldung"],
  ])("says why and what to scan instead in %s", (locale, why, instead) => {
    const report = renderFullReport({ ...scan, errorCode: null }, result, { evidence: null, timings: null }, locale, texts);
    const text = reportText(report, styled({ locale, columns: 1_000 }));
    expect(text).toContain(why);
    expect(text).toContain(instead);
    expect(text.match(/page: sign-in-required/g)).toHaveLength(1);
    expect(report.notChecked).toContainEqual({ key: "content-security-policy", because: "page: sign-in-required" });
  });
});

test("a score that an unread main defence limits names the row and the remedy", () => {
  const row = { key: "sample-header", state: "notChecked", weight: 8, evidence: ["page"], notCheckedBecause: "header-truncated" } as const;
  const held = { ...storedResult(), algorithmVersion, score: 79, ledger: [row], findings: [] };
  const report = renderFullReport({ ...scan, errorCode: null }, held, { evidence: null, timings: null }, "en-gb", texts);
  expect(reportText(report, styled({ columns: 1_000 }))).toContain(
    `  The score is at most 79, because a main defence could not be checked:
    Sample header (header-truncated): Shorten the header, or`,
  );
});

describe("the policy of the caller marks a finding", () => {
  const accepted = { reason: "known\x1b[31m ::error::x", until: "2027-03-01" };
  test.each([
    ["en-gb", { accepted, inBaseline: false }, "Accepted until 2027-03-01: known?[31m ?error::x"],
    ["en-gb", { accepted: { ...accepted, until: null }, inBaseline: null }, "Accepted: known?[31m ?error::x"],
    ["en-gb", { accepted: null, inBaseline: false }, "New: the baseline does not hold it."],
    ["de-de", { accepted, inBaseline: true }, "Akzeptiert bis 2027-03-01: known?[31m ?error::x"],
    ["de-de", { accepted: null, inBaseline: false }, "Neu: nicht in der Baseline."],
  ])("%s %j", (locale, mark, line) => {
    const lines = rendered(undefined, styled({ locale }), mark).split("\n");
    expect(lines[lines.indexOf("  security.sample.weak") + 1]).toBe(`  ${line}`);
  });

  test("with nothing, if it is in the baseline", () => {
    expect(rendered(undefined, styled(), { accepted: null, inBaseline: true })).toBe(rendered());
  });
});
