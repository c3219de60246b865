/** Probe of DMARC: tree walk for the scanned host and its domain, and consent of report receivers in other domains. */

import type { MailDmarcFacts, TextRecords } from "../../evidence/dns-facts.ts";
import { type Reading, read } from "../../evidence/evidence.ts";
import { dmarcWalkNamesMax, dnsNameCharsMax, reportReceiversMax } from "../../evidence/limits.ts";
import { dmarcNameOf, dmarcWalkNames } from "../../parse/dmarc.ts";
import { effectiveDmarc, endsDmarcWalk } from "../../parse/dmarc-walk.ts";
import { registrableDomainOf } from "../../parse/site.ts";
import { failedBy } from "../context.ts";
import { type DnsContext, readOfDomain, textRecordsOf } from "./dns.ts";

/** RFC 9989 section 4.10. A failed query for a subdomain does not fail the probe, because it does not affect mail of the domain. */
export function probeDmarc(context: DnsContext): Promise<Reading<MailDmarcFacts>> {
  return readOfDomain(context, async (domain) => {
    const walk: TextRecords[] = [];
    await walkFrom(context, domain, walk);
    const hostUnread = await walkFrom(context, context.subject.host, walk).then(
      () => null,
      (thrown) => failedBy(thrown).because,
    );
    const receivers = externalReceivers(walk, domain);
    return {
      domain,
      walk,
      hostUnread,
      reportReceivers: await Promise.all(receivers.slice(0, reportReceiversMax).map((receiver) => askReceiver(context, receiver))),
      reportReceiversDropped: Math.max(0, receivers.length - reportReceiversMax),
    };
  });
}

/** Adds the answers that the walk from `start` needs and does not have yet. */
async function walkFrom(context: DnsContext, start: string, walk: TextRecords[]): Promise<void> {
  for (const domain of dmarcWalkNames(start)) {
    const name = dmarcNameOf(domain);
    if (!walk.some((answer) => answer.name === name)) {
      if (walk.length === dmarcWalkNamesMax) return;
      walk.push(await textRecordsOf(context, name));
    }
    if (endsDmarcWalk(walk, start, domain)) return;
  }
}

interface ExternalReceiver {
  readonly policyDomain: string;
  readonly host: string;
}

/** RFC 9990 section 4: receivers of another organisation, here another registrable domain or none. */
function externalReceivers(walk: readonly TextRecords[], domain: string): readonly ExternalReceiver[] {
  const published = effectiveDmarc(walk, domain);
  if (published === null) return [];
  const policyDomain = published.domain;
  const hosts = new Set((published.record.rua ?? []).filter(({ kind }) => kind === "mailto").map(({ host }) => host));
  return [...hosts].filter((host) => !isSameOrganisation(host, policyDomain)).map((host) => ({ policyDomain, host }));
}

function isSameOrganisation(host: string, policyDomain: string): boolean {
  if (host === policyDomain || host.endsWith(`.${policyDomain}`)) return true;
  const organisation = registrableDomainOf(policyDomain);
  return organisation !== null && registrableDomainOf(host) === organisation;
}

async function askReceiver(
  context: DnsContext,
  { policyDomain, host }: ExternalReceiver,
): Promise<MailDmarcFacts["reportReceivers"][number]> {
  const name = `${policyDomain}._report._dmarc.${host}`;
  // Step 4: a name too long for DNS cannot exist, so there is no consent.
  if (name.length > dnsNameCharsMax) return { domain: host, answer: read({ name, nameExists: false, records: [], recordsDropped: 0 }) };
  try {
    return { domain: host, answer: read(await textRecordsOf(context, name)) };
  } catch (thrown) {
    return { domain: host, answer: failedBy(thrown) };
  }
}
