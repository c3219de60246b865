/** Counts the DNS lookups of an SPF evaluation in which no mechanism matches: RFC 7208 section 4.6.4. */
import type { MailSpfFacts } from "../evidence/dns-facts.ts";
import { type PublishedSpf, type SpfAnswers, type SpfLookup, spfAnswers, spfLookups } from "./spf-evaluation.ts";

interface SpfCost {
  /** Terms that query DNS, in all records reached. A term counts each time it is evaluated. */
  readonly lookups: number;
  readonly voids: number;
  readonly voidsPossible: number;
  /** True if records were not read: the counts are lower bounds. */
  readonly unread: boolean;
}

interface SpfCosts extends SpfCost {
  readonly voidTerms: readonly string[];
  /** Terms that refer to a record under evaluation. */
  readonly loops: readonly string[];
  /** Terms with more mail servers than the limit allows. */
  readonly mxOverfull: readonly { readonly term: string; readonly count: number }[];
}

/** Limit of address lookups for one `mx` (RFC 7208 section 4.6.4). */
export const spfMxHostsMax = 10;
const zeroCost: SpfCost = { lookups: 0, voids: 0, voidsPossible: 0, unread: false };

/** Costs of the domain's own record, with all records that it includes or redirects to. */
export function spfCosts(facts: MailSpfFacts, own: PublishedSpf): SpfCosts {
  const answers = spfAnswers(facts);
  const voidTerms = new Set<string>();
  const loops = new Set<string>();
  const mxOverfull = new Map<string, number>();
  // By domain, so that a shared record is evaluated once. Null marks a record under evaluation, which reveals loops.
  const costs = new Map<string, SpfCost | null>();

  function costOf(published: PublishedSpf): SpfCost {
    costs.set(published.domain, null);
    const parts = spfLookups(published, facts.domain).map(costOfLookup);
    const cost = parts.reduce(sum, { ...zeroCost, unread: published.truncated });
    costs.set(published.domain, cost);
    return cost;
  }

  function costOfLookup({ term, kind, question }: SpfLookup): SpfCost {
    // The sender decides the result of ptr and of names with such macros.
    if (question === null) return { ...zeroCost, lookups: 1, voidsPossible: 1, unread: kind === "include" || kind === "redirect" };
    const { isVoid, count } = lookupResult(answers, question);
    if (isVoid) voidTerms.add(term);
    if (kind === "mx" && count > spfMxHostsMax) mxOverfull.set(term, count);
    const own = { ...zeroCost, lookups: 1, voids: Number(isVoid === true), voidsPossible: Number(isVoid === null) };
    return kind === "include" || kind === "redirect" ? sum(own, costOfTarget(term, question.name)) : own;
  }

  function costOfTarget(term: string, name: string): SpfCost {
    const target = answers.recordAt(name);
    if (typeof target === "string") return { ...zeroCost, unread: target === "unread" };
    const known = costs.get(target.domain);
    if (known === null) loops.add(term);
    return known === null ? zeroCost : (known ?? costOf(target));
  }

  return {
    ...costOf(own),
    voidTerms: [...voidTerms],
    loops: [...loops],
    mxOverfull: [...mxOverfull].map(([term, count]) => ({ term, count })),
  };
}

/** `isVoid` is null if the question was not answered. */
function lookupResult(
  answers: SpfAnswers,
  question: NonNullable<SpfLookup["question"]>,
): { readonly isVoid: boolean | null; readonly count: number } {
  const answer = answers.to(question);
  if (answer?.status !== "read") return { isVoid: null, count: 0 };
  return { isVoid: answer.facts.records.length === 0, count: answer.facts.records.length };
}

function sum(one: SpfCost, other: SpfCost): SpfCost {
  return {
    lookups: one.lookups + other.lookups,
    voids: one.voids + other.voids,
    voidsPossible: one.voidsPossible + other.voidsPossible,
    unread: one.unread || other.unread,
  };
}
