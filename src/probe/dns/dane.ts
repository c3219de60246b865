/** DANE probe: TLSA records of the mail hosts, as a validating resolver answers; RFC 7672 section 2.2. */

import { mailHosts } from "../../check/mail.ts";
import { type DnsAnswer, nameError, noError } from "../../egress/dns-message.ts";
import { EgressError } from "../../egress/egress-error.ts";
import { resolversOf } from "../../egress/resolvers.ts";
import type { MailDaneFacts, MailHostDane, MailMxFacts, TlsaRecord } from "../../evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import { daneHostsMax, dnsRecordsMax, tlsaDataCharsMax } from "../../evidence/limits.ts";
import { failedBy } from "../context.ts";
import type { DnsContext } from "./dns.ts";
import { isAuthentic, setsAdBlindly, type ValidatedAsk, validatedAskOf, validates } from "./validation.ts";

export interface MailDaneContext extends DnsContext {
  readonly mailMx: Reading<MailMxFacts>;
}

/** Asks the first resolver that validates. Answers of different resolvers are never combined. */
export async function probeMailDane({ dnsServers, signal, mailMx }: MailDaneContext): Promise<Reading<MailDaneFacts>> {
  const hosts = mailMx.status === "read" ? mailHosts(mailMx.facts) : [];
  if (hosts.length === 0) return failed("not-asked");
  let failure = failed("unreachable");
  for (const resolver of resolversOf(dnsServers)) {
    const ask = validatedAskOf(resolver, signal);
    try {
      if ((await validates(ask)) && !(await setsAdBlindly(ask))) return read(await daneOfAll(ask, hosts));
      failure = failed("unsupported");
    } catch (thrown) {
      failure = failedBy(thrown);
    }
    if (signal.aborted) break;
  }
  return failure;
}

async function daneOfAll(ask: ValidatedAsk, hosts: readonly string[]): Promise<MailDaneFacts> {
  const answers = hosts.slice(0, daneHostsMax).map(async (host) => {
    const answer = await daneOf(ask, host).then(read<MailHostDane>, failedBy);
    return { host, answer };
  });
  return { hosts: await Promise.all(answers), hostsDropped: Math.max(0, hosts.length - daneHostsMax) };
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

/** The answer with addresses of either family; null if the host has none. */
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

function recordsIn({ answers }: DnsAnswer): Pick<MailHostDane, "records" | "recordsDropped"> {
  const records = answers.flatMap((record) => (record.type === "TLSA" ? [tlsaRecord(record.data)] : []));
  return { records: records.sort(byContent).slice(0, dnsRecordsMax), recordsDropped: Math.max(0, records.length - dnsRecordsMax) };
}

interface TlsaData {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  readonly certificate: Uint8Array;
}

function tlsaRecord({ usage, selector, matchingType, certificate }: TlsaData): TlsaRecord {
  const hex = Buffer.from(certificate).toString("hex");
  return { usage, selector, matchingType, data: hex.slice(0, tlsaDataCharsMax), dataBytes: certificate.length };
}

/** Sorted, because record sets have no order. */
function byContent(one: TlsaRecord, other: TlsaRecord): number {
  const [left, right] = [one, other].map(({ usage, selector, matchingType, data }) => `${usage} ${selector} ${matchingType} ${data}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
