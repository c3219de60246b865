/** Probes of MX, CAA, TLS reporting, host addresses and name servers, and the TXT queries that other probes share. */
import { askResolvers, type CaaRecord, resolversOf } from "../../egress/dns-client.ts";
import { type DnsAnswer, type DnsQuestion, nameError } from "../../egress/dns-message.ts";
import type { DnsCaaFacts, DnsIpv6Facts, DnsNameServersFacts, MailMxFacts, TextRecords } from "../../evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import { dnsRecordCharsMax, dnsRecordsMax, hostAddressesMax, nameServersMax } from "../../evidence/limits.ts";
import { boundedList, boundedText } from "../../evidence/redact.ts";
import { isRegistrySuffix } from "../../parse/site.ts";
import { failedBy, type SubjectContext } from "../context.ts";

export interface DnsContext extends Omit<SubjectContext, "egress"> {
  readonly dnsServers: readonly string[];
}

/** Reading of a probe of the registrable domain; `not-asked` for addresses and names outside the public DNS. */
export async function readOfDomain<F>({ subject }: DnsContext, probe: (domain: string) => Promise<F>): Promise<Reading<F>> {
  return subject.registrableDomain === null ? failed("not-asked") : probe(subject.registrableDomain).then(read<F>, failedBy);
}

/** @throws EgressError when no resolver answered. */
export function queryDns({ dnsServers, signal }: DnsContext, name: string, type: DnsQuestion["type"]): Promise<DnsAnswer> {
  return askResolvers(resolversOf(dnsServers), { name, type }, signal);
}

/** Data of the records of one type. */
export function recordData<T extends DnsRecord["type"]>({ answers }: DnsAnswer, type: T): readonly RecordData<T>[] {
  const records = answers.filter((record) => record.type === type);
  return records.map((record) => (record as DnsRecord & { readonly data: RecordData<T> }).data);
}

type DnsRecord = DnsAnswer["answers"][number];
type RecordData<T, R = DnsRecord> = R extends { readonly type: infer U; readonly data: infer D } ? (T extends U ? D : never) : never;

/** The TXT records of a name, each truncated at `charsMax`. @throws EgressError when no resolver answered. */
export async function textRecordsOf(context: DnsContext, name: string, charsMax = dnsRecordCharsMax): Promise<TextRecords> {
  const answer = await queryDns(context, name, "TXT");
  const texts = orderedRecords(recordData(answer, "TXT").map(joined), textOrder).map((text) => boundedText(text, charsMax));
  return { name, nameExists: nameExistsIn(answer), ...boundedList("records", texts, dnsRecordsMax) };
}

/** Sorted, because record sets have no order (RFC 2181 section 5) and resolvers rotate them. */
export function orderedRecords<T>(records: readonly T[], orderOf: (record: T) => string): readonly T[] {
  return records
    .map((record) => ({ record, order: orderOf(record) }))
    .sort((one, other) => (one.order < other.order ? -1 : Number(one.order > other.order)))
    .map(({ record }) => record);
}

/** Sorts policies first, because verification records may exceed the limit. */
function textOrder(text: string): string {
  return /^v=/i.test(text) ? ` ${text}` : `~${text}`;
}

export function nameExistsIn(answer: DnsAnswer): boolean {
  return answer.responseCode !== nameError;
}

/** RFC 7208 section 3.3: joins strings of up to 255 bytes without a separator. */
function joined(data: string | Buffer | readonly (string | Buffer)[]): string {
  return [data]
    .flat()
    .map((part) => part.toString())
    .join("");
}

/** TLS reporting, RFC 8460 section 3. */
export function probeTlsRpt(context: DnsContext): Promise<Reading<TextRecords>> {
  return readOfDomain(context, (domain) => textRecordsOf(context, `_smtp._tls.${domain}`));
}

/** Mail exchangers, RFC 5321 section 5.1. */
export function probeMx(context: DnsContext): Promise<Reading<MailMxFacts>> {
  return readOfDomain(context, async (domain) => {
    const answer = await queryDns(context, domain, "MX");
    const exchangers = orderedRecords(recordData(answer, "MX"), mxOrder).map(({ preference = 0, exchange }) => ({
      preference,
      host: hostIn(exchange),
    }));
    return { domain, nameExists: nameExistsIn(answer), ...boundedList("exchangers", exchangers, dnsRecordsMax) };
  });
}

function mxOrder({ preference = 0, exchange }: { readonly preference?: number | undefined; readonly exchange: string }): string {
  return `${String(preference).padStart(5, "0")} ${exchange}`;
}

/** Climbs from the host to the top-level domain until a name has CAA records (RFC 8659 section 3). */
export function probeDnsCaa(context: DnsContext): Promise<Reading<DnsCaaFacts>> {
  return readOfDomain(context, async () => {
    const asked: string[] = [];
    for (const name of upwards(context.subject.host)) {
      asked.push(name);
      const records = recordData(await queryDns(context, name, "CAA"), "CAA");
      if (records.length > 0) return { ...boundedCaa(records), foundAt: name, asked };
    }
    return { ...boundedCaa([]), foundAt: null, asked };
  });
}

function upwards(host: string): readonly string[] {
  const labels = host.split(".");
  return labels.map((_, at) => labels.slice(at).join("."));
}

function boundedCaa(records: readonly CaaRecord[]): Pick<DnsCaaFacts, "records" | "recordsDropped"> {
  const properties = orderedRecords(records, ({ tag, value }) => `${tag} ${value}`).map(({ flags, tag, value }) => {
    const { text, truncated } = boundedText(value, dnsRecordCharsMax);
    return { critical: ((flags ?? 0) & criticalFlag) !== 0, tag: boundedText(tag, dnsRecordCharsMax).text, value: text, truncated };
  });
  return boundedList("records", properties, dnsRecordsMax);
}

/** Bit 0, counted from the left: RFC 8659 section 4.1. */
const criticalFlag = 0x80;

// Probes of the addresses of the scanned host and of the domain's name servers.

/** AAAA records of the scanned host, RFC 3596. */
export function probeDnsIpv6(context: DnsContext): Promise<Reading<DnsIpv6Facts>> {
  const { host } = context.subject;
  return readOfDomain(context, async () => ({ host, ...(await addressesOf(context, host, "AAAA")) }));
}

type NameServer = DnsNameServersFacts["servers"][number];

/** NS records of the domain and the addresses of these hosts. */
export function probeNameServers(context: DnsContext): Promise<Reading<DnsNameServersFacts>> {
  return readOfDomain(context, async (domain) => {
    const { zone, hosts } = await nameServersOf(context, domain);
    const { servers, serversDropped } = boundedList("servers", hosts, nameServersMax);
    return { zone, servers: await Promise.all(servers.map((host) => nameServer(context, host))), serversDropped };
  });
}

/** A domain below a private suffix may lie in the zone of its provider: the search climbs up to the registry's suffix. */
async function nameServersOf(
  context: DnsContext,
  domain: string,
): Promise<{ readonly zone: string | null; readonly hosts: readonly string[] }> {
  for (let zone = domain; zone.includes(".") && !isRegistrySuffix(zone); zone = zone.slice(zone.indexOf(".") + 1)) {
    const { answers } = await queryDns(context, zone, "NS");
    // Records of another owner belong to the target of an alias.
    const hosts = answers.flatMap((record) => (record.type === "NS" && record.name.toLowerCase() === zone ? [hostIn(record.data)] : []));
    if (hosts.length > 0) return { zone, hosts: [...new Set(hosts)].sort() };
  }
  return { zone: null, hosts: [] };
}

function hostIn(data: string): string {
  return boundedText(data.replace(/\.$/, "").toLowerCase(), dnsRecordCharsMax).text;
}

async function nameServer(context: DnsContext, host: string): Promise<NameServer> {
  const addresses = (type: "A" | "AAAA") => addressesOf(context, host, type).then((found) => read(found.addresses), failedBy);
  const [ipv4, ipv6] = await Promise.all([addresses("A"), addresses("AAAA")]);
  return { host, ipv4, ipv6 };
}

/** @throws EgressError when no resolver answered. */
async function addressesOf(context: DnsContext, name: string, type: "A" | "AAAA"): Promise<Omit<DnsIpv6Facts, "host">> {
  const answer = await queryDns(context, name, type);
  return { nameExists: nameExistsIn(answer), addresses: [...new Set(addressesIn(answer))].sort().slice(0, hostAddressesMax) };
}

export function addressesIn(answer: DnsAnswer): readonly string[] {
  return [...recordData(answer, "A"), ...recordData(answer, "AAAA")];
}
