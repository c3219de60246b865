/** Gathers the Content Security Policies that a browser enforces on a page, from its header fields and its meta elements. */
import type { Reading } from "../evidence/evidence.ts";
import type { DomFacts, MetaElement } from "../evidence/facts.ts";
import { type CspPolicy, directivesIgnoredInMeta, parseCspHeader, parseCspMeta, restrictsAnything } from "../parse/csp.ts";

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
  const fromMeta = metas.filter((meta) => !meta.truncated).flatMap((meta) => honouredInMeta(meta.content) ?? []);
  const all = [...parseCspHeader(headerValues), ...fromMeta];
  return {
    policies: all.filter(restrictsAnything),
    idle: all.filter((policy) => !restrictsAnything(policy)),
    complete: dom.status === "read" && dom.facts.metasDropped === 0 && !metas.some((meta) => meta.truncated),
  };
}

/** The meta elements that deliver a policy. A report-only one is none: browsers do not honour it. */
export function cspMetas(dom: DomFacts): readonly MetaElement[] {
  return dom.metas.filter((meta) => meta.httpEquiv === "content-security-policy");
}

function honouredInMeta(content: string): CspPolicy | null {
  const written = [...(parseCspMeta(content) ?? [])];
  const honoured = written.filter(([name]) => !directivesIgnoredInMeta.includes(name));
  return honoured.length === 0 ? null : new Map(honoured);
}
