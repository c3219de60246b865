/** Finds out what a validating resolver makes of the registrable domain's signatures. */
import { askResolvers, authenticData, checkingDisabled, type DnsAnswer, dnssecOk, resolversOf } from "../egress/resolvers.ts";
import { failed, type Reading, read } from "../evidence/evidence.ts";
import type { DnssecFacts } from "../evidence/facts.ts";
import type { DnsContext } from "./dns.ts";
import { failedBy } from "./failure.ts";

/** Every zone has one. */
const type = "SOA";

/**
 * RFC 4035 section 3.2.3: a validating resolver sets AD on what it has proven. A domain without AD is insecure only where
 * the resolver sets AD on the root, which is signed; else it does not validate, and nothing is known. A domain that it
 * refuses, but gives out with checking disabled, is bogus.
 */
export async function probeDnssec({ subject, dnsServers, signal }: DnsContext): Promise<Reading<DnssecFacts>> {
  const { registrableDomain: domain } = subject;
  if (domain === null) return failed("not-asked");
  const resolvers = resolversOf(dnsServers);
  const ask = (name: string, flags = 0) => askResolvers(resolvers, { name, type, flags, ednsFlags: dnssecOk }, signal);
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
