/** Runs all checks and fills the ledger. Contains every common rule for `notChecked`. */
import { type Condition, chargeOf, type FindingCode, type FindingDefinition } from "../check/check.ts";
import type { AnyCheck } from "../check/registry.ts";
import { distinct, type FindingValues, type Verdict } from "../check/verdict.ts";
import { type Evidence, failed, headerLimitOf, isServerBusy, type Reading, type ReadingName } from "../evidence/evidence.ts";
import type { HeaderField } from "../evidence/http-facts.ts";
import { findingsPerCheckMax, findingValueCharsMax } from "../evidence/limits.ts";
import { strictestCompletion } from "../parse/csp.ts";
import { fieldsNamed, firstHttpsAnswer, isHtml, isHttps } from "../parse/header-fields.ts";
import {
  algorithmVersion,
  isServerBusyRow,
  type LedgerRow,
  type NotCheckedBecause,
  type ResultBasis,
  type StoredFinding,
  type StoredResult,
  standing,
} from "./result.ts";
import { remainingScore, scoreOf, unreadDefenceScoreMax } from "./score.ts";

// Limits and data files behind the verdicts of evidence.

export function basisOf({ subject, hstsPreload, scriptLibraries }: Evidence, plugins?: ResultBasis["plugins"]): ResultBasis {
  const dates: Readonly<Record<string, string | undefined>> = {
    hstsPreload: factsIn(hstsPreload)?.listDate,
    scriptLibraries: factsIn(scriptLibraries)?.advisoriesDate,
    publicSuffixes: subject.publicSuffixesDate,
  };
  const used = Object.entries(dates).flatMap(([name, date]) => (date === undefined ? [] : [[name, date] as const]));
  const basis = { headerValueCharsMax: headerLimitOf(subject), dataDates: Object.fromEntries(used) };
  return plugins === undefined ? basis : { ...basis, plugins };
}

/** Evidence from older versions lacks the readings that were added since. */
function factsIn<F>(reading: Reading<F> | undefined): F | null {
  return reading?.status === "read" ? reading.facts : null;
}

/** Callback for a check that broke its contract; judging continues without it. */
type OnCheckFault = (key: string, fault: string) => void;
/** Runs one check; an exception counts as a fault of the check. */
type CallCheck = (check: AnyCheck, evidence: Readonly<Record<string, unknown>>) => Verdict<FindingCode>;

/** Judges evidence with the checks of a catalog. Never throws: a failing check becomes a `notChecked` row. */
export function judgeEvidence(
  evidence: Evidence,
  catalog: { readonly checks: readonly AnyCheck[]; readonly version: string; readonly plugins?: ResultBasis["plugins"] },
  onFault: OnCheckFault,
  callCheck: CallCheck = (check, narrowed) => check.judge(narrowed),
): StoredResult {
  const judged = withReadPart(
    catalog.checks.map((check) => ({ check, ...judgeOne(check, evidence, onFault, callCheck) })),
    evidence,
    callCheck,
  );
  const findings = judged.flatMap((row) => row.findings);
  const score = scoreOf(
    judged.map(({ check, row }) => ({ ...row, weight: check.weight })),
    judged.flatMap(({ check, findings }) => findings.map((finding) => scoreCapOf(check, finding.code))),
    evidence.page.status === "read" && !judged.some(({ row }) => isServerBusyRow(row)),
  );
  return {
    algorithmVersion,
    catalogVersion: catalog.version,
    basis: basisOf(evidence, catalog.plugins),
    measured: score !== null,
    score,
    ...standing(score),
    ledger: judged.map(({ check, row }) => ({
      ...row,
      weight: check.weight,
      ...(isOfChangingPage(check, row, evidence) && { stillChanging: true }),
    })),
    findings,
  };
}

const policyHeader = "content-security-policy";

/**
 * An unread policy must not be better for the score than its visible part proves. The row of the policy gets the maximum that would hold
 * if the part that was cut off were as strict as possible. There is no finding, and no row gets a verdict.
 */
function withReadPart(judged: readonly JudgedCheck[], evidence: Evidence, callCheck: CallCheck): readonly JudgedCheck[] {
  const main = judged.find(({ check, row }) => check.key === policyHeader && row.notCheckedBecause === "header-truncated");
  if (main === undefined || evidence.page.status === "failed") return judged;
  const headers = evidence.page.facts.headers.map((field) =>
    field.truncated && field.name.toLowerCase() === policyHeader
      ? { ...field, value: strictestCompletion(field.value), truncated: false }
      : field,
  );
  const completed: Evidence = { ...evidence, page: { status: "read", facts: { ...evidence.page.facts, headers } } };
  const cut = judged.filter(({ row }) => row.notCheckedBecause === "header-truncated");
  const best = cut.map(({ check }) => ({ check, ...judgeOne(check, completed, () => {}, callCheck) }));
  const found = best.flatMap(({ findings }) => findings);
  if (found.length === 0) return judged;
  const charged = [...judged, ...best].reduce((sum, { row }) => sum + (row.charged ?? 0), 0);
  const caps = best.flatMap(({ check, findings }) => findings.map(({ code }) => scoreCapOf(check, code)));
  // A check on a single directive has its name, such as csp-base-uri.
  const directives = found.map(({ checkKey, values }) => String(values.directive ?? checkKey.replace("csp-", "")));
  const row: LedgerRow = {
    ...main.row,
    scoreMax: Math.min(unreadDefenceScoreMax, remainingScore(charged), ...caps),
    readDirectives: distinct(directives),
  };
  return judged.map((each) => (each === main ? { ...each, row } : each));
}

/** Readings of the document and of what it loads. */
const contentReadings: readonly ReadingName[] = ["dom", "markup", "requests", "scripts", "scriptLibraries"];

/** True for a verdict that a moment later could be another one, because the page was still changing. */
function isOfChangingPage({ reads }: AnyCheck, { state }: LedgerRow, { dom }: Evidence): boolean {
  return state !== "notChecked" && factsIn(dom)?.stillChanging === true && reads.some((name) => contentReadings.includes(name));
}

function scoreCapOf(check: AnyCheck, code: string): number {
  return definitionOf(check, code)?.scoreCap ?? 100;
}

function definitionOf({ findings }: AnyCheck, code: string): FindingDefinition | undefined {
  return findings[code as keyof typeof findings];
}

interface JudgedCheck extends Judged {
  readonly check: AnyCheck;
}

interface Judged {
  readonly row: LedgerRow;
  readonly findings: readonly StoredFinding[];
}

/** The order of the rules is part of the contract: conditions, failed readings, cut headers, then the check itself. */
function judgeOne(check: AnyCheck, evidence: Evidence, onFault: OnCheckFault, callCheck: CallCheck): Judged {
  const unmet = check.appliesTo?.find((condition) => !holds(condition, evidence));
  if (unmet !== undefined) return { row: { key: check.key, state: "notApplicable", evidence: [evidenceOfCondition[unmet]] }, findings: [] };

  for (const name of check.reads) {
    const reading = readingOf(evidence, name);
    if (reading.status === "failed") return notChecked(check, `${name}: ${reading.because}`);
  }
  // Another verdict than on an idle machine would be a fault of the appliance.
  const busy = check.consults?.find((name) => isServerBusy(readingOf(evidence, name)));
  if (busy !== undefined) return notChecked(check, `${busy}: server-busy`);

  const headers = declaredHeaders(check, evidence);
  if (typeof headers === "string") return notChecked(check, headers);

  const narrowed: Record<string, unknown> = { subject: evidence.subject, headers };
  for (const name of check.reads) narrowed[name] = (evidence[name] as { facts: unknown }).facts;
  for (const name of check.consults ?? []) narrowed[name] = readingOf(evidence, name);
  try {
    return accept(check, callCheck(check, narrowed));
  } catch (error) {
    onFault(check.key, error instanceof Error ? error.message : String(error));
    return notChecked(check, "check-failed");
  }
}

/** Evidence from older versions lacks the readings that were added since. */
function readingOf(evidence: Evidence, name: ReadingName): Evidence[ReadingName] {
  return evidence[name] ?? failed("not-asked");
}

const evidenceOfCondition: Readonly<Record<Condition, keyof Evidence>> = { https: "navigation", html: "page", "public-name": "subject" };

/** Only observed facts make a condition false: with a failed reading the condition holds. */
function holds(condition: Condition, { subject, navigation, page }: Evidence): boolean {
  switch (condition) {
    case "https":
      return navigation.status === "failed" || isHttps(navigation.facts.finalUrl);
    case "html":
      return page.status === "failed" || isHtml(page.facts.mediaType);
    case "public-name":
      return subject.registrableDomain !== null;
  }
}

function declaredHeaders(check: AnyCheck, evidence: Evidence): Record<string, readonly string[]> | NotCheckedBecause {
  const names = check.headers ?? [];
  if (names.length === 0) return {};
  const { page, navigation, subject } = evidence;
  if (navigation.status === "failed") return `navigation: ${navigation.because}`;
  const fromFirstHttps = check.headersFrom === "first-https";
  const errorAnswer = fromFirstHttps && page.status === "failed" ? navigation.facts.errorAnswer : undefined;
  const last = page.status === "read" ? page.facts : errorAnswer;
  if (last === undefined) return pageFailure(page);
  const answer = fromFirstHttps ? firstHttpsAnswer(subject, navigation.facts, last) : last;
  const values: Record<string, readonly string[]> = {};
  for (const name of names) {
    const fields: readonly HeaderField[] = answer === null ? [] : fieldsNamed(answer.headers, name);
    if (fields.some((field) => field.truncated)) return "header-truncated";
    if (fields.length === 0 && answer !== null && answer.headersDropped > 0) return "headers-dropped";
    // Many servers leave their own fields out of error pages, so that an absent field proves nothing.
    if (fields.length === 0 && answer !== null && answer === errorAnswer) return pageFailure(page);
    values[name] = fields.map((field) => field.value);
  }
  return values;
}

function pageFailure(page: Evidence["page"]): NotCheckedBecause {
  return `page: ${page.status === "failed" ? page.because : "not-asked"}`;
}

/** @throws Error if the verdict breaks the contract; plugins are not type-checked. */
function accept(check: AnyCheck, verdict: Verdict<FindingCode>): Judged {
  switch (verdict?.state) {
    case "passed":
    case "notApplicable":
      return withoutFindings(check, { state: verdict.state });
    case "notChecked":
      return notChecked(check, "check-undecided");
    case "violated":
      break;
    default:
      throw new Error(`judge returned ${JSON.stringify(verdict)} instead of a verdict`);
  }
  if (!Array.isArray(verdict.findings) || verdict.findings.length === 0) throw new Error("violated without a finding");
  const findings = verdict.findings.slice(0, findingsPerCheckMax).map(({ code, values }): StoredFinding => {
    // A plugin may return any code, including names that every object inherits.
    const definition = Object.hasOwn(check.findings, code) ? check.findings[code] : undefined;
    if (definition === undefined) throw new Error(`undeclared finding code ${JSON.stringify(code)}`);
    const { severity, riskLevel, effort } = definition;
    return { code, checkKey: check.key, severity, riskLevel, effort, values: bounded(values ?? {}) };
  });
  const charged = Math.max(...findings.map(({ code }) => chargeOf(check, definitionOf(check, code) ?? {})));
  return { row: { key: check.key, state: "violated", charged, evidence: evidenceOf(check) }, findings: distinctFindings(findings) };
}

/** Removes findings with equal code and values, as from a certificate that was sent twice. */
function distinctFindings(findings: readonly StoredFinding[]): readonly StoredFinding[] {
  const byText = new Map(findings.map((finding) => [JSON.stringify([finding.code, finding.values]), finding]));
  return [...byText.values()];
}

function bounded(values: FindingValues): FindingValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "number" ? value : String(value).slice(0, findingValueCharsMax)]),
  );
}

function notChecked(check: AnyCheck, because: NotCheckedBecause): Judged {
  return withoutFindings(check, { state: "notChecked", notCheckedBecause: because });
}

function withoutFindings(check: AnyCheck, row: Omit<LedgerRow, "key" | "evidence">): Judged {
  return { row: { key: check.key, ...row, evidence: evidenceOf(check) }, findings: [] };
}

function evidenceOf({ reads, consults = [], headers = [] }: AnyCheck): readonly string[] {
  return [...reads, ...consults, ...headers.map((name) => `headers.${name}`)];
}
