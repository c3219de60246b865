/** Rendered scans: every status, both locales, removed checks. */
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { scanErrorCodes } from "../../../src/evidence/scan.ts";
import type { StoredResult } from "../../../src/judge/result.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { type ReadableScan, renderFullReport, renderSecurityResult } from "../../../src/text/render.ts";
import { checksTexts, storedResult } from "../../support/stored.ts";

const texts = createTexts(checksTexts);
const finished: ReadableScan = {
  token: "abc",
  url: "https://site.example/path",
  status: "finished",
  progressStage: null,
  progressPercent: 97,
  errorCode: null,
};

describe("a finished scan", () => {
  const body = renderSecurityResult(finished, storedResult(), "en-gb", texts);

  test("has every field of the specification, in its order", () => {
    expect(Object.keys(body)).toEqual([
      "schemaVersion",
      "token",
      "url",
      "status",
      "resultAvailable",
      "scanErrorMessage",
      "progressStage",
      "progressPercent",
      "security",
    ]);
    expect(body).toMatchObject({
      schemaVersion: 1,
      token: "abc",
      url: "https://site.example/path",
      status: "finished",
      resultAvailable: true,
      scanErrorMessage: null,
      progressStage: null,
      progressPercent: 100,
    });
    expect(Object.keys(body.security ?? {})).toEqual([
      "dimension",
      "measured",
      "score",
      "band",
      "rank",
      "checkSummary",
      "checks",
      "findings",
    ]);
  });
  test("counts its ledger", () => {
    expect(body.security?.checkSummary).toEqual({ passed: 1, violated: 1, notChecked: 1, notApplicable: 1, ran: 2, total: 4 });
  });
  test("has label and reason of each row, and the key for a removed check", () => {
    expect(body.security?.checks).toEqual([
      { key: "gone-check", state: "notApplicable", label: "gone-check", reason: enGb.retired.reason },
      { key: "sample-cookie", state: "passed", label: "Sample cookie", reason: "Cookies are samples." },
      { key: "sample-header", state: "violated", label: "Sample header", reason: "It is a sample." },
      { key: "sample-tls", state: "notChecked", label: "sample-tls", reason: enGb.retired.reason },
    ]);
  });
  test("has a finding's four texts with host, url and values", () => {
    expect(body.security?.findings).toEqual([
      {
        code: "security.sample.weak",
        severity: "medium",
        riskLevel: "low",
        effort: "low",
        title: "Weak sample",
        detail: "site.example sent max-age=1 at https://site.example/path, and site.example again.",
        riskStatement: "A risk.",
        remediation: "Send more.",
      },
    ]);
  });
  test("keeps keys, codes and states in another locale", () => {
    const german = renderSecurityResult(finished, storedResult(), "de-de", texts);
    const stable = (block: typeof body.security) => ({
      checks: block?.checks?.map(({ key, state }) => [key, state]),
      findings: block?.findings.map(({ code, severity, riskLevel, effort }) => [code, severity, riskLevel, effort]),
      score: [block?.measured, block?.score, block?.band, block?.rank],
    });
    expect(stable(german.security)).toEqual(stable(body.security));
    expect(german.security?.findings[0]?.remediation).toBe("Senden Sie more.");
    expect(german.security?.checks?.[0]?.reason).toBe(deDe.retired.reason);
  });
  test("does not interpolate placeholders in values", () => {
    const sent = "{{host}} $t(retired/reason) {{wanted}}";
    const hostile = renderSecurityResult(finished, storedResult(sent), "en-gb", texts);
    expect(hostile.security?.findings[0]?.detail).toContain(`sent ${sent} at`);
  });
  test("has no line that starts with a value", () => {
    const hostile = renderSecurityResult(finished, storedResult("a\r\nnginx: root /;\u2028b"), "en-gb", texts);
    expect(hostile.security?.findings[0]?.detail).toContain("sent a nginx: root /; b at");
  });
  test("keeps a finding of a removed check", () => {
    const result = { ...storedResult(), findings: [{ ...storedResult().findings[0], code: "security.gone.weak", checkKey: "gone-check" }] };
    const [finding] = renderSecurityResult(finished, result, "en-gb", texts).security?.findings ?? [];
    expect(finding?.title).toBe("security.gone.weak");
    expect(finding?.detail).toBe(enGb.retired.detail.replace("{{key}}", "gone-check").replace("{{host}}", "site.example"));
    expect(finding?.riskStatement).toBe(enGb.retired.riskStatement);
    expect(finding?.remediation).toBe(enGb.retired.remediation);
  });
  test("has the texts of a finding whose code moved to another check", () => {
    const result = { ...storedResult(), findings: [{ ...storedResult().findings[0], checkKey: "earlier-check" }] };
    const [finding] = renderSecurityResult(finished, result, "en-gb", texts).security?.findings ?? [];
    expect(finding?.title).toBe("Weak sample");
  });
  test("without a measurement keeps its ledger", () => {
    const result = { ...storedResult(), measured: false, score: null, band: "unknown", rank: "unknown" } as const;
    const { security } = renderSecurityResult(finished, result, "en-gb", texts);
    expect(security).toMatchObject({ measured: false, score: null, band: "unknown", rank: "unknown" });
    expect(security?.checks).toHaveLength(4);
  });
});

describe("an unfinished scan", () => {
  test("queued", () => {
    const body = renderSecurityResult({ ...finished, status: "queued", progressPercent: 0 }, null, "en-gb", texts);
    expect(body).toMatchObject({ status: "queued", resultAvailable: false, progressStage: null, progressPercent: 0, security: null });
  });
  test("running", () => {
    const body = renderSecurityResult({ ...finished, status: "running", progressStage: "tls", progressPercent: 10 }, null, "en-gb", texts);
    expect(body).toMatchObject({ status: "running", progressStage: "tls", progressPercent: 10, security: null });
  });
});

describe("a failed scan", () => {
  const failed: ReadableScan = { ...finished, status: "failed", progressPercent: 5, errorCode: "refused" };

  test("has an empty block and the reason in the reader's locale", () => {
    const body = renderSecurityResult(failed, null, "de-de", texts);
    expect(body).toMatchObject({ status: "failed", resultAvailable: false, progressPercent: 5 });
    expect(body.scanErrorMessage).toBe("site.example hat die Verbindung abgelehnt.");
    expect(body.security).toEqual({
      dimension: "security",
      measured: false,
      score: null,
      band: "unknown",
      rank: "unknown",
      checkSummary: null,
      checks: null,
      findings: [],
    });
  });
  for (const locale of locales) {
    test(`every scan error has a text in ${locale}`, () => {
      const written = { "en-gb": enGb, "de-de": deDe }[locale].scanErrors;
      expect(Object.keys(written).sort()).toEqual([...scanErrorCodes, "unknown"].sort());
    });
  }
  test("with an unknown code has a generic text", () => {
    const body = renderSecurityResult({ ...failed, errorCode: "from-the-future" }, null, "en-gb", texts);
    expect(body.scanErrorMessage).toBe(enGb.scanErrors.unknown);
  });
});

describe("the full report", () => {
  const seen = { evidence: { page: "seen" }, timings: { page: 12 } };

  test("starts with the security result, byte for byte, and adds evidence", () => {
    const short = JSON.stringify(renderSecurityResult(finished, storedResult(), "de-de", texts));
    const long = JSON.stringify(renderFullReport(finished, storedResult(), seen, "de-de", texts));
    expect(long.startsWith(`${short.slice(0, -1)},`)).toBe(true);
    expect(JSON.parse(long)).toMatchObject({ ...seen, algorithmVersion: 1, catalogVersion: "0123456789abcdef" });
  });
  test("has the reason of each unchecked row", () => {
    expect(renderFullReport(finished, storedResult(), seen, "en-gb", texts).notChecked).toEqual([
      { key: "sample-tls", because: "tls: timeout" },
    ]);
  });
  test("names the weakness of each finding that has one", () => {
    const [found] = storedResult().findings;
    const code = found?.code ?? "";
    const weak = [{ findings: { [code]: { severity: "low", riskLevel: "low", effort: "low", cwe: 319 } } }] as const;
    const report = renderFullReport(finished, storedResult(), seen, "en-gb", createTexts(checksTexts, weak));
    expect(report.cwe).toEqual({ [code]: "CWE-319" });
    expect(renderFullReport(finished, storedResult(), seen, "en-gb", texts).cwe).toEqual({});
  });
  test("names the evidence of each row", () => {
    expect(renderFullReport(finished, storedResult(), seen, "en-gb", texts).ledgerEvidence).toEqual({
      "gone-check": ["navigation"],
      "sample-cookie": ["page"],
      "sample-header": ["page", "headers.x-sample"],
      "sample-tls": ["tls"],
    });
  });
  test("names notes, charges and the basis", () => {
    const older = renderFullReport(finished, storedResult(), seen, "en-gb", texts);
    expect(older).toMatchObject({ notes: [], ledgerCharges: null, basis: null });
    const basis = { headerValueCharsMax: 512, dataDates: { hstsPreload: "2026-06-01" } };
    const ledger = storedResult().ledger.map((row) =>
      row.state === "violated" ? { ...row, weight: 0, charged: 0 } : { ...row, weight: 5 },
    );
    const result = { ...storedResult(), algorithmVersion: 3, basis, ledger };
    expect(renderFullReport(finished, result, seen, "en-gb", texts)).toMatchObject({
      notes: ["sample-header"],
      ledgerCharges: { "sample-header": 0 },
      basis,
      security: { checkSummary: { violated: 1, ran: 2 } },
    });
  });
  test("names rows on a page that was still changing", () => {
    const ledger = storedResult().ledger.map((row) => (row.key === "sample-cookie" ? { ...row, stillChanging: true as const } : row));
    const named = (result: StoredResult) => renderFullReport(finished, result, seen, "en-gb", texts).stillChanging;
    expect(named({ ...storedResult(), ledger })).toEqual(["sample-cookie"]);
    expect(named(storedResult())).toBeUndefined();
  });
  test("of an unfinished scan adds nothing", () => {
    const report = renderFullReport({ ...finished, status: "queued" }, null, { evidence: null, timings: null }, "en-gb", texts);
    expect(report).toMatchObject({ security: null, evidence: null, timings: null, notChecked: null, algorithmVersion: null });
  });
});
