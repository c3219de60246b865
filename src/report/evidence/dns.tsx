/** DNS evidence of the scanned domain: CAA, DNSSEC, IPv6 addresses and name servers. */

import type { DnsCaaFacts, DnsNameServersFacts, DnssecFacts } from "../../evidence/dns-facts.ts";
import { type Evidence, type Reading, read } from "../../evidence/evidence.ts";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { displayLimits, ReadingContent, Records } from "./evidence-blocks.tsx";

export function DnsEvidence({ evidence: { dnsCaa, dnssec, dnsIpv6, dnsNameServers } }: { readonly evidence: Evidence }) {
  const i18n = useI18n();
  return (
    <>
      <h4>CAA</h4>
      <ReadingContent reading={dnsCaa}>
        {({ foundAt, records, recordsDropped, asked }) =>
          foundAt === null ? (
            <p>
              {i18n.t("evidence.dns.caaNone")} <UntrustedText>{asked.join(", ")}</UntrustedText>
            </p>
          ) : (
            <Records queries={[{ name: foundAt, answer: read({ nameExists: true, records: records.map(caaRecord), recordsDropped }) }]} />
          )
        }
      </ReadingContent>
      <h4>DNSSEC</h4>
      <ReadingContent reading={dnssec}>{(facts) => <Dnssec facts={facts} />}</ReadingContent>
      <h4>{i18n.t("evidence.readings.dnsIpv6")}</h4>
      <ReadingContent reading={dnsIpv6}>
        {({ host, nameExists, addresses }) => (
          <Records queries={[{ name: `${host} AAAA`, answer: read({ nameExists, records: addresses.map(uncut) }) }]} />
        )}
      </ReadingContent>
      <h4>{i18n.t("evidence.readings.dnsNameServers")}</h4>
      <ReadingContent reading={dnsNameServers}>{(facts) => <NameServers facts={facts} />}</ReadingContent>
    </>
  );
}

/** Zone file format (RFC 8659 section 4.1). */
function caaRecord({ critical, tag, value, truncated }: DnsCaaFacts["records"][number]) {
  return { text: `${critical ? 128 : 0} ${tag} "${value}"`, truncated };
}

function uncut(text: string) {
  return { text, truncated: false };
}

function NameServers({ facts: { zone, servers, serversDropped } }: { readonly facts: DnsNameServersFacts }) {
  const i18n = useI18n();
  if (zone === null) return <p>{i18n.t("evidence.dns.noZone")}</p>;
  const addresses = servers.flatMap(({ host, ipv4, ipv6 }) => [addressQuery(`${host} A`, ipv4), addressQuery(`${host} AAAA`, ipv6)]);
  const records = servers.map(({ host }) => uncut(host));
  return (
    <Records
      queries={[{ name: `${zone} NS`, answer: read({ nameExists: true, records, recordsDropped: serversDropped }) }, ...addresses]}
    />
  );
}

function addressQuery(name: string, answer: Reading<readonly string[]>) {
  return { name, answer: answer.status === "read" ? read({ nameExists: true, records: answer.facts.map(uncut) }) : answer };
}

function Dnssec({ facts: { domain, status, unchecked } }: { readonly facts: DnssecFacts }) {
  const i18n = useI18n();
  return (
    <>
      <p>
        <UntrustedText>{domain}</UntrustedText>: {i18n.t(`evidence.dns.dnssec.${status}`)}
      </p>
      {unchecked !== null && (
        <ul>
          <li>
            {i18n.t("evidence.dns.dsKeyTags")}{" "}
            {unchecked.dsKeyTags.slice(0, displayLimits.namesMax).join(", ") || i18n.t("evidence.dns.nothing")}
          </li>
          <li>
            {i18n.t("evidence.dns.zoneKeyTags")}{" "}
            {unchecked.zoneKeyTags.slice(0, displayLimits.namesMax).join(", ") || i18n.t("evidence.dns.nothing")}
          </li>
          {unchecked.signatures.slice(0, displayLimits.recordsMax).map(({ covers, validTo }, at) => (
            <li key={String(at)}>{i18n.t("evidence.dns.signature", { covers, until: i18n.dateTime(validTo) })}</li>
          ))}
        </ul>
      )}
    </>
  );
}
