/** The check contract: one pure function from evidence to verdict, with its key, weight, findings and, beside the binary, its texts. */
import type { Reading, ReadingName, Subject } from "../evidence/evidence.ts";
import type { Facts } from "../evidence/facts.ts";
import type { Verdict } from "./verdict.ts";

export const states = ["passed", "violated", "notChecked", "notApplicable"] as const;
export type State = (typeof states)[number];

/** From worst to mildest. */
export const severities = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof severities)[number];

/** For sorting by severity. */
export function worstFirst(one: { readonly severity: Severity }, other: { readonly severity: Severity }): number {
  return severities.indexOf(one.severity) - severities.indexOf(other.severity);
}

/** How much harm is likely: the finding in the hands of somebody who wants to do harm. */
export const riskLevels = ["high", "medium", "low"] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** What it costs the site's owner: `low` is a line of configuration, `medium` needs testing, `high` needs changes to the application. */
export const efforts = ["low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

export const locales = ["en-gb", "de-de"] as const;
export type Locale = (typeof locales)[number];

/** What a check is about, in the order in which readers see them. `own`: files beside the binary that name none of the others. */
export const areas = ["headers", "csp", "transport", "hsts", "cookies", "dns", "mail", "content", "disclosure", "own"] as const;
export type Area = (typeof areas)[number];

/** Written out in full wherever it is used, so that one search finds check, texts and tests. */
export type FindingCode = `security.${string}.${string}`;

export interface FindingDefinition {
  readonly severity: Severity;
  readonly riskLevel: RiskLevel;
  readonly effort: Effort;
  /** While this finding stands, the score is at most this, 0 to 100. For what makes every other merit worthless. */
  readonly scoreCap?: number;
}

export interface FindingTexts {
  /** The fact, in a few words. */
  readonly title: string;
  /** What was found, with the actual values. */
  readonly detail: string;
  /** What can happen, in a sentence that a site's owner understands. */
  readonly riskStatement: string;
  /** What to do. */
  readonly remediation: string;
}

export interface CheckTexts {
  readonly label: string;
  /** Why it is checked. */
  readonly reason: string;
  /** How it is measured, in a sentence or two: what is asked or read, and the values at which the verdict turns. */
  readonly method?: string;
  /** When there is nothing to say about a site; left out where the check always applies. */
  readonly notApplicable?: string;
  readonly findings: Readonly<Record<string, FindingTexts>>;
}

/**
 * What must be true of a site before a check has anything to say; otherwise the ledger says `notApplicable` without asking.
 * `https`: the final page is served over https. `html`: the final page is an HTML document.
 * `public-name`: the host is a name in the public DNS, not an address, a single label or a special-use name.
 */
export type Condition = "https" | "html" | "public-name";

/**
 * Which answer the declared headers are taken from. `page`: the answer that the final page came with. `first-https`: the first
 * https answer of the scanned host, which is where RFC 6797 has a browser learn HSTS.
 */
export type HeaderSource = "page" | "first-https";

/** Values of the declared headers, by lower-case name, in order; an empty array when the field is absent. */
export type HeaderValues<Header extends string> = { readonly [H in Header]: readonly string[] };

/** Exactly what a check declared, and nothing else: an undeclared dependency cannot be read. */
export type EvidenceFor<Reads extends ReadingName, Consults extends ReadingName, Header extends string> = {
  readonly subject: Subject;
  readonly headers: HeaderValues<Header>;
} & { readonly [N in Reads]: Facts[N] } & { readonly [N in Consults]: Reading<Facts[N]> };

export interface Check<
  Code extends FindingCode = FindingCode,
  Reads extends ReadingName = ReadingName,
  Consults extends ReadingName = ReadingName,
  Header extends string = string,
> {
  /** Ledger key; equals the file name. */
  readonly key: string;
  /** Share of the score: 1 hygiene ... 10 the visitor is unsafe without it. */
  readonly weight: number;
  /** Where readers find it; `own` when left out. No verdict depends on it. */
  readonly area?: Area;
  /** What the rule rests on, as "RFC 6797 section 6.1". */
  readonly standards?: readonly string[];
  /** Without these the check does not apply. */
  readonly appliesTo?: readonly Condition[];
  /** If one of these readings failed, the ledger says `notChecked` without asking. */
  readonly reads: readonly Reads[];
  /** Readings that may help; the check gets them with their reason for failure and decides itself. */
  readonly consults?: readonly Consults[];
  /** Lower case. If one of these was longer than the limit, the ledger says `notChecked` without asking. */
  readonly headers?: readonly Header[];
  /** Where `headers` come from; `page` when left out. Needs `page` or `navigation` among `reads`. */
  readonly headersFrom?: HeaderSource;
  readonly findings: { readonly [C in Code]: FindingDefinition };
  /** Pure. "Now" is `subject.scannedAt`. May not mutate, wait or reach out. */
  judge(evidence: EvidenceFor<Reads, Consults, Header>): Verdict<NoInfer<Code>>;
  /** Only for files beside the binary; texts of built-in checks live in `locales/`. */
  readonly texts?: Readonly<Record<Locale, CheckTexts>>;
}

/** Where readers find a check. */
export function areaOf({ area }: Pick<Check, "area">): Area {
  return area ?? "own";
}
