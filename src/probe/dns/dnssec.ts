/** Finds out what a validating resolver makes of the registrable domain's signatures. */
import { within } from "../../base/deadline.ts";
import { askDns, type DnsServer } from "../../egress/dns-client.ts";
import { type DnsAnswer, noError, serverFailure } from "../../egress/dns-message.ts";
import { authenticData, checkingDisabled, dnssecOk, resolversOf } from "../../egress/resolvers.ts";
import { failed, type Reading, read } from "../../evidence/evidence.ts";
import type { DnssecFacts } from "../../evidence/facts.ts";
import { dnsRecordsMax } from "../../evidence/limits.ts";
import { failedBy } from "../failure.ts";
import type { DnsContext } from "./dns.ts";
import { dnskeyTag } from "./dnskey-tag.ts";

/** RFC 8375 section 7: a name that is kept unsigned on purpose, and that resolvers know by themselves. */
const insecureName = "home.arpa";
/** It is no more than a second look. */
const secondLookMs = 1_500;

/** A question to one resolver, with DO. `CD` asks it not to check signatures. */
type Ask = (
  name: string,
  wish?: { readonly type?: "SOA" | "NS" | "CNAME" | "DS" | "DNSKEY"; readonly unchecked?: boolean },
) => Promise<DnsAnswer>;

/**
 * One resolver after the other until one can tell: of two that differ in what they validate, no pair of answers proves anything.
 */
export async function probeDnssec({ subject, dnsServers, signal }: DnsContext): Promise<Reading<DnssecFacts>> {
  const { registrableDomain: domain } = subject;
  if (domain === null) return failed("not-asked");
  let reading: Reading<DnssecFacts> = failed("unreachable");
  for (const resolver of resolversOf(dnsServers)) {
    reading = await statusAsToldBy(resolver, domain, signal);
    if (reading.status === "read" || signal.aborted) break;
  }
  return reading;
}

/** RFC 4035 section 3.2.3: a validating resolver sets AD on what it has proven, and answers SERVFAIL for what it has disproven. */
async function statusAsToldBy(resolver: DnsServer, domain: string, signal: AbortSignal): Promise<Reading<DnssecFacts>> {
  // Every zone has a SOA record.
  const ask: Ask = (name, { type = "SOA", unchecked = false } = {}) =>
    askDns(resolver, { name, type, flags: unchecked ? checkingDisabled : 0, ednsFlags: dnssecOk }, signal);
  try {
    const answer = await ask(domain);
    if (answer.responseCode !== serverFailure) return await statusWhenAnswered(ask, domain, answer);
    // A server that was away for a moment is no forger: what is refused must be given out with checking disabled, and be refused again.
    const unchecked = await ask(domain, { unchecked: true });
    if (unchecked.responseCode !== noError) return failed("unresolved");
    const again = await ask(domain);
    if (again.responseCode !== serverFailure) return await statusWhenAnswered(ask, domain, again);
    // RFC 9520: for a while a resolver repeats a failure from memory. What it was not asked before it has to look for, and
    // where it finds that, the domain's chain of trust holds.
    const other = await ask(domain, { type: "NS" });
    if (other.responseCode !== serverFailure) return await statusWhenAnswered(ask, domain, other);
    if (!(await validates(ask))) return failed("unresolved");
    return read({ domain, status: "bogus", unchecked: await readUnchecked(ask, domain, unchecked) });
  } catch (thrown) {
    return failedBy(thrown);
  }
}

async function statusWhenAnswered(ask: Ask, domain: string, answer: DnsAnswer): Promise<Reading<DnssecFacts>> {
  // A proof that there is no such domain proves the zone above.
  if (answer.responseCode !== noError) return failed("unresolved");
  // Behind an alias the answer is no more secure than the alias's target, which is another domain's affair.
  const isAlias = answer.answers.some(({ type }) => type === "CNAME");
  const own = !isAuthentic(answer) && isAlias ? await ask(domain, { type: "CNAME" }) : answer;
  if (!isAuthentic(own)) return (await validates(ask)) ? read({ domain, status: "insecure", unchecked: null }) : failed("unsupported");
  return (await setsAdBlindly(ask)) ? failed("unsupported") : read({ domain, status: "secure", unchecked: null });
}

/**
 * Why it is bogus. Resolvers may say so by themselves (RFC 8914), but what they say depends on which question they were
 * asked first; the records do not.
 */
async function readUnchecked(ask: Ask, domain: string, soa: DnsAnswer): Promise<DnssecFacts["unchecked"]> {
  try {
    const [ds, keys] = await Promise.all((["DS", "DNSKEY"] as const).map((type) => ask(domain, { type, unchecked: true })));
    if (ds?.responseCode !== noError || keys?.responseCode !== noError) return null;
    return {
      dsKeyTags: ordered(ds.answers.flatMap((record) => (record.type === "DS" ? [record.data.keyTag] : []))),
      zoneKeyTags: ordered(keys.answers.flatMap((record) => (record.type === "DNSKEY" ? [dnskeyTag(record.data)] : []))),
      signatures: [...signaturesAmong(soa, "SOA"), ...signaturesAmong(keys, "DNSKEY")],
    };
  } catch {
    return null;
  }
}

/** Each once, however the records came. */
function ordered(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].sort((one, other) => one - other).slice(0, dnsRecordsMax);
}

function signaturesAmong({ answers }: DnsAnswer, covers: "SOA" | "DNSKEY"): NonNullable<DnssecFacts["unchecked"]>["signatures"] {
  const expirations = answers.flatMap((record) => (record.type === "RRSIG" ? [record.data.expiration] : []));
  return ordered(expirations).map((seconds) => ({ covers, validTo: new Date(1_000 * seconds).toISOString() }));
}

/** The root is signed: a resolver that does not set AD on it does not validate, or something in between takes AD away. */
async function validates(ask: Ask): Promise<boolean> {
  return isAuthentic(await ask("."));
}

/**
 * A resolver that sets AD on everything is told by a name that cannot be secure. One that sets it on forgeries alone is not:
 * that would take a domain which is broken on purpose, and so somebody else's server.
 */
async function setsAdBlindly(ask: Ask): Promise<boolean> {
  const answer = await within(secondLookMs, ask(insecureName), null).catch(() => null);
  return answer?.responseCode === noError && isAuthentic(answer);
}

function isAuthentic({ flags = 0 }: DnsAnswer): boolean {
  return (flags & authenticData) !== 0;
}
