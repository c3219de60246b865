/** Asks for the MTA-STS record of the registrable domain and, where there is one, for the policy file that it stands for. */
import { failed, type Reading } from "../evidence/evidence.ts";
import type { MailMtaStsPolicyFacts, TextRecords } from "../evidence/facts.ts";
import type { SubjectContext } from "./context.ts";
import { type DnsContext, readOfDomain, textRecordsOf } from "./dns.ts";

/** RFC 8461 section 3.1. */
export function probeMtaSts(context: DnsContext): Promise<Reading<TextRecords>> {
  return readOfDomain(context, (domain) => textRecordsOf(context, `_mta-sts.${domain}`));
}

export interface MtaStsPolicyContext extends SubjectContext {
  /** PEM certificates trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  /** What `probeMtaSts` read. */
  readonly record: Reading<TextRecords>;
}

/** RFC 8461 section 3.3: over https with a certificate for the policy host, without following redirects. */
export async function probeMtaStsPolicy(_context: MtaStsPolicyContext): Promise<Reading<MailMtaStsPolicyFacts>> {
  return failed("not-asked");
}
