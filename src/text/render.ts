/** Renders a stored scan as the API's result; the only place that defines its shape (specification, sections 2.2 and 2.3). */
import type { FindingTexts, State } from "../check/check.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import { isNote, type LedgerRow, type ResultBasis, type ScanDraft, type StoredFinding, type StoredResult } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import type { PageLocale, Texts, TextValues } from "./i18n.ts";
import { chargesOf, type HeldScore, heldScore, notMeasuredBecause } from "./ledger-rows.ts";
import { areDrafted, asksForDraft, draftedFixes } from "./servers/drafted.ts";
import { type FixedFinding, type ServerName, withServerLines } from "./servers/server-lines.ts";

export { bands, ranks } from "../judge/result.ts";

/** Rises when a field of the security result changes or is removed, but not for a new field. */
export const resultSchemaVersion = 1;

/** Part of a stored scan that rendering reads. */
export interface ReadableScan {
  readonly token: string;
  readonly url: string;
  /** Absent for the location of the server itself. */
  readonly location?: string | undefined;
  readonly status: "queued" | "running" | "finished" | "failed";
  /** Null unless running. */
  readonly progressStage: string | null;
  /** 0 to 100. */
  readonly progressPercent: number;
  /** Code of the failure; null for every other status. */
  readonly errorCode: string | null;
  /** Times at which retention removed data; ISO 8601, UTC. */
  readonly removed?: { readonly evidence?: string } | undefined;
}

export interface CheckSummary extends Readonly<Record<State, number>> {
  /** passed + violated */
  readonly ran: number;
  /** All four states together. */
  readonly total: number;
}

export type RenderedCheck = Pick<LedgerRow, "key" | "state"> & ReturnType<typeof textsOfCheck>;

export type RenderedFinding = Pick<StoredFinding, "code" | "severity" | "riskLevel" | "effort"> & FindingTexts;

export interface SecurityBlock extends Pick<StoredResult, "measured" | "score" | "band" | "rank"> {
  readonly dimension: "security";
  readonly checkSummary: CheckSummary | null;
  readonly checks: readonly RenderedCheck[] | null;
  readonly findings: readonly RenderedFinding[];
}

export interface SecurityResult extends Pick<ReadableScan, "token" | "url" | "status" | "progressStage" | "progressPercent"> {
  readonly schemaVersion: number;
  readonly resultAvailable: boolean;
  readonly scanErrorMessage: string | null;
  readonly security: SecurityBlock | null;
}

export interface FullReport<Evidence, Timings> extends SecurityResult {
  /** Location of the scan: `local` or another name. */
  readonly location: string;
  readonly algorithmVersion: number | null;
  readonly catalogVersion: string | null;
  /** Limits and dates of data files; null for results that store none. */
  readonly basis: ResultBasis | null;
  /** Reason of each `notChecked` row. */
  readonly notChecked: readonly { readonly key: string; readonly because: string }[] | null;
  /** Reason why a finished scan has no score, and what to scan instead, localised. */
  readonly notMeasuredBecause: string | null;
  /** Rows without a verdict that limit the score. */
  readonly heldScore: HeldScore | null;
  /** Absent without such rows. */
  readonly stillChanging?: readonly string[];
  /** Score with the header fields that the lines of the remediations set. Absent where it is not known. */
  readonly linesScore?: number;
  /** Policy of these lines, drafted from what the scan saw. Absent where it saw too little. */
  readonly policyDraft?: ScanDraft;
  /** Keys of violated rows that have no effect on the score. */
  readonly notes: readonly string[] | null;
  /** Charged points by key of the violated row. Null for results of algorithm version 2 and older. */
  readonly ledgerCharges: Readonly<Record<string, number>> | null;
  /** Weakness of the CWE list by finding code, as in `CWE-319`. Codes whose check names no weakness are left out. */
  readonly cwe: Readonly<Record<string, string>> | null;
  /** Readings and header fields (`headers.<name>`) behind the verdict, by ledger key. */
  readonly ledgerEvidence: Readonly<Record<string, readonly string[]>> | null;
  readonly timings: Timings | null;
  readonly evidence: Evidence | null;
  /** When retention removed evidence and screenshot; ISO 8601, UTC. */
  readonly evidenceRemovedAt: string | null;
}

/** Body of the security endpoint. `result` is null unless the scan is finished. `linesOf` is as in `withServerLines`. */
export function renderSecurityResult(
  scan: ReadableScan,
  result: StoredResult | null,
  locale: PageLocale,
  texts: Texts,
  linesOf: ServerName | null = null,
): SecurityResult {
  return {
    schemaVersion: resultSchemaVersion,
    token: scan.token,
    url: scan.url,
    status: scan.status,
    resultAvailable: result !== null,
    scanErrorMessage: scan.errorCode === null ? null : scanErrorMessage(scan.errorCode, scan.url, locale, texts),
    progressStage: scan.progressStage,
    progressPercent: scan.status === "finished" ? 100 : scan.progressPercent,
    security: securityBlock(scan, result, locale, texts, linesOf),
  };
}

/** Security result with stored evidence and timings. `linesOf` is as in `withServerLines`. */
export function renderFullReport<Evidence, Timings>(
  scan: ReadableScan,
  result: StoredResult | null,
  gathered: { readonly evidence: Evidence | null; readonly timings: Timings | null },
  locale: PageLocale,
  texts: Texts,
  linesOf: ServerName | null = null,
): FullReport<Evidence, Timings> {
  const notChecked = result?.ledger.filter(({ state }) => state === "notChecked");
  const stillChanging = result?.ledger.filter((row) => row.stillChanging).map(({ key }) => key) ?? [];
  return {
    ...renderSecurityResult(scan, result, locale, texts, linesOf),
    location: scan.location ?? localLocation,
    algorithmVersion: result?.algorithmVersion ?? null,
    catalogVersion: result?.catalogVersion ?? null,
    basis: result?.basis ?? null,
    notChecked: notChecked?.map(({ key, notCheckedBecause: because = "unknown" }) => ({ key, because })) ?? null,
    notMeasuredBecause: result === null ? null : notMeasuredBecause(result, locale, texts),
    heldScore: result === null ? null : heldScore(result, locale, texts),
    ...(stillChanging.length > 0 && { stillChanging }),
    ...(result?.lines !== undefined && { linesScore: result.lines.score }),
    ...(result?.draft !== undefined && isDraftUsed(result, texts) && { policyDraft: result.draft }),
    notes: result === null ? null : result.ledger.filter(isNote).map(({ key }) => key),
    ledgerCharges: result === null ? null : ledgerCharges(result),
    cwe: result === null ? null : weaknessesOf(result, texts),
    ledgerEvidence: result === null ? null : Object.fromEntries(result.ledger.map((row) => [row.key, row.evidence])),
    timings: gathered.timings,
    evidence: gathered.evidence,
    evidenceRemovedAt: scan.removed?.evidence ?? null,
  };
}

function weaknessesOf({ findings }: StoredResult, texts: Texts): Readonly<Record<string, string>> {
  return Object.fromEntries(
    findings.flatMap(({ code }) => {
      const cwe = texts.cweOf(code);
      return cwe === null ? [] : [[code, cwe]];
    }),
  );
}

function ledgerCharges(result: StoredResult): Readonly<Record<string, number>> | null {
  if (chargesOf(result) === null) return null;
  return Object.fromEntries(result.ledger.flatMap(({ key, charged }) => (charged === undefined ? [] : [[key, charged]])));
}

export function scanErrorMessage(code: string, url: string, locale: PageLocale, texts: Texts): string {
  const values = subjectValues(url);
  const paths = [
    ["scanErrors", code],
    ["pages", "evidence", "failures", code],
    ["scanErrors", "unknown"],
  ];
  return paths.map((path) => texts.translate(locale, path, values)).find((text) => text !== null) ?? code;
}

/** As `scanErrorMessage`. A proof is cancelled by its account, too. */
export function proofErrorMessage(code: string, url: string, locale: PageLocale, texts: Texts): string {
  const own = code === "cancelled" ? texts.translate(locale, ["proof", "cancelled"]) : null;
  return own ?? scanErrorMessage(code, url, locale, texts);
}

/** Why runs of a site measure nothing; null if that is not known. */
export function unmeasuredReason(
  { errorCode, leadsTo }: { readonly errorCode: string | null; readonly leadsTo?: string | undefined },
  url: string,
  locale: PageLocale,
  texts: Texts,
): string | null {
  if (errorCode !== null) return scanErrorMessage(errorCode, url, locale, texts);
  return leadsTo === undefined ? null : pageText(texts, locale, "sites.events.otherSite", { host: leadsTo });
}

/** Codes of scans that got no connection. */
const connectionFailures: readonly string[] = ["unresolved", "refused", "unreachable", "timeout"] satisfies ScanErrorCode[];

/** Whether the site was not reached at all. */
export function isConnectionFailure(errorCode: string | null): boolean {
  return errorCode !== null && connectionFailures.includes(errorCode);
}

/** What planned headers block, in words; the address of a page is in it. */
export function policyBlockText(
  { directive, url, kind }: { readonly directive: string; readonly url: string | null; readonly kind: string },
  locale: PageLocale,
  texts: Texts,
): string {
  return `${directive}: ${url ?? texts.translate(locale, ["proof", "kinds", kind]) ?? kind}`;
}

interface NamedPage {
  readonly url: string;
  readonly title: string;
  readonly asksPassword: boolean;
}

/** What differs between the known page of a site and the one that its address shows. */
export function pageChangeText({ from, to }: Readonly<Record<"from" | "to", NamedPage>>, locale: PageLocale, texts: Texts): string {
  const differing: readonly (readonly [name: string, values: TextValues] | false)[] = [
    from.title !== to.title && ["title", { from: from.title, to: to.title }],
    from.url !== to.url && ["url", { from: from.url, to: to.url }],
    to.asksPassword && !from.asksPassword && ["password", {}],
  ];
  return differing
    .flatMap((one) => (one === false ? [] : (pageText(texts, locale, `sites.events.otherPage.${one[0]}`, one[1]) ?? [])))
    .join(" ");
}

/** `path`: keys of a text of the pages, joined by dots. */
function pageText(texts: Texts, locale: PageLocale, path: string, values: TextValues): string | null {
  return texts.translate(locale, ["pages", ...path.split(".")], values);
}

/** Summary of a scan: unmeasured if it failed, null if unfinished. */
function securityBlock(
  { url, status }: ReadableScan,
  result: StoredResult | null,
  locale: PageLocale,
  texts: Texts,
  linesOf: ServerName | null,
): SecurityBlock | null {
  if (result === null) return status === "finished" || status === "failed" ? unmeasured : null;
  const { measured, score, band, rank, ledger, findings, draft } = result;
  const page = { url, draft };
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
      const { remediation, ...others } = textsOfFinding(finding, page, locale, texts);
      const { fixes, values } = fixedFinding(finding, page, texts);
      return { code, severity, riskLevel, effort, ...others, remediation: withServerLines(remediation, fixes, values, linesOf) };
    }),
  };
}

const unmeasured: SecurityBlock = {
  dimension: "security",
  measured: false,
  score: null,
  band: "unknown",
  rank: "unknown",
  checkSummary: null,
  checks: null,
  findings: [],
};

export function checkSummaryOf(ledger: StoredResult["ledger"]): CheckSummary {
  const count = (state: State) => ledger.filter((row) => row.state === state).length;
  const [passed, violated, notChecked, notApplicable] = [count("passed"), count("violated"), count("notChecked"), count("notApplicable")];
  return { passed, violated, notChecked, notApplicable, ran: passed + violated, total: passed + violated + notChecked + notApplicable };
}

/** Label and reason of a ledger row; generic texts for a removed check. */
export function textsOfCheck(key: string, locale: PageLocale, texts: Texts): { readonly label: string; readonly reason: string } {
  return {
    label: texts.translate(locale, ["checks", key, "label"]) ?? key,
    reason: texts.translate(locale, ["checks", key, "reason"]) ?? texts.translate(locale, ["retired", "reason"]) ?? key,
  };
}

/** Page of the findings, and the policy that the scan drafted for it. */
export interface FoundOn {
  readonly url: string;
  /** Absent without one. */
  readonly draft?: ScanDraft | undefined;
}

/** Fixes of a finding with the values that they quote, and with the policy of the draft. */
export function fixedFinding(
  { code, values }: Pick<StoredFinding, "code" | "values">,
  { url, draft }: FoundOn,
  texts: Pick<Texts, "fixesOf">,
): FixedFinding {
  return { code, fixes: draftedFixes(texts.fixesOf(code), draft ?? null), values: { ...values, ...subjectValues(url) } };
}

function isDraftUsed({ findings }: StoredResult, texts: Texts): boolean {
  return findings.some(({ code }) => asksForDraft(texts.fixesOf(code)));
}

/** What the draft of a scan would block, leaves open, and cannot know. The words of the page are not in it. */
export function draftSentences({ blocks, costs }: ScanDraft, locale: PageLocale, texts: Texts): readonly string[] {
  const say = (path: readonly string[], values: TextValues = {}) => texts.translate(locale, path, values) ?? path.join(".");
  const blocked = (["scripts", "handlers", "origins"] as const).filter((kind) => blocks[kind] > 0);
  return [
    say(["report", "draft", "seen"]),
    ...(blocked.length === 0 ? [say(["report", "draft", "blocksNothing"])] : []),
    ...blocked.map((kind) => say(["report", "draft", "blocks", kind], { count: blocks[kind] })),
    ...costs.map((cost) => say(["proof", "costs", cost])),
    say(["report", "draft", "enforce"]),
  ];
}

/** Texts of a finding; the remediation has no lines for servers. `quote` formats each value, host and URL included. */
export function textsOfFinding(
  { code, checkKey, values }: Pick<StoredFinding, "code" | "checkKey" | "values">,
  { url, draft }: FoundOn,
  locale: PageLocale,
  texts: Texts,
  quote: (value: string | number) => string | number = (value) => value,
): FindingTexts {
  const quotedValues = (raw: TextValues) => Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, quote(value)]));
  const subject = quotedValues(subjectValues(url));
  // The subject comes last, so that a value of a check cannot replace the scanned host.
  const filled = { ...valuesAddedLater, ...quotedValues(onOneLine(values)), ...subject };
  const text = (field: Exclude<keyof FindingTexts, "plain">) =>
    texts.translate(locale, ["checks", texts.checkDeclaring(code) ?? checkKey, "findings", code, field], filled) ??
    texts.translate(locale, ["retired", field], { key: checkKey, ...subject }) ??
    code;
  const drafted = draft !== undefined && areDrafted(texts.fixesOf(code)) ? draftSentences(draft, locale, texts) : [];
  const remediation = [text("remediation"), ...drafted].join(" ");
  return { title: text("title"), detail: text("detail"), riskStatement: text("riskStatement"), remediation };
}

/** Sentence for owners of sites. A plugin may have none: then its risk statement or title without quoted values, or else the code. */
export function plainSentence(texts: Texts, locale: PageLocale, { code, checkKey }: Pick<StoredFinding, "code" | "checkKey">): string {
  const own = texts.ofCheck(locale, texts.checkDeclaring(code) ?? checkKey)?.findings[code];
  return [own?.plain, own?.riskStatement, own?.title].find((text) => text !== undefined && !text.includes("{{")) ?? code;
}

/** Values that current texts quote, for findings stored before these values existed. */
const valuesAddedLater: TextValues = { listDate: "-" };

/** Users paste the lines of a remediation, so a site's text must not start a line. */
function onOneLine(values: TextValues): TextValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? value.replaceAll(lineBreaks, " ") : value]),
  );
}

const lineBreaks = /[\n\v\f\r\u0085\u2028\u2029]+/g;

/** Values available to every text. */
function subjectValues(url: string): { readonly host: string; readonly url: string } {
  return { host: hostOf(url) ?? url, url };
}
