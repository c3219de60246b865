/** SPF probe: the record of the registrable domain and the records that its evaluation needs; RFC 7208. */
import type { DnsAnswer } from "../../egress/dns-message.ts";
import { askResolvers, resolversOf } from "../../egress/resolvers.ts";
import type { MailSpfFacts, TextRecords } from "../../evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import { dnsRecordCharsMax, dnsRecordsMax, spfQuestionsMax, spfRecordCharsMax } from "../../evidence/limits.ts";
import { boundedText } from "../../evidence/redact.ts";
import { parseSpf } from "../../parse/spf.ts";
import {
  maySpfBeDropped,
  ownSpf,
  type PublishedSpf,
  type SpfQuestion,
  spfAnswers,
  spfLookups,
  spfQuestionKey,
} from "../../parse/spf-evaluation.ts";
import { failedBy } from "../context.ts";
import { type DnsContext, nameExistsIn, readOfDomain, textRecordsOf } from "./dns.ts";

type Followed = MailSpfFacts["followed"][number];
type Answer = Extract<Followed["answer"], { status: "read" }>["facts"];

/** Concurrent questions: the RFC's limit for one record. */
const questionsAtOnceMax = 10;

/** Breadth first: asks all questions of one round together, each name and type once. */
export function probeSpf(context: DnsContext): Promise<Reading<MailSpfFacts>> {
  return readOfDomain(context, async (domain) => {
    const own = await textRecordsOf(context, domain, spfRecordCharsMax);
    let facts: MailSpfFacts = { domain, own, followed: [], followedDropped: 0 };
    const seen = new Set([spfQuestionKey({ name: domain, type: "TXT" })]);
    let round: readonly PublishedSpf[] = [ownSpf(facts)].filter((found) => typeof found !== "string");
    while (round.length > 0) {
      const questions = round.flatMap((published) => newQuestions(published, domain, seen));
      const asked = questions.slice(0, spfQuestionsMax - facts.followed.length);
      const followed = await askAll(context, asked);
      facts = {
        ...facts,
        followed: [...facts.followed, ...followed],
        followedDropped: facts.followedDropped + questions.length - asked.length,
      };
      const answers = spfAnswers(facts);
      round = asked
        .filter(({ type }) => type === "TXT")
        .map(({ name }) => answers.recordAt(name))
        .filter((found) => typeof found !== "string");
    }
    return facts;
  });
}

function newQuestions(published: PublishedSpf, senderDomain: string, seen: Set<string>): readonly SpfQuestion[] {
  return spfLookups(published, senderDomain).flatMap(({ question }) => {
    if (question === null || seen.has(spfQuestionKey(question))) return [];
    seen.add(spfQuestionKey(question));
    return [question];
  });
}

async function askAll(context: DnsContext, questions: readonly SpfQuestion[]): Promise<readonly Followed[]> {
  const followed: Followed[] = [];
  let next = 0;
  const askOneByOne = async () => {
    for (let at = next++; at < questions.length; at = next++) {
      const question = questions[at] as SpfQuestion;
      followed[at] = { ...question, answer: await answerTo(context, question) };
    }
  };
  await Promise.all(Array.from({ length: questionsAtOnceMax }, askOneByOne));
  return followed;
}

async function answerTo(context: DnsContext, { name, type }: SpfQuestion): Promise<Followed["answer"]> {
  try {
    if (type === "TXT") return onlySpf(await textRecordsOf(context, name, spfRecordCharsMax));
    return read(type === "A" ? await addressesOf(context, name) : await exchangersOf(context, name));
  } catch (thrown) {
    return failedBy(thrown);
  }
}

/** Keeps two SPF records at most, else one other record: its existence matters for void lookups (RFC 7208 section 4.6.4). */
function onlySpf(texts: TextRecords): Followed["answer"] {
  const { nameExists, records } = texts;
  const spf = records.filter(({ text }) => parseSpf(text) !== null);
  if (spf.length < 2 && maySpfBeDropped(texts)) return failed("too-large");
  return read({ nameExists, records: spf.length > 0 ? spf.slice(0, 2) : records.slice(0, 1) });
}

async function exchangersOf(context: DnsContext, name: string): Promise<Answer> {
  const answer = await ask(context, name, "MX");
  const hosts = answer.answers.flatMap((record) => (record.type === "MX" ? [record.data.exchange.toLowerCase()] : []));
  return { nameExists: nameExistsIn(answer), records: bounded(hosts) };
}

/** Asks for both address families, because the sender decides which one matters. One successful family is enough. */
async function addressesOf(context: DnsContext, name: string): Promise<Answer> {
  const families = await Promise.allSettled((["A", "AAAA"] as const).map((type) => ask(context, name, type)));
  const answers = families.flatMap((family) => (family.status === "fulfilled" ? [family.value] : []));
  const addresses = answers.flatMap(({ answers }) =>
    answers.flatMap((record) => (record.type === "A" || record.type === "AAAA" ? [record.data] : [])),
  );
  const failure = families.find((family) => family.status === "rejected");
  if (failure !== undefined && addresses.length === 0) throw failure.reason;
  return { nameExists: answers.some(nameExistsIn), records: bounded(addresses) };
}

function ask({ dnsServers, signal }: DnsContext, name: string, type: "A" | "AAAA" | "MX"): Promise<DnsAnswer> {
  return askResolvers(resolversOf(dnsServers), { name, type }, signal);
}

/** Sorted, because record sets have no order. */
function bounded(texts: readonly string[]): Answer["records"] {
  return [...texts]
    .sort()
    .slice(0, dnsRecordsMax)
    .map((text) => boundedText(text, dnsRecordCharsMax));
}
