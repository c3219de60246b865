/** The check contract: a pure function from evidence to verdict, with key, weight, findings and (for plugins) texts. */
import { isObject } from "../base/is-object.ts";
import type { Reading, ReadingName, Subject } from "../evidence/evidence.ts";
import type { Facts } from "../evidence/facts.ts";
import type { Fix } from "./fix.ts";
import type { Verdict } from "./verdict.ts";

export const states = ["passed", "violated", "notChecked", "notApplicable"] as const;
export type State = (typeof states)[number];

/** Worst first. */
export const severities = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof severities)[number];

/** Comparator for sorting by severity, worst first. */
export function worstFirst(one: { readonly severity: Severity }, other: { readonly severity: Severity }): number {
  return severities.indexOf(one.severity) - severities.indexOf(other.severity);
}

export const riskLevels = ["high", "medium", "low"] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** Cost for the site's owner: `low` is a line of configuration, `medium` needs testing, `high` changes the application. */
export const efforts = ["low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

export const locales = ["en-gb", "de-de"] as const;
export type Locale = (typeof locales)[number];

/** Subject of a check, in display order. `own` is the default for plugins. */
export const areas = ["headers", "csp", "transport", "hsts", "cookies", "dns", "mail", "content", "disclosure", "own"] as const;
export type Area = (typeof areas)[number];
/** Written out in full at every use, so that one search finds check, texts and tests. */
export type FindingCode = `security.${string}.${string}`;

export interface FindingDefinition {
  readonly severity: Severity;
  readonly riskLevel: RiskLevel;
  readonly effort: Effort;
  /** Points that this finding charges, a whole number from 0 to 30; the weight of the check by default. */
  readonly weight?: number;
  /** Maximum score (0 to 100) while this finding exists. Meant for faults that outweigh everything else. */
  readonly scoreCap?: number;
  /** Number of the weakness in the CWE list (cwe.mitre.org) that fits best, such as 319. For reference; it has no effect on scores. */
  readonly cwe?: number;
}

/** Texts of a finding in one locale. A placeholder such as `{{value}}` quotes a value of the finding. */
export interface FindingTexts {
  /** The fact in a few words. */
  readonly title: string;
  /** Observation with the actual values. */
  readonly detail: string;
  /** Possible consequence, in one sentence for the site's owner. */
  readonly riskStatement: string;
  readonly remediation: string;
  /** What it means for owners and visitors of a site, in one sentence without technical terms and values. */
  readonly plain?: string;
}

export interface CheckTexts {
  readonly label: string;
  readonly reason: string;
  /** Measurement in one or two sentences: the data read, and the values that decide the verdict. */
  readonly method?: string;
  /** Cases in which the check does not apply; omitted if it always applies. */
  readonly notApplicable?: string;
  readonly findings: Readonly<Record<string, FindingTexts>>;
}

/**
 * Requirement for a check to apply; otherwise the ledger records `notApplicable` without calling it. `https`: the final page is served over
 * https. `html`: the final page is an HTML document. `public-name`: the host is a public DNS name, not an address, a single label or a
 * special-use name.
 */
export type Condition = "https" | "html" | "public-name";

/** `first-https`: the first https answer of the scanned host, from which browsers learn HSTS (RFC 6797 section 8.1). */
export type HeaderSource = "page" | "first-https";
/** Values of the declared headers by lower-case name, in order; an empty array if the field is absent. */
export type HeaderValues<Header extends string> = { readonly [H in Header]: readonly string[] };

/** Only the declared evidence: an undeclared dependency does not compile. */
export type EvidenceFor<Reads extends ReadingName, Consults extends ReadingName, Header extends string> = {
  readonly subject: Subject;
  readonly headers: HeaderValues<Header>;
} & { readonly [N in Reads]: Facts[N] } & { readonly [N in Consults]: Reading<Facts[N]> };

/** A check with the readings and headers that it declares; `registerCheck` infers the type parameters. */
export interface Check<
  Code extends FindingCode = FindingCode,
  Reads extends ReadingName = ReadingName,
  Consults extends ReadingName = ReadingName,
  Header extends string = string,
> {
  /** Ledger key; equals the file name. */
  readonly key: string;
  /** Points that a violation charges, from 1 (hygiene) to 10 (visitors are unsafe without it). 0 makes the check a note without effect on the score. */
  readonly weight: number;
  /** Grouping in reports; `own` by default. Does not affect verdicts. */
  readonly area?: Area;
  /** Sources of the rule, such as "RFC 6797 section 6.1". */
  readonly standards?: readonly string[];
  /** The check applies only if all conditions hold. */
  readonly appliesTo?: readonly Condition[];
  /** If one of these readings failed, the ledger records `notChecked` without calling the check. */
  readonly reads: readonly Reads[];
  /** Optional readings: the check receives failures too and decides itself. */
  readonly consults?: readonly Consults[];
  /** Lower case. If one of these was longer than the limit, the ledger records `notChecked` without calling the check. */
  readonly headers?: readonly Header[];
  /** Source of `headers`; `page` by default. Requires `page` or `navigation` in `reads`. */
  readonly headersFrom?: HeaderSource;
  readonly findings: { readonly [C in Code]: FindingDefinition };
  /** Steps that repair every finding, or steps by finding. Lines for each server are rendered from them. They have no effect on scores. */
  readonly fixes?: readonly Fix[] | { readonly [C in NoInfer<Code>]?: readonly Fix[] };
  /** Pure and synchronous. The current time is `subject.scannedAt`. Must not change its input or access the network. */
  judge(evidence: EvidenceFor<Reads, Consults, Header>): Verdict<NoInfer<Code>>;
  /** Only for plugins; texts of built-in checks are in `locales/`. */
  readonly texts?: Readonly<Record<Locale, CheckTexts>>;
}

/** Points that a finding charges. A note (weight 0) charges nothing, even if its findings declare weights. */
export function chargeOf({ weight }: Pick<Check, "weight">, finding: Pick<FindingDefinition, "weight">): number {
  return weight === 0 ? 0 : (finding.weight ?? weight);
}

export function areaOf({ area }: Pick<Check, "area">): Area {
  return area ?? "own";
}

/** Steps that repair each finding, by code. */
export function fixesByCode({ fixes = {}, findings }: Pick<Check, "fixes" | "findings">): Readonly<Record<string, readonly Fix[]>> {
  const byCode = isObject(fixes) ? fixes : Object.fromEntries(Object.keys(findings).map((code) => [code, fixes]));
  return byCode as Readonly<Record<string, readonly Fix[]>>;
}

const codePattern = /^security\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/;
const codeCharsMax = 128;

export function isFindingCode(text: string): text is FindingCode {
  return text.length <= codeCharsMax && codePattern.test(text);
}
