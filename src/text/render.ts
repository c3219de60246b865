/** Turns a stored scan into what the API answers: the only author of the result's shape (specification, sections 2.2 and 2.3). */
import type { Effort, FindingTexts, Locale, RiskLevel, Severity, State } from "../check/check.ts";
import type { Band, Rank } from "../judge/rank.ts";
import type { StoredFinding, StoredResult } from "../judge/result.ts";
import { hostOf } from "../parse/site.ts";
import type { Texts, TextValues } from "./i18n.ts";

export { bands, ranks } from "../judge/rank.ts";

/** Rises when a field of the security result changes its name, type or meaning, or goes; a new field does not raise it. */
export const resultSchemaVersion = 1;

/** What rendering needs of a stored scan. */
export interface ReadableScan {
  readonly token: string;
  readonly url: string;
  readonly status: "queued" | "running" | "finished" | "failed";
  /** Null when queued or over. */
  readonly progressStage: string | null;
  /** 0 to 100. */
  readonly progressPercent: number;
  /** Why the scan failed; null for every other status. */
  readonly errorCode: string | null;
}

export interface CheckSummary {
  readonly passed: number;
  readonly violated: number;
  readonly notChecked: number;
  readonly notApplicable: number;
  /** passed + violated */
  readonly ran: number;
  /** All four states together. */
  readonly total: number;
}

export interface RenderedCheck {
  readonly key: string;
  readonly state: State;
  readonly label: string;
  readonly reason: string;
}

export interface RenderedFinding {
  readonly code: string;
  readonly severity: Severity;
  readonly riskLevel: RiskLevel;
  readonly effort: Effort;
  readonly title: string;
  readonly detail: string;
  readonly riskStatement: string;
  readonly remediation: string;
}

export interface SecurityBlock {
  readonly dimension: "security";
  readonly measured: boolean;
  readonly score: number | null;
  readonly band: Band;
  readonly rank: Rank;
  readonly checkSummary: CheckSummary | null;
  readonly checks: readonly RenderedCheck[] | null;
  readonly findings: readonly RenderedFinding[];
}

export interface SecurityResult {
  readonly schemaVersion: number;
  readonly token: string;
  readonly url: string;
  readonly status: ReadableScan["status"];
  readonly resultAvailable: boolean;
  readonly scanErrorMessage: string | null;
  readonly progressStage: string | null;
  readonly progressPercent: number;
  readonly security: SecurityBlock | null;
}

export interface FullReport<Evidence, Timings> extends SecurityResult {
  readonly algorithmVersion: number | null;
  readonly catalogVersion: string | null;
  /** Why each `notChecked` row could not be run. */
  readonly notChecked: readonly { readonly key: string; readonly because: string }[] | null;
  /** By ledger key: what the row's verdict rests on, by name of reading and, as `headers.<name>`, of header field. */
  readonly ledgerEvidence: Readonly<Record<string, readonly string[]>> | null;
  readonly timings: Timings | null;
  readonly evidence: Evidence | null;
}

/** The body of the security endpoint. `result` is null unless the scan is finished. */
export function renderSecurityResult(scan: ReadableScan, result: StoredResult | null, locale: Locale, texts: Texts): SecurityResult {
  return {
    schemaVersion: resultSchemaVersion,
    token: scan.token,
    url: scan.url,
    status: scan.status,
    resultAvailable: result !== null,
    scanErrorMessage: scan.errorCode === null ? null : scanErrorMessage(scan.errorCode, scan.url, locale, texts),
    progressStage: scan.progressStage,
    progressPercent: scan.status === "finished" ? 100 : scan.progressPercent,
    security: securityBlock(scan, result, locale, texts),
  };
}

/** The security result with what it was judged from. Evidence and timings go out as they are stored. */
export function renderFullReport<Evidence, Timings>(
  scan: ReadableScan,
  result: StoredResult | null,
  seen: { readonly evidence: Evidence | null; readonly timings: Timings | null },
  locale: Locale,
  texts: Texts,
): FullReport<Evidence, Timings> {
  return {
    ...renderSecurityResult(scan, result, locale, texts),
    algorithmVersion: result?.algorithmVersion ?? null,
    catalogVersion: result?.catalogVersion ?? null,
    notChecked: result === null ? null : notCheckedRows(result),
    ledgerEvidence: result === null ? null : Object.fromEntries(result.ledger.map((row) => [row.key, row.evidence])),
    timings: seen.timings,
    evidence: seen.evidence,
  };
}

/** Why a scan failed, for the person who reads it. */
export function scanErrorMessage(code: string, url: string, locale: Locale, texts: Texts): string {
  const values = subjectValues(url);
  return texts.say(locale, ["scanErrors", code], values) ?? texts.say(locale, ["scanErrors", "unknown"], values) ?? code;
}

/** A failed scan has a block without a measurement; one that is not over has none. */
function securityBlock(scan: ReadableScan, result: StoredResult | null, locale: Locale, texts: Texts): SecurityBlock | null {
  if (result !== null) return measuredBlock(scan.url, result, locale, texts);
  if (scan.status !== "finished" && scan.status !== "failed") return null;
  return {
    dimension: "security",
    measured: false,
    score: null,
    band: "unknown",
    rank: "unknown",
    checkSummary: null,
    checks: null,
    findings: [],
  };
}

function measuredBlock(url: string, result: StoredResult, locale: Locale, texts: Texts): SecurityBlock {
  const { measured, score, band, rank, ledger, findings } = result;
  return {
    dimension: "security",
    measured,
    score,
    band,
    rank,
    checkSummary: checkSummaryOf(ledger),
    checks: ledger.map(({ key, state }) => ({ key, state, ...textsOfCheck(key, locale, texts) })),
    findings: findings.map((finding) => {
      const { code, severity, riskLevel, effort } = finding;
      return { code, severity, riskLevel, effort, ...textsOfFinding(finding, url, locale, texts) };
    }),
  };
}

export function checkSummaryOf(ledger: StoredResult["ledger"]): CheckSummary {
  const count = (state: State) => ledger.filter((row) => row.state === state).length;
  const [passed, violated, notChecked, notApplicable] = [count("passed"), count("violated"), count("notChecked"), count("notApplicable")];
  return { passed, violated, notChecked, notApplicable, ran: passed + violated, total: passed + violated + notChecked + notApplicable };
}

/** What a ledger row is called and why it is there; of a check that is gone, what is left to say. */
export function textsOfCheck(key: string, locale: Locale, texts: Texts): { readonly label: string; readonly reason: string } {
  return {
    label: texts.say(locale, ["checks", key, "label"]) ?? key,
    reason: texts.say(locale, ["checks", key, "reason"]) ?? texts.say(locale, ["retired", "reason"]) ?? key,
  };
}

/** The four texts of a finding at that URL. `quote` is asked for what to print of each value, the host's and the URL's too. */
export function textsOfFinding(
  { code, checkKey, values }: Pick<StoredFinding, "code" | "checkKey" | "values">,
  url: string,
  locale: Locale,
  texts: Texts,
  quote: (value: string | number) => string | number = (value) => value,
): FindingTexts {
  const quotedValues = (given: TextValues) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, quote(value)]));
  const subject = quotedValues(subjectValues(url));
  // The subject comes last: what a check quotes cannot pass for the scanned host.
  const filled = { ...quotedValues(onOneLine(values)), ...subject };
  const text = (field: keyof FindingTexts) =>
    texts.say(locale, ["checks", checkKey, "findings", code, field], filled) ??
    texts.say(locale, ["retired", field], { key: checkKey, ...subject }) ??
    code;
  return { title: text("title"), detail: text("detail"), riskStatement: text("riskStatement"), remediation: text("remediation") };
}

/** In a remediation each line after the first is one to paste: what a site wrote must not begin any. */
function onOneLine(values: TextValues): TextValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? value.replaceAll(lineBreaks, " ") : value]),
  );
}

const lineBreaks = /[\n\v\f\r\u0085\u2028\u2029]+/g;

function notCheckedRows({ ledger }: StoredResult): readonly { readonly key: string; readonly because: string }[] {
  return ledger.filter((row) => row.state === "notChecked").map((row) => ({ key: row.key, because: row.notCheckedBecause ?? "unknown" }));
}

/** What every text may quote besides a finding's own values. */
function subjectValues(url: string): { readonly host: string; readonly url: string } {
  return { host: hostOf(url) ?? url, url };
}
