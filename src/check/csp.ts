/** Collects a page's Content Security Policies from header and meta elements, and evaluates their combined effect. */
import type { Reading } from "../evidence/evidence.ts";
import type { DomFacts, MetaElement } from "../evidence/page-facts.ts";
import {
  allowsAllInline,
  beforeCutDirective,
  type CspDirective,
  type CspGoverning,
  type CspPolicy,
  directivesIgnoredInMeta,
  governing,
  governsFetches,
  hasKeyword,
  parseCsp,
  parseCspDirectives,
  restrictsAnything,
  sandboxes,
  serializedPolicies,
} from "../parse/csp.ts";
import type { FindingCode } from "./check.ts";
import { distinct, type Found, notApplicable, notChecked, type Verdict, violatedBy } from "./verdict.ts";

/** Declaration that the checks of a page's policies share: the evidence from which `enforcedCsp` reads them. */
export const cspCheck = { area: "csp", reads: ["page"], consults: ["dom"], headers: ["content-security-policy"] } as const;

export interface EnforcedCsp {
  /** Browsers enforce each policy separately: a request must be allowed by all. */
  readonly policies: readonly CspPolicy[];
  readonly idle: readonly CspPolicy[];
  /** False if an unread policy may exist. It could only add restrictions. */
  readonly complete: boolean;
}

/** Policies of the given Content-Security-Policy fields and of the document's meta elements. */
export function enforcedCsp(headerValues: readonly string[], dom: Reading<DomFacts>): EnforcedCsp {
  const metas = dom.status === "read" ? cspMetas(dom.facts) : [];
  const fromMeta = metas.filter((meta) => !meta.truncated).flatMap((meta) => policiesOfMeta(meta.content));
  const all = [...parseCsp(headerValues), ...fromMeta];
  return {
    policies: all.filter(restrictsAnything),
    idle: all.filter((policy) => !restrictsAnything(policy)),
    complete: dom.status === "read" && dom.facts.metasDropped === 0 && !metas.some((meta) => meta.truncated),
  };
}

/**
 * Verdict on the quality of a page's policies. Does not apply while no policy governs what the page loads; content-security-policy reports
 * that. Unread policies can only add restrictions: a pass is final, a violation is not. `faultsOf` is null without a relevant directive.
 */
export function verdictOnCsp<Code extends FindingCode>(
  headerValues: readonly string[],
  dom: Reading<DomFacts>,
  faultsOf: (policies: readonly CspPolicy[]) => readonly Found<Code>[] | null,
): Verdict<Code> {
  const { policies, complete } = enforcedCsp(headerValues, dom);
  const faults = policies.some(governsFetches) ? faultsOf(policies) : null;
  if (!complete && (faults === null || faults.length > 0)) return notChecked();
  return faults === null ? notApplicable() : violatedBy(faults);
}

/** Includes directives that browsers drop. Browsers disagree whether to split meta elements at commas, so this does not. */
export function writtenCsp(headerValues: readonly string[], dom: Reading<DomFacts>): readonly (readonly CspDirective[])[] {
  const inMeta = dom.status === "read" ? cspMetas(dom.facts) : [];
  const texts = inMeta.map(({ content, truncated }) => (truncated ? beforeCutDirective(content) : content));
  return [...serializedPolicies(headerValues), ...texts].map(parseCspDirectives).filter((directives) => directives.length > 0);
}

/** Meta elements with an enforced policy. Browsers ignore report-only policies in meta elements. */
export function cspMetas(dom: DomFacts): readonly MetaElement[] {
  return dom.metas.filter((meta) => meta.httpEquiv === "content-security-policy");
}

/** Governing directive of each policy. Policies without one allow everything and are left out. */
export function rulesOn(policies: readonly CspPolicy[], directive: string): readonly CspGoverning[] {
  return policies.flatMap((policy) => governing(policy, directive) ?? []);
}

export function ruleNames(rules: readonly CspGoverning[]): string {
  return distinct(rules.map(({ directive }) => directive));
}

/** Distinct directive names of the policies, as findings quote them. */
export function directiveNames(policies: readonly CspPolicy[]): string {
  return distinct(policies.flatMap((policy) => [...policy.keys()]));
}

/** True if the policy allows code from text, such as `eval()` (CSP3 section 4.4). */
export function allowsEval(policy: CspPolicy): boolean {
  if (sandboxes(policy, "allow-scripts")) return false;
  const rule = governing(policy, "script-src");
  return rule === null || hasKeyword(rule.sources, "unsafe-eval");
}

/** Elements and attributes such as event handlers. Null if one policy restricts both: code must pass every policy. */
export function openToAllInline(policies: readonly CspPolicy[], kind: "script" | "style"): string | null {
  const directives = [`${kind}-src-elem`, `${kind}-src-attr`];
  return directives.find((directive) => policies.every((policy) => allowsInline(policy, directive, kind))) ?? null;
}

function allowsInline(policy: CspPolicy, directive: string, kind: "script" | "style"): boolean {
  if (kind === "script" && sandboxes(policy, "allow-scripts")) return false;
  const rule = governing(policy, directive);
  return rule === null || allowsAllInline(rule.sources, kind);
}

/** Policies of a meta element's content, without directives that browsers drop there. */
function policiesOfMeta(content: string): readonly CspPolicy[] {
  return parseCsp([content])
    .map((policy) => new Map([...policy].filter(([name]) => !directivesIgnoredInMeta.includes(name))))
    .filter((policy) => policy.size > 0);
}
