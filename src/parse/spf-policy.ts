/** Tells what an SPF record lets senders do in the end, and what makes receivers give up on it: RFC 7208 sections 2.6 and 4.6 to 6. */
import type { MailSpfFacts } from "../evidence/facts.ts";
import type { SpfDefectKind, SpfMechanism } from "./spf.ts";
import { evaluatedTerms, type PublishedSpf, type SpfAnswers, spfAnswers, spfLookups, takesInEveryAddress } from "./spf-evaluation.ts";

/** A term that makes every receiver answer `permerror`, or that none should meet. */
export interface SpfFault {
  readonly kind: SpfDefectKind | "ptr" | "include-without-record" | "redirect-without-record";
  readonly published: PublishedSpf;
  readonly term: string;
}

/** Where the evaluation ends for a sender that nobody named. */
export type SpfEnd =
  /** Without a mechanism: neither `all` nor a redirect stands at the end of that record. */
  | { readonly published: PublishedSpf; readonly mechanism: SpfMechanism | null }
  /** What decides was not read, or is one of the faults. */
  | "unknown";

export interface SpfPolicy {
  readonly faults: readonly SpfFault[];
  readonly end: SpfEnd;
  /** Records or names that the evaluation leads to were not read. */
  readonly unread: boolean;
}

export function spfPolicy(facts: MailSpfFacts, own: PublishedSpf): SpfPolicy {
  const answers = spfAnswers(facts);
  const faults: SpfFault[] = [];
  let unread = false;
  // Grows while it is gone through: each record once, those that a record leads to behind it.
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

/** Each record is gone through once, however many lead to it; a loop ends nowhere. */
function endOf(published: PublishedSpf, senderDomain: string, answers: SpfAnswers, known: Map<string, SpfEnd>): SpfEnd {
  const before = known.get(published.domain);
  if (before !== undefined) return before;
  known.set(published.domain, "unknown");
  const end = endOfUnseen(published, senderDomain, answers, known);
  known.set(published.domain, end);
  return end;
}

function endOfUnseen(published: PublishedSpf, senderDomain: string, answers: SpfAnswers, known: Map<string, SpfEnd>): SpfEnd {
  const { domain, record, truncated } = published;
  const { mechanisms, redirect } = evaluatedTerms(record);
  const names = new Map(spfLookups(published, senderDomain).map(({ term, question }) => [term, question?.name ?? null]));
  const endAt = (term: string): SpfEnd => {
    const target = answers.recordAt(names.get(term) ?? null);
    return typeof target === "string" ? "unknown" : endOf(target, senderDomain, answers, known);
  };
  for (const mechanism of mechanisms) {
    if (mechanism.name === "all") return { published, mechanism };
    if (mechanism.qualifier !== "+") continue;
    if (takesInEveryAddress(mechanism, { domain, senderDomain }, answers)) return { published, mechanism };
    // Section 5.2: an include matches whoever passes the record that it names.
    if (mechanism.name === "include" && letsEverybodyPass(endAt(mechanism.text))) return { published, mechanism };
  }
  if (redirect !== null) return endAt(redirect.text);
  return truncated ? "unknown" : { published, mechanism: null };
}

function letsEverybodyPass(end: SpfEnd): boolean {
  return typeof end !== "string" && end.mechanism?.qualifier === "+";
}
