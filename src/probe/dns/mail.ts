/** Probes of mail records: DMARC, SPF, MTA-STS and DANE. */
import { mailHosts } from "../../check/mail.ts";
import { type DnsAnswer, nameError, noError } from "../../egress/dns-message.ts";
import { CertificateRefused, EgressError } from "../../egress/egress-error.ts";
import { type GetOptions, httpGet } from "../../egress/http-client.ts";
import type { MailHostDane, TextRecords, TlsaRecord } from "../../evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { Facts } from "../../evidence/facts.ts";
import * as limits from "../../evidence/limits.ts";
import { boundedList, boundedText } from "../../evidence/redact.ts";
import { dmarcNameOf, dmarcWalkNames, effectiveDmarc, endsDmarcWalk } from "../../parse/mail/dmarc.ts";
import { isMeantAsMtaSts } from "../../parse/mail/mta-sts.ts";
import {
  maySpfBeDropped,
  ownSpf,
  type PublishedSpf,
  type SpfQuestion,
  spfAnswers,
  spfLookups,
  spfQuestionKey,
} from "../../parse/mail/spf-evaluation.ts";
import { parseSpf } from "../../parse/mail/spf-record.ts";
import { registrableDomainOf } from "../../parse/site.ts";
import { exchangeMs, failedBy, type SubjectContext } from "../context.ts";
import { fileFacts, isChallenge } from "../http/http.ts";
import { trustAnchors } from "../tls/trust.ts";
import { addressesIn, type DnsContext, nameExistsIn, orderedRecords, queryDns, readOfDomain, recordData, textRecordsOf } from "./dns.ts";
import { isAuthentic, readByOneResolver, setsAdBlindly, type ValidatedAsk, validates } from "./dnssec.ts";

// Probe of DMARC: tree walk for the scanned host and its domain, and consent of report receivers in other domains.

/** RFC 9989 section 4.10. A failed query for a subdomain does not fail the probe, because it does not affect mail of the domain. */
export function probeDmarc(context: DnsContext): Promise<Reading<Facts["mailDmarc"]>> {
  return readOfDomain(context, async (domain) => {
    const walk: TextRecords[] = [];
    await walkFrom(context, domain, walk);
    const hostUnread = await walkFrom(context, context.subject.host, walk).then(
      () => null,
      (thrown) => failedBy(thrown).because,
    );
    const receivers = boundedList("reportReceivers", externalReceivers(walk, domain), limits.reportReceiversMax);
    const reportReceivers = await Promise.all(receivers.reportReceivers.map((receiver) => askReceiver(context, receiver)));
    return { domain, walk, hostUnread, ...receivers, reportReceivers };
  });
}

/** Adds the answers that the walk from `start` needs and does not have yet. */
async function walkFrom(context: DnsContext, start: string, walk: TextRecords[]): Promise<void> {
  for (const domain of dmarcWalkNames(start)) {
    const name = dmarcNameOf(domain);
    if (!walk.some((answer) => answer.name === name)) {
      if (walk.length === limits.dmarcWalkNamesMax) return;
      walk.push(await textRecordsOf(context, name));
    }
    if (endsDmarcWalk(walk, start, domain)) return;
  }
}

interface ExternalReceiver {
  readonly policyDomain: string;
  readonly host: string;
}

/** RFC 9990 section 4: receivers of another organisation, here another registrable domain or none. */
function externalReceivers(walk: readonly TextRecords[], domain: string): readonly ExternalReceiver[] {
  const published = effectiveDmarc(walk, domain);
  if (published === null) return [];
  const policyDomain = published.domain;
  const hosts = new Set((published.record.rua ?? []).filter(({ kind }) => kind === "mailto").map(({ host }) => host));
  return [...hosts].filter((host) => !isSameOrganisation(host, policyDomain)).map((host) => ({ policyDomain, host }));
}

function isSameOrganisation(host: string, policyDomain: string): boolean {
  if (host === policyDomain || host.endsWith(`.${policyDomain}`)) return true;
  const organisation = registrableDomainOf(policyDomain);
  return organisation !== null && registrableDomainOf(host) === organisation;
}

async function askReceiver(
  context: DnsContext,
  { policyDomain, host }: ExternalReceiver,
): Promise<Facts["mailDmarc"]["reportReceivers"][number]> {
  const name = `${policyDomain}._report._dmarc.${host}`;
  // Step 4: a name too long for DNS cannot exist, so there is no consent.
  if (name.length > limits.dnsNameCharsMax)
    return { domain: host, answer: read({ name, nameExists: false, records: [], recordsDropped: 0 }) };
  return { domain: host, answer: await textRecordsOf(context, name).then(read<TextRecords>, failedBy) };
}

// SPF probe: the record of the registrable domain, and records that its evaluation needs; RFC 7208.

type Followed = Facts["mailSpf"]["followed"][number];
type Answer = Extract<Followed["answer"], { status: "read" }>["facts"];

/** Concurrent questions: the RFC's limit for one record. */
const questionsAtOnceMax = 10;

/** Breadth first: asks all questions of one round together, each name and type once. */
export function probeSpf(context: DnsContext): Promise<Reading<Facts["mailSpf"]>> {
  return readOfDomain(context, async (domain) => {
    const own = await textRecordsOf(context, domain, limits.spfRecordCharsMax);
    let facts: Facts["mailSpf"] = { domain, own, followed: [], followedDropped: 0 };
    const seen = new Set([spfQuestionKey({ name: domain, type: "TXT" })]);
    let round: readonly PublishedSpf[] = [ownSpf(facts)].filter((found) => typeof found !== "string");
    while (round.length > 0) {
      const questions = round.flatMap((published) => newQuestions(published, domain, seen));
      const asked = questions.slice(0, limits.spfQuestionsMax - facts.followed.length);
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
    if (type === "TXT") return onlySpf(await textRecordsOf(context, name, limits.spfRecordCharsMax));
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
  const answer = await queryDns(context, name, "MX");
  return { nameExists: nameExistsIn(answer), records: bounded(recordData(answer, "MX").map(({ exchange }) => exchange.toLowerCase())) };
}

/** Asks for both address families, because the sender decides which one matters. One successful family is enough. */
async function addressesOf(context: DnsContext, name: string): Promise<Answer> {
  const families = await Promise.allSettled((["A", "AAAA"] as const).map((type) => queryDns(context, name, type)));
  const answers = families.flatMap((family) => (family.status === "fulfilled" ? [family.value] : []));
  const addresses = answers.flatMap(addressesIn);
  const failure = families.find((family) => family.status === "rejected");
  if (failure !== undefined && addresses.length === 0) throw failure.reason;
  return { nameExists: answers.some(nameExistsIn), records: bounded(addresses) };
}

/** Sorted, because record sets have no order. */
function bounded(texts: readonly string[]): Answer["records"] {
  const sorted = [...texts].sort().slice(0, limits.dnsRecordsMax);
  return sorted.map((text) => boundedText(text, limits.dnsRecordCharsMax));
}

// Probes of MTA-STS: the record of the registrable domain and the policy file that it announces.

/** RFC 8461 section 3.1. */
export function probeMtaSts(context: DnsContext): Promise<Reading<TextRecords>> {
  return readOfDomain(context, (domain) => textRecordsOf(context, `_mta-sts.${domain}`));
}

export interface MtaStsPolicyContext extends SubjectContext, DnsContext {
  readonly caPems: readonly string[];
  readonly record: Reading<TextRecords>;
}

/** RFC 8461 section 3.3: over https with a valid certificate for the policy host, without redirects. */
export async function probeMtaStsPolicy(context: MtaStsPolicyContext): Promise<Reading<Facts["mailMtaStsPolicy"]>> {
  const { subject, record } = context;
  if (subject.registrableDomain === null || record.status === "failed") return failed("not-asked");
  if (!record.facts.records.some(({ text }) => isMeantAsMtaSts(text))) return failed("not-asked");
  const host = `mta-sts.${subject.registrableDomain}`;
  const url = `https://${host}/.well-known/mta-sts.txt`;
  try {
    return await fetchPolicy(context, url);
  } catch (thrown) {
    try {
      const unavailableBecause = await siteOwnReason(context, host, thrown);
      if (unavailableBecause !== null) return read({ url, unavailableBecause, status: 0, contentType: null, body: "", truncated: false });
    } catch {
      // The original failure is reported.
    }
    return failedBy(thrown);
  }
}

async function fetchPolicy({ egress, signal, caPems }: MtaStsPolicyContext, url: string): Promise<Reading<Facts["mailMtaStsPolicy"]>> {
  const options: GetOptions = {
    deadlineMs: exchangeMs,
    signal,
    bodyBytesMax: limits.mtaStsPolicyBytesMax,
    trust: trustAnchors(caPems).context,
  };
  const reply = await httpGet(egress, url, options);
  // A bot defence may let mail servers through and challenge this appliance.
  if (isChallenge(reply, null)) return failed("challenged");
  return read({ url, unavailableBecause: null, ...fileFacts(reply) });
}

/** Failure that the site itself caused; null for any other. @throws EgressError when DNS cannot confirm it. */
async function siteOwnReason(
  context: MtaStsPolicyContext,
  host: string,
  thrown: unknown,
): Promise<Facts["mailMtaStsPolicy"]["unavailableBecause"]> {
  if (!(thrown instanceof EgressError)) return null;
  if (thrown.because === "refused") return "refused";
  if (thrown.because === "unresolved") return (await hasNoAddress(context, host)) ? "no-host" : null;
  return thrown instanceof CertificateRefused ? "certificate-not-accepted" : null;
}

/** @throws EgressError when no resolver gives a conclusive answer. */
async function hasNoAddress(context: MtaStsPolicyContext, name: string): Promise<boolean> {
  const answers = await Promise.all([queryDns(context, name, "A"), queryDns(context, name, "AAAA")]);
  return answers.every((answer) => addressesIn(answer).length === 0);
}

// DANE probe: TLSA records of the mail hosts, as a validating resolver answers; RFC 7672 section 2.2.

interface MailDaneContext extends DnsContext {
  readonly mailMx: Reading<Facts["mailMx"]>;
}

export async function probeMailDane(context: MailDaneContext): Promise<Reading<Facts["mailDane"]>> {
  const hosts = context.mailMx.status === "read" ? mailHosts(context.mailMx.facts) : [];
  if (hosts.length === 0) return failed("not-asked");
  return readByOneResolver(context, async (ask) => {
    const isTrusted = (await validates(ask)) && !(await setsAdBlindly(ask));
    return isTrusted ? read(await daneOfAll(ask, hosts)) : failed("unsupported");
  });
}

async function daneOfAll(ask: ValidatedAsk, hosts: readonly string[]): Promise<Facts["mailDane"]> {
  const asked = boundedList("hosts", hosts, limits.daneHostsMax);
  const answerOf = async (host: string) => ({ host, answer: await daneOf(ask, host).then(read<MailHostDane>, failedBy) });
  return { ...asked, hosts: await Promise.all(asked.hosts.map(answerOf)) };
}

const noRecords = { name: null, authentic: false, records: [], recordsDropped: 0 } as const;

/** @throws EgressError if a question has no conclusive answer. */
async function daneOf(ask: ValidatedAsk, host: string): Promise<MailHostDane> {
  const addresses = await addressAnswer(ask, host);
  if (addresses === null) return { zone: "no-address", ...noRecords };
  const bases = await tlsaBases(ask, host, addresses);
  let facts: MailHostDane = { zone: "unsigned", ...noRecords };
  for (const base of bases) {
    const name = `_25._tcp.${base}`;
    const answer = conclusive(await ask(name, { type: "TLSA" }));
    facts = { zone: "signed", name, authentic: isAuthentic(answer), ...recordsIn(answer) };
    if (facts.authentic && facts.records.length > 0) break;
  }
  return facts;
}

/** Answer with addresses of either family; null if the host has no address. */
async function addressAnswer(ask: ValidatedAsk, host: string): Promise<DnsAnswer | null> {
  for (const type of ["A", "AAAA"] as const) {
    const answer = conclusive(await ask(host, { type }));
    if (answer.answers.some((record) => record.type === type)) return answer;
  }
  return null;
}

/**
 * Names below which senders ask for TLSA records; none in an unsigned zone. For an alias, the name at its end comes first. If only
 * the alias itself is signed, its own name counts (RFC 7672 sections 2.2.2 and 2.2.3).
 */
async function tlsaBases(ask: ValidatedAsk, host: string, addresses: DnsAnswer): Promise<readonly string[]> {
  const target = addresses.answers.find(({ type }) => type === "A" || type === "AAAA")?.name.toLowerCase() ?? host;
  if (isAuthentic(addresses)) return [...new Set([target, host])];
  const isAlias = target !== host;
  return isAlias && isAuthentic(conclusive(await ask(host, { type: "CNAME" }))) ? [host] : [];
}

/** @throws EgressError for SERVFAIL and refusals: a fault of the zone or an outage. */
function conclusive(answer: DnsAnswer): DnsAnswer {
  const { responseCode: code } = answer;
  if (code === noError || code === nameError) return answer;
  throw new EgressError("unresolved", `the resolver could not answer (code ${code})`);
}

function recordsIn(answer: DnsAnswer): Pick<MailHostDane, "records" | "recordsDropped"> {
  const records = recordData(answer, "TLSA").map(({ usage, selector, matchingType, certificate }): TlsaRecord => {
    const hex = Buffer.from(certificate).toString("hex");
    return { usage, selector, matchingType, data: hex.slice(0, limits.tlsaDataCharsMax), dataBytes: certificate.length };
  });
  const sorted = orderedRecords(records, ({ usage, selector, matchingType, data }) => `${usage} ${selector} ${matchingType} ${data}`);
  return boundedList("records", sorted, limits.dnsRecordsMax);
}
