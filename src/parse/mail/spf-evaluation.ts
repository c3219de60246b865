/**
 * Evaluates SPF records with the answers of a scan: lookups, policy for unlisted senders, and cost. RFC 7208 sections 2.6 and 4 to 6.
 */
import type { MailSpfFacts, TextRecords } from "../../evidence/dns-facts.ts";
import { expandSpfDomain, parseSpf, type SpfDefectKind, type SpfMechanism, type SpfRecord, type SpfScope } from "./spf-record.ts";

export interface PublishedSpf {
  readonly domain: string;
  readonly text: string;
  readonly record: SpfRecord;
  /** True if the stored record was cut: terms after its last complete one are unknown. */
  readonly truncated: boolean;
}

/** `unread`: no answer, or only a part of it was kept. */
type SpfAt = PublishedSpf | "none" | "several" | "unread";
type FollowedType = MailSpfFacts["followed"][number]["type"];
type FollowedAnswer = MailSpfFacts["followed"][number]["answer"];

export interface SpfQuestion {
  readonly name: string;
  readonly type: FollowedType;
}

/** Equal for equal questions. */
export function spfQuestionKey({ type, name }: SpfQuestion): string {
  return `${type} ${name}`;
}

interface SpfLookup {
  readonly term: string;
  readonly kind: "include" | "redirect" | "a" | "mx" | "ptr" | "exists";
  /** Null if the question depends on the mail. */
  readonly question: SpfQuestion | null;
}

const questionTypes = { include: "TXT", redirect: "TXT", a: "A", exists: "A", mx: "MX" } as const;

export function ownSpf({ domain, own }: MailSpfFacts): SpfAt {
  const found = spfAmong(domain, own.records);
  return found !== "several" && maySpfBeDropped(own) ? "unread" : found;
}

/** True if an SPF record may have been dropped. Texts with a version are kept first, so a kept text without one proves that none was dropped. */
export function maySpfBeDropped({ records, recordsDropped }: TextRecords): boolean {
  return recordsDropped > 0 && records.every(({ text }) => /^v=/i.test(text));
}

/** SPF records among the TXT records of a name, as written. */
export function spfTextsOf({ records }: TextRecords): readonly string[] {
  return records.map(({ text }) => text).filter((text) => parseSpf(text) !== null);
}

/** RFC 7208 section 4.5: several records at one name are all invalid. */
function spfAmong(domain: string, records: MailSpfFacts["own"]["records"]): SpfAt {
  const [only, ...others] = records.flatMap(({ text, truncated }): readonly PublishedSpf[] => {
    const whole = truncated ? text.slice(0, text.lastIndexOf(" ") + 1) : text;
    const record = parseSpf(whole);
    return record === null ? [] : [{ domain, text, record, truncated }];
  });
  if (only === undefined) return "none";
  return others.length > 0 ? "several" : only;
}

/** Terms that are evaluated while none matches. Terms after `all` are not, and `all` disables redirect (RFC 7208 sections 5.1 and 6.1). */
export function evaluatedTerms({ mechanisms, redirect }: SpfRecord): Pick<SpfRecord, "mechanisms" | "redirect"> {
  const allAt = mechanisms.findIndex(({ name }) => name === "all");
  return allAt < 0 ? { mechanisms, redirect } : { mechanisms: mechanisms.slice(0, allAt + 1), redirect: null };
}

/** Evaluated terms that count as lookups (RFC 7208 section 4.6.4), in order. `ptr` queries by sender address, which is unknown here. */
export function spfLookups({ domain, record }: PublishedSpf, senderDomain: string): readonly SpfLookup[] {
  const scope: SpfScope = { domain, senderDomain };
  const { mechanisms, redirect } = evaluatedTerms(record);
  const lookups = mechanisms.flatMap((mechanism): readonly SpfLookup[] => {
    const { name: kind, text: term } = mechanism;
    if (kind === "all" || kind === "ip4" || kind === "ip6") return [];
    return [{ term, kind, question: kind === "ptr" ? null : questionOf(kind, mechanism.domain, scope) }];
  });
  if (redirect !== null) lookups.push({ term: redirect.text, kind: "redirect", question: questionOf("redirect", redirect.domain, scope) });
  return lookups;
}

function questionOf(kind: keyof typeof questionTypes, domain: string | null, scope: SpfScope): SpfQuestion | null {
  const name = domain === null ? scope.domain : expandSpfDomain(domain, scope);
  return name === null ? null : { name, type: questionTypes[kind] };
}

/** Answers of a scan by question. */
export interface SpfAnswers {
  /** Undefined if the question was not asked. */
  to(question: SpfQuestion): FollowedAnswer | undefined;
  /** Record at a name; `unread` for null (a name that depends on the mail). */
  recordAt(name: string | null): SpfAt;
}

export function spfAnswers(facts: MailSpfFacts): SpfAnswers {
  const answers = new Map(facts.followed.map(({ answer, ...question }) => [spfQuestionKey(question), answer]));
  const records = new Map<string, SpfAt>([[facts.domain, ownSpf(facts)]]);
  const to = (question: SpfQuestion) => answers.get(spfQuestionKey(question));
  return {
    to,
    recordAt: (name) => {
      if (name === null) return "unread";
      const answer = to({ name, type: "TXT" });
      const found = records.get(name) ?? (answer?.status === "read" ? spfAmong(name, answer.facts.records) : "unread");
      records.set(name, found);
      return found;
    },
  };
}

// Finds where an SPF evaluation ends for an unlisted sender, and the faults on its path: RFC 7208 sections 2.6 and 4.6 to 6.

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
  return { faults, end: endOf(own, facts.domain, answers), unread };
}

/** Follows redirects. A loop has no end. */
function endOf(own: PublishedSpf, senderDomain: string, answers: SpfAnswers): SpfEnd {
  const followed = new Set<string>();
  let published: SpfAt = own;
  while (typeof published !== "string" && !followed.has(published.domain)) {
    followed.add(published.domain);
    const { mechanisms, redirect } = evaluatedTerms(published.record);
    const last = mechanisms.at(-1);
    if (last?.name === "all") return { published, mechanism: last };
    if (redirect === null) return published.truncated ? "unknown" : { published, mechanism: null };
    published = answers.recordAt(questionOf("redirect", redirect.domain, { domain: published.domain, senderDomain })?.name ?? null);
  }
  return "unknown";
}

// Counts the DNS lookups of an SPF evaluation in which no mechanism matches: RFC 7208 section 4.6.4.

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
  // Costs by domain, so that a shared record is evaluated once. Null marks a record under evaluation, which reveals loops.
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
    const answer = answers.to(question);
    const count = answer?.status === "read" ? answer.facts.records.length : null;
    if (count === 0) voidTerms.add(term);
    if (kind === "mx" && count !== null && count > spfMxHostsMax) mxOverfull.set(term, count);
    const own = { ...zeroCost, lookups: 1, voids: Number(count === 0), voidsPossible: Number(count === null) };
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

function sum(one: SpfCost, other: SpfCost): SpfCost {
  return {
    lookups: one.lookups + other.lookups,
    voids: one.voids + other.voids,
    voidsPossible: one.voidsPossible + other.voidsPossible,
    unread: one.unread || other.unread,
  };
}
