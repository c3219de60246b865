/** CAA and DNSSEC evidence of the scanned domain. */

import type { DnsCaaFacts, DnssecFacts } from "../../../evidence/dns-facts.ts";
import { type Evidence, read } from "../../../evidence/evidence.ts";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { useI18n } from "../../context.ts";
import { displayLimits, ReadingContent, Records } from "./evidence-blocks.tsx";

export function DnsEvidence({ evidence: { dnsCaa, dnssec } }: { readonly evidence: Evidence }) {
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
    </>
  );
}

/** Zone file format (RFC 8659 section 4.1). */
function caaRecord({ critical, tag, value, truncated }: DnsCaaFacts["records"][number]) {
  return { text: `${critical ? 128 : 0} ${tag} "${value}"`, truncated };
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
