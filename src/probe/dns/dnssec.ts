/** DNSSEC probe: status of the registrable domain according to a validating resolver. */
import { within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import { askDns, authenticData, checkingDisabled, type DnsServer, dnssecOk, resolversOf } from "../../egress/dns-client.ts";
import { type DnsAnswer, noError, serverFailure } from "../../egress/dns-message.ts";
import type { DnssecFacts } from "../../evidence/dns-facts.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import { dnsRecordsMax } from "../../evidence/limits.ts";
import { failedBy } from "../context.ts";
import { type DnsContext, recordData } from "./dns.ts";

// Questions to a DNSSEC-validating resolver, and whether a resolver validates at all; RFC 4035 section 3.2.3.

/** RFC 8375 section 7: deliberately unsigned, and known to resolvers without a query. */
const insecureName = "home.arpa";
/** Short, because `setsAdBlindly` only confirms a result. */
const confirmationMs = 1_500;

/** A query to one resolver with the DO flag. `unchecked` sets CD, which disables validation. */
export type ValidatedAsk = (
  name: string,
  options?: { readonly type?: "SOA" | "NS" | "CNAME" | "DS" | "DNSKEY" | "A" | "AAAA" | "TLSA"; readonly unchecked?: boolean },
) => Promise<DnsAnswer>;

/** Asks for SOA by default, because every zone has one. */
function validatedAskOf(resolver: DnsServer, signal: AbortSignal): ValidatedAsk {
  return (name, { type = "SOA", unchecked = false } = {}) =>
    askDns(resolver, { name, type, flags: unchecked ? checkingDisabled : 0, ednsFlags: dnssecOk }, signal);
}

/** True if the resolver validated the answer and its proof: the AD flag. */
export function isAuthentic({ flags = 0 }: DnsAnswer): boolean {
  return (flags & authenticData) !== 0;
}

/** The root is signed: without AD on it, the resolver does not validate, or a middlebox clears AD. */
export async function validates(ask: ValidatedAsk): Promise<boolean> {
  return isAuthentic(await ask("."));
}

/**
 * Detects a resolver that sets AD on everything, with a name that cannot be secure. Detecting AD on bogus answers only
 * would need a third party's broken domain.
 */
export async function setsAdBlindly(ask: ValidatedAsk): Promise<boolean> {
  const answer = await within(deadlineClock, confirmationMs, ask(insecureName), null).catch(() => null);
  return answer?.responseCode === noError && isAuthentic(answer);
}

/** Reading by the first resolver that gives one. Answers of different resolvers are never combined, because they may validate differently. */
export async function readByOneResolver<F>(
  { dnsServers, signal }: DnsContext,
  readBy: (ask: ValidatedAsk) => Promise<Reading<F>>,
): Promise<Reading<F>> {
  let reading: Reading<F> = failed("unreachable");
  for (const resolver of resolversOf(dnsServers)) {
    reading = await readBy(validatedAskOf(resolver, signal)).catch(failedBy);
    if (reading.status === "read" || signal.aborted) break;
  }
  return reading;
}

export async function probeDnssec(context: DnsContext): Promise<Reading<DnssecFacts>> {
  const { registrableDomain: domain } = context.subject;
  return domain === null ? failed("not-asked") : readByOneResolver(context, (ask) => statusOf(ask, domain));
}

/** RFC 4035 section 3.2.3: a validating resolver sets AD on secure answers, and answers SERVFAIL for bogus ones. */
async function statusOf(ask: ValidatedAsk, domain: string): Promise<Reading<DnssecFacts>> {
  const answer = await ask(domain);
  if (answer.responseCode !== serverFailure) return statusWhenAnswered(ask, domain, answer);
  // SERVFAIL may be a brief outage. Bogus data is available with validation disabled, and fails again.
  const unchecked = await ask(domain, { unchecked: true });
  if (unchecked.responseCode !== noError) return failed("unresolved");
  const again = await ask(domain);
  if (again.responseCode !== serverFailure) return statusWhenAnswered(ask, domain, again);
  // RFC 9520: resolvers cache failures. A new question bypasses the cache; its success proves the chain of trust.
  const other = await ask(domain, { type: "NS" });
  if (other.responseCode !== serverFailure) return statusWhenAnswered(ask, domain, other);
  if (!(await validates(ask))) return failed("unresolved");
  return read({ domain, status: "bogus", unchecked: await readUnchecked(ask, domain, unchecked) });
}

async function statusWhenAnswered(ask: ValidatedAsk, domain: string, answer: DnsAnswer): Promise<Reading<DnssecFacts>> {
  // A proof that the domain does not exist concerns the parent zone.
  if (answer.responseCode !== noError) return failed("unresolved");
  // An answer through an alias is only as secure as the target, which belongs to another domain.
  const isAlias = answer.answers.some(({ type }) => type === "CNAME");
  const own = !isAuthentic(answer) && isAlias ? await ask(domain, { type: "CNAME" }) : answer;
  if (!isAuthentic(own)) return (await validates(ask)) ? read({ domain, status: "insecure", unchecked: null }) : failed("unsupported");
  return (await setsAdBlindly(ask)) ? failed("unsupported") : read({ domain, status: "secure", unchecked: null });
}

/** Records that show why the domain is bogus. Extended errors (RFC 8914) depend on the order of questions; records do not. */
async function readUnchecked(ask: ValidatedAsk, domain: string, soa: DnsAnswer): Promise<DnssecFacts["unchecked"]> {
  try {
    const [ds, keys] = await Promise.all((["DS", "DNSKEY"] as const).map((type) => ask(domain, { type, unchecked: true })));
    if (ds?.responseCode !== noError || keys?.responseCode !== noError) return null;
    return {
      dsKeyTags: sortedUnique(recordData(ds, "DS").map(({ keyTag }) => keyTag)),
      zoneKeyTags: sortedUnique(recordData(keys, "DNSKEY").map(dnskeyTag)),
      signatures: [...signaturesAmong(soa, "SOA"), ...signaturesAmong(keys, "DNSKEY")],
    };
  } catch {
    return null;
  }
}

function sortedUnique(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].sort((one, other) => one - other).slice(0, dnsRecordsMax);
}

function signaturesAmong(answer: DnsAnswer, covers: "SOA" | "DNSKEY"): NonNullable<DnssecFacts["unchecked"]>["signatures"] {
  const expirations = recordData(answer, "RRSIG").map(({ expiration }) => expiration);
  return sortedUnique(expirations).map((seconds) => ({ covers, validTo: new Date(1_000 * seconds).toISOString() }));
}

/** RFC 4034 appendix B: sum of the record's 16-bit words, carry added once. Obsolete algorithm 1 has another rule. */
function dnskeyTag({ flags, algorithm, key }: { readonly flags: number; readonly algorithm: number; readonly key: Uint8Array }): number {
  const protocol = 3;
  const bytes = Uint8Array.from([flags >> 8, flags & 0xff, protocol, algorithm, ...key]);
  const sum = bytes.reduce((total, byte, at) => total + (at % 2 === 0 ? byte << 8 : byte), 0);
  return (sum + ((sum >> 16) & 0xffff)) & 0xffff;
}
