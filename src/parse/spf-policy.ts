/** Finds where an SPF evaluation ends for an unlisted sender, and the faults on its path: RFC 7208 sections 2.6 and 4.6 to 6. */
import type { MailSpfFacts } from "../evidence/dns-facts.ts";
import type { SpfDefectKind, SpfMechanism } from "./spf.ts";
import { evaluatedTerms, matchesEveryAddress, type PublishedSpf, type SpfAnswers, spfAnswers, spfLookups } from "./spf-evaluation.ts";

/** Term that causes `permerror` at every receiver, or that RFC 7208 discourages. */
export interface SpfFault {
  readonly kind: SpfDefectKind | "ptr" | "include-without-record" | "redirect-without-record";
  readonly published: PublishedSpf;
  readonly term: string;
}

/** End of the evaluation for a sender that no mechanism lists. */
export type SpfEnd =
  /** A null mechanism: the record ends with neither `all` nor a redirect. */
  | { readonly published: PublishedSpf; readonly mechanism: SpfMechanism | null }
  /** The deciding record was not read, or has a fault. */
  | "unknown";

interface SpfPolicy {
  readonly faults: readonly SpfFault[];
  readonly end: SpfEnd;
  /** True if records or names on the path were not read. */
  readonly unread: boolean;
}

/** Faults and end of an evaluation that starts with the domain's own record. */
export function spfPolicy(facts: MailSpfFacts, own: PublishedSpf): SpfPolicy {
  const answers = spfAnswers(facts);
  const faults: SpfFault[] = [];
  let unread = false;
  // Grows during iteration: each record once, followed by the records it refers to.
  const reached = new Map([[own.domain, own]]);
  for (const published of reached.values()) {
    unread ||= published.truncated;
    for (const { kind, text } of published.record.defects) faults.push({ kind, published, term: text });
    for (const { kind, term, question } of spfLookups(published, facts.domain)) {
      if (kind === "ptr") faults.push({ kind, published, term });
      if (kind !== "include" && kind !== "redirect") continue;
      const target = answers.recordAt(question?.name ?? null);
      if (target === "unread") unread = true;
      else if (typeof target === "string") faults.push({ kind: `${kind}-without-record`, published, term });
      else if (!reached.has(target.domain)) reached.set(target.domain, target);
    }
  }
  return { faults, end: endOf(own, facts.domain, answers, new Map()), unread };
}

/** Evaluates each record once. A loop has no end. */
function endOf(published: PublishedSpf, senderDomain: string, answers: SpfAnswers, ends: Map<string, SpfEnd>): SpfEnd {
  const before = ends.get(published.domain);
  if (before !== undefined) return before;
  ends.set(published.domain, "unknown");
  const end = evaluateEnd(published, senderDomain, answers, ends);
  ends.set(published.domain, end);
  return end;
}

function evaluateEnd(published: PublishedSpf, senderDomain: string, answers: SpfAnswers, ends: Map<string, SpfEnd>): SpfEnd {
  const { domain, record, truncated } = published;
  const { mechanisms, redirect } = evaluatedTerms(record);
  const names = new Map(spfLookups(published, senderDomain).map(({ term, question }) => [term, question?.name ?? null]));
  const endAt = (term: string): SpfEnd => {
    const target = answers.recordAt(names.get(term) ?? null);
    return typeof target === "string" ? "unknown" : endOf(target, senderDomain, answers, ends);
  };
  for (const mechanism of mechanisms) {
    if (mechanism.name === "all") return { published, mechanism };
    if (mechanism.qualifier !== "+") continue;
    if (matchesEveryAddress(mechanism, { domain, senderDomain }, answers)) return { published, mechanism };
    // RFC 7208 section 5.2: an include matches senders that pass the included record.
    if (mechanism.name === "include" && passesEverySender(endAt(mechanism.text))) return { published, mechanism };
  }
  if (redirect !== null) return endAt(redirect.text);
  return truncated ? "unknown" : { published, mechanism: null };
}

function passesEverySender(end: SpfEnd): boolean {
  return typeof end !== "string" && end.mechanism?.qualifier === "+";
}
