/** Finds SPF records in the answers of a scan, and the questions that their evaluation asks: RFC 7208 sections 4 to 6. */
import type { MailSpfFacts, TextRecords } from "../evidence/dns-facts.ts";
import { parseSpf, type SpfMechanism, type SpfRecord } from "./spf.ts";
import { expandSpfDomain, type SpfScope } from "./spf-macro.ts";

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

export interface SpfLookup {
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

/** True if a mechanism alone matches every sender, or every sender of one address family. */
export function matchesEveryAddress({ name, everyAddress, domain }: SpfMechanism, scope: SpfScope, answers: SpfAnswers): boolean {
  if (name === "ip4" || name === "ip6") return everyAddress;
  const asked = name === "exists" || (everyAddress && (name === "a" || name === "mx")) ? questionOf(name, domain, scope) : null;
  const answer = asked === null ? undefined : answers.to(asked);
  if (answer?.status !== "read") return false;
  // RFC 7208 section 5.7: exists queries IPv4 addresses for senders of both families.
  return answer.facts.records.some(({ text }) => name !== "exists" || !text.includes(":"));
}
