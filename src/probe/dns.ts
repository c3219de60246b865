/** Asks the appliance's resolvers about the scanned host. */
import { askResolvers, type CaaRecord, type DnsAnswer, resolversOf } from "../egress/resolvers.ts";
import { boundedText } from "../evidence/bound.ts";
import { failed, type Reading, read } from "../evidence/evidence.ts";
import type { DnsCaaFacts } from "../evidence/facts.ts";
import { dnsRecordCharsMax, dnsRecordsMax } from "../evidence/limits.ts";
import type { SubjectContext } from "./context.ts";
import { failedBy } from "./failure.ts";

export interface DnsContext extends Omit<SubjectContext, "egress"> {
  /** As in the egress settings. */
  readonly dnsServers: readonly string[];
}

/**
 * Climbs from the host to the top-level domain until a name has CAA records (RFC 8659 section 3); the resolver follows
 * aliases. Addresses and names outside of the public DNS are not asked about.
 */
export async function probeDnsCaa({ subject, dnsServers, signal }: DnsContext): Promise<Reading<DnsCaaFacts>> {
  if (subject.registrableDomain === null) return failed("not-asked");
  try {
    const resolvers = resolversOf(dnsServers);
    const asked: string[] = [];
    for (const name of upwards(subject.host)) {
      asked.push(name);
      const records = caaRecords(await askResolvers(resolvers, { name, type: "CAA" }, signal));
      if (records.length > 0) return read({ ...bounded(records), foundAt: name, asked });
    }
    return read({ ...bounded([]), foundAt: null, asked });
  } catch (thrown) {
    return failedBy(thrown);
  }
}

/** `www.site.example`, `site.example`, `example`. */
function upwards(host: string): readonly string[] {
  const labels = host.split(".");
  return labels.map((_, at) => labels.slice(at).join("."));
}

function caaRecords({ answers = [] }: DnsAnswer): readonly CaaRecord[] {
  return answers.flatMap((record) => (record.type === "CAA" ? [record.data] : []));
}

function bounded(records: readonly CaaRecord[]): Pick<DnsCaaFacts, "records" | "recordsDropped"> {
  return {
    records: records.slice(0, dnsRecordsMax).map(({ flags, tag, value }) => {
      const { text, truncated } = boundedText(value, dnsRecordCharsMax);
      return { critical: ((flags ?? 0) & criticalFlag) !== 0, tag: boundedText(tag, dnsRecordCharsMax).text, value: text, truncated };
    }),
    recordsDropped: Math.max(0, records.length - dnsRecordsMax),
  };
}

/** Bit 0, counted from the left: RFC 8659 section 4.1. */
const criticalFlag = 0x80;
