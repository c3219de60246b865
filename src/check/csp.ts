/** Gathers the Content Security Policies of a page from its header fields and its meta elements, and judges what all of them let through. */
import type { Reading } from "../evidence/evidence.ts";
import type { DomFacts, MetaElement } from "../evidence/facts.ts";
import {
  type CspDirective,
  type CspGoverning,
  type CspPolicy,
  directivesIgnoredInMeta,
  governing,
  parseCsp,
  parseCspDirectives,
  restrictsAnything,
  sandboxes,
  serializedPolicies,
} from "../parse/csp.ts";
import { allowsAllInline, hasKeyword } from "../parse/csp-source.ts";
import type { FindingCode } from "./check.ts";
import { type Found, notApplicable, notChecked, type Verdict, violatedBy } from "./verdict.ts";
import { distinct } from "./words.ts";

export interface EnforcedCsp {
  /** Each is enforced for itself: what a page may do must be allowed by all of them. */
  readonly policies: readonly CspPolicy[];
  /** Those without a directive that restricts anything. */
  readonly idle: readonly CspPolicy[];
  /** False when there may be a policy that could not be read. It could only forbid more than the known ones. */
  readonly complete: boolean;
}

/** Policies of the given Content-Security-Policy fields and of the document's meta elements. */
export function enforcedCsp(headerValues: readonly string[], dom: Reading<DomFacts>): EnforcedCsp {
  const metas = dom.status === "read" ? cspMetas(dom.facts) : [];
  const fromMeta = metas.filter((meta) => !meta.truncated).flatMap((meta) => honouredInMeta(meta.content));
  const all = [...parseCsp(headerValues), ...fromMeta];
  return {
    policies: all.filter(restrictsAnything),
    idle: all.filter((policy) => !restrictsAnything(policy)),
    complete: dom.status === "read" && dom.facts.metasDropped === 0 && !metas.some((meta) => meta.truncated),
  };
}

/**
 * The verdict on what the policies in force let through; without a policy there is nothing to say. Policies that could not be read
 * can only forbid more, so that a pass stands without them and a violation does not. `faultsOf` answers null where the policies
 * hold nothing that the check speaks of.
 */
export function verdictOnCsp<Code extends FindingCode>(
  headerValues: readonly string[],
  dom: Reading<DomFacts>,
  faultsOf: (policies: readonly CspPolicy[]) => readonly Found<Code>[] | null,
): Verdict<Code> {
  const { policies, complete } = enforcedCsp(headerValues, dom);
  const faults = policies.length === 0 ? null : faultsOf(policies);
  if (!complete && (faults === null || faults.length > 0)) return notChecked();
  return faults === null ? notApplicable() : violatedBy(faults);
}

/**
 * The directives of every policy as written, those included that a browser drops; of a cut one, the whole ones. A comma in a meta
 * element is left where it stands: browsers disagree about it.
 */
export function writtenCsp(headerValues: readonly string[], dom: Reading<DomFacts>): readonly (readonly CspDirective[])[] {
  const inMeta = dom.status === "read" ? cspMetas(dom.facts) : [];
  const texts = inMeta.map(({ content, truncated }) => (truncated ? content.slice(0, content.lastIndexOf(";") + 1) : content));
  return [...serializedPolicies(headerValues), ...texts].map(parseCspDirectives).filter((directives) => directives.length > 0);
}

/** The meta elements that deliver a policy. A report-only one is none: browsers do not honour it. */
export function cspMetas(dom: DomFacts): readonly MetaElement[] {
  return dom.metas.filter((meta) => meta.httpEquiv === "content-security-policy");
}

/** What each of the policies has to say on the matter of that directive; a policy that says nothing, and so lets everything pass, is left out. */
export function rulesOn(policies: readonly CspPolicy[], directive: string): readonly CspGoverning[] {
  return policies.flatMap((policy) => governing(policy, directive) ?? []);
}

/** The directives that hold those rules, without repetition, as a finding quotes them. */
export function ruleNames(rules: readonly CspGoverning[]): string {
  return distinct(rules.map(({ directive }) => directive));
}

/** Names of all directives of the policies, without repetition, as a finding quotes them. */
export function directiveNames(policies: readonly CspPolicy[]): string {
  return distinct(policies.flatMap((policy) => [...policy.keys()]));
}

/** Does the policy let code run that is made from text: `eval()` and its kin? CSP3 section 4.4. */
export function allowsEval(policy: CspPolicy): boolean {
  if (sandboxes(policy, "allow-scripts")) return false;
  const rule = governing(policy, "script-src");
  return rule === null || hasKeyword(rule.sources, "unsafe-eval");
}

/**
 * The directive by which all inline code of that kind gets in, in an element or else in an attribute (an event handler, for a script);
 * a policy may rule them apart. Null when neither gets in: code must pass every policy, so that one which stops it is enough.
 */
export function openToAllInline(policies: readonly CspPolicy[], what: "script" | "style"): string | null {
  const directives = [`${what}-src-elem`, `${what}-src-attr`];
  return directives.find((directive) => policies.every((policy) => allowsInline(policy, directive, what))) ?? null;
}

function allowsInline(policy: CspPolicy, directive: string, what: "script" | "style"): boolean {
  if (what === "script" && sandboxes(policy, "allow-scripts")) return false;
  const rule = governing(policy, directive);
  return rule === null || allowsAllInline(rule.sources, what);
}

/** The policies of a meta element's content, without what a browser drops there. */
function honouredInMeta(content: string): readonly CspPolicy[] {
  return parseCsp([content])
    .map((policy) => new Map([...policy].filter(([name]) => !directivesIgnoredInMeta.includes(name))))
    .filter((policy) => policy.size > 0);
}
