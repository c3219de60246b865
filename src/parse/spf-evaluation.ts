/** Finds SPF records among the answers of a scan, and what evaluating them asks for: RFC 7208 sections 4 to 6. */
import type { MailSpfFacts, TextRecords } from "../evidence/facts.ts";
import { parseSpf, type SpfMechanism, type SpfRecord } from "./spf.ts";
import { expandSpfDomain, type SpfScope } from "./spf-macro.ts";

export interface PublishedSpf {
  /** Whose record it is. */
  readonly domain: string;
  readonly text: string;
  readonly record: SpfRecord;
  /** True when the record was stored cut: what stands behind its last whole term is unknown. */
  readonly truncated: boolean;
}

/** `unread`: nobody answered, or not all of the answer was kept. */
export type SpfAt = PublishedSpf | "none" | "several" | "unread";

type FollowedType = MailSpfFacts["followed"][number]["type"];
type FollowedAnswer = MailSpfFacts["followed"][number]["answer"];

export interface SpfQuestion {
  readonly name: string;
  readonly type: FollowedType;
}

/** The same for questions that are the same. */
export function spfQuestionKey({ type, name }: SpfQuestion): string {
  return `${type} ${name}`;
}

/** A term that makes a receiver ask DNS, and what it asks. */
export interface SpfLookup {
  /** As written. */
  readonly term: string;
  readonly kind: "include" | "redirect" | "a" | "mx" | "ptr" | "exists";
  /** Null where what is asked for depends on the mail. */
  readonly question: SpfQuestion | null;
}

const questionTypes = { include: "TXT", redirect: "TXT", a: "A", exists: "A", mx: "MX" } as const;

/** The record of the scanned domain. */
export function ownSpf({ domain, own }: MailSpfFacts): SpfAt {
  const found = spfAmong(domain, own.records);
  return found !== "several" && maySpfBeDropped(own) ? "unread" : found;
}

/** Texts that begin with a version are kept first: only where all that was kept are such, another may have been dropped. */
export function maySpfBeDropped({ records, recordsDropped }: TextRecords): boolean {
  return recordsDropped > 0 && records.every(({ text }) => /^v=/i.test(text));
}

/** The SPF records among the texts of a name, as they stand. */
export function spfTextsOf({ records }: TextRecords): readonly string[] {
  return records.map(({ text }) => text).filter((text) => parseSpf(text) !== null);
}

/** Section 4.5: of several records none counts. */
function spfAmong(domain: string, records: MailSpfFacts["own"]["records"]): SpfAt {
  const [only, ...others] = records.flatMap(({ text, truncated }): readonly PublishedSpf[] => {
    const whole = truncated ? text.slice(0, text.lastIndexOf(" ") + 1) : text;
    const record = parseSpf(whole);
    return record === null ? [] : [{ domain, text, record, truncated }];
  });
  if (only === undefined) return "none";
  return others.length > 0 ? "several" : only;
}

/** What is evaluated of a record while nothing matches: what stands behind `all` never is, and beside it no redirect (sections 5.1 and 6.1). */
export function evaluatedTerms({ mechanisms, redirect }: SpfRecord): Pick<SpfRecord, "mechanisms" | "redirect"> {
  const allAt = mechanisms.findIndex(({ name }) => name === "all");
  return allAt < 0 ? { mechanisms, redirect } : { mechanisms: mechanisms.slice(0, allAt + 1), redirect: null };
}

/** The terms of section 4.6.4 that are evaluated, in order; `ptr` asks by the sender's address, which nobody knows here. */
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

/** The answers of a scan, by question. */
export interface SpfAnswers {
  /** Undefined when the question was not put. */
  to(question: SpfQuestion): FollowedAnswer | undefined;
  /** The record at a name; `unread` also for null, a name that is not known. */
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

/** Whether a mechanism takes in every sender, or every one of a family of addresses, by itself. */
export function takesInEveryAddress({ name, everyAddress, domain }: SpfMechanism, scope: SpfScope, answers: SpfAnswers): boolean {
  if (name === "ip4" || name === "ip6") return everyAddress;
  const asked = name === "exists" || (everyAddress && (name === "a" || name === "mx")) ? questionOf(name, domain, scope) : null;
  const answer = asked === null ? undefined : answers.to(asked);
  if (answer?.status !== "read") return false;
  // Section 5.7: exists asks for IPv4 addresses, whatever the sender's is.
  return answer.facts.records.some(({ text }) => name !== "exists" || !text.includes(":"));
}
