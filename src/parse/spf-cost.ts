/** Counts what evaluating an SPF record costs a receiver that nothing matches for: RFC 7208 section 4.6.4. */
import type { MailSpfFacts } from "../evidence/facts.ts";
import { type PublishedSpf, type SpfAnswers, type SpfLookup, spfAnswers, spfLookups } from "./spf-evaluation.ts";

export interface SpfCost {
  /** Terms that ask DNS, those of all records that the evaluation leads to; a term counts as often as it is come by. */
  readonly lookups: number;
  /** Those that find nothing. */
  readonly voids: number;
  /** Those of which it is not known. */
  readonly voidsPossible: number;
  /** Records that were not read: all of the above may be more. */
  readonly unread: boolean;
}

export interface SpfCosts extends SpfCost {
  /** Terms that find nothing, each once. */
  readonly voidTerms: readonly string[];
  /** Terms that lead back to a record which is being evaluated already. */
  readonly loops: readonly string[];
  /** Terms whose domain has more mail servers than may be asked for their addresses. */
  readonly mxOverfull: readonly { readonly term: string; readonly count: number }[];
}

/** Mail servers of one `mx` whose addresses may be asked for. */
export const spfMxHostsMax = 10;

const nothing: SpfCost = { lookups: 0, voids: 0, voidsPossible: 0, unread: false };

export function spfCosts(facts: MailSpfFacts, own: PublishedSpf): SpfCosts {
  const answers = spfAnswers(facts);
  const voidTerms = new Set<string>();
  const loops = new Set<string>();
  const mxOverfull = new Map<string, number>();
  // By domain: a record that many lead to is gone through once. Null while that lasts, so that loops show.
  const costs = new Map<string, SpfCost | null>();

  function costOf(published: PublishedSpf): SpfCost {
    costs.set(published.domain, null);
    const parts = spfLookups(published, facts.domain).map(costOfLookup);
    const cost = parts.reduce(sum, { ...nothing, unread: published.truncated });
    costs.set(published.domain, cost);
    return cost;
  }

  function costOfLookup({ term, kind, question }: SpfLookup): SpfCost {
    // Whoever the sender is decides what ptr and names with such macros find.
    if (question === null) return { ...nothing, lookups: 1, voidsPossible: 1, unread: kind === "include" || kind === "redirect" };
    const { isVoid, count } = seen(answers, question);
    if (isVoid) voidTerms.add(term);
    if (kind === "mx" && count > spfMxHostsMax) mxOverfull.set(term, count);
    const own = { ...nothing, lookups: 1, voids: Number(isVoid === true), voidsPossible: Number(isVoid === null) };
    return kind === "include" || kind === "redirect" ? sum(own, costBehind(term, question.name)) : own;
  }

  function costBehind(term: string, name: string): SpfCost {
    const target = answers.recordAt(name);
    if (typeof target === "string") return { ...nothing, unread: target === "unread" };
    const known = costs.get(target.domain);
    if (known === null) loops.add(term);
    return known === null ? nothing : (known ?? costOf(target));
  }

  return {
    ...costOf(own),
    voidTerms: [...voidTerms],
    loops: [...loops],
    mxOverfull: [...mxOverfull].map(([term, count]) => ({ term, count })),
  };
}

/** Null where nobody answered. */
function seen(
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
