/** Finds out what a validating resolver makes of the registrable domain's signatures. */
import type { DnsServer } from "../egress/dns-client.ts";
import { askResolvers, authenticData, checkingDisabled, type DnsAnswer, dnssecOk, resolversOf } from "../egress/resolvers.ts";
import { failed, type Reading, read } from "../evidence/evidence.ts";
import type { DnssecFacts } from "../evidence/facts.ts";
import type { DnsContext } from "./dns.ts";
import { failedBy } from "./failure.ts";

/** Every zone has one. */
const type = "SOA";

/**
 * One resolver after the other until one can tell: of two that differ in what they validate, no pair of answers proves anything.
 */
export async function probeDnssec({ subject, dnsServers, signal }: DnsContext): Promise<Reading<DnssecFacts>> {
  if (subject.registrableDomain === null) return failed("not-asked");
  let reading: Reading<DnssecFacts> = failed("unreachable");
  for (const resolver of resolversOf(dnsServers)) {
    reading = await statusAsToldBy(resolver, subject.registrableDomain, signal);
    if (reading.status === "read" || signal.aborted) break;
  }
  return reading;
}

/**
 * RFC 4035 section 3.2.3: a validating resolver sets AD on what it has proven. A domain without AD is insecure only where
 * the resolver sets AD on the root, which is signed; else it does not validate, and nothing is known. A domain that it
 * refuses, but gives out with checking disabled, is bogus.
 */
async function statusAsToldBy(resolver: DnsServer, domain: string, signal: AbortSignal): Promise<Reading<DnssecFacts>> {
  const ask = (name: string, flags = 0) => askResolvers([resolver], { name, type, flags, ednsFlags: dnssecOk }, signal);
  const validates = async () => isAuthentic(await ask("."));
  try {
    let answer: DnsAnswer;
    try {
      answer = await ask(domain);
    } catch (refusal) {
      await ask(domain, checkingDisabled);
      return (await validates()) ? read({ domain, status: "bogus" }) : failedBy(refusal);
    }
    if (isAuthentic(answer)) return read({ domain, status: "secure" });
    return (await validates()) ? read({ domain, status: "insecure" }) : failed("unsupported");
  } catch (thrown) {
    return failedBy(thrown);
  }
}

function isAuthentic({ flags = 0 }: DnsAnswer): boolean {
  return (flags & authenticData) !== 0;
}
