/** What DNS says of the name: who may issue certificates, whether answers are signed, and how mail is protected; and the file security.txt. */
import { type Evidence, read } from "../../../evidence/evidence.ts";
import type {
  DnsCaaFacts,
  DnssecFacts,
  MailMtaStsPolicyFacts,
  MailMxFacts,
  MailSpfFacts,
  SecurityTxtFacts,
  TextRecords,
} from "../../../evidence/facts.ts";
import { Foreign, ForeignLines } from "../../components/foreign.tsx";
import { useWords } from "../../context.ts";
import { Cut, Others, Read, Records, shown } from "./parts.tsx";

export function DnsEvidence({ evidence: { dnsCaa, dnssec } }: { readonly evidence: Evidence }) {
  const words = useWords();
  return (
    <>
      <h4>CAA</h4>
      <Read reading={dnsCaa}>
        {({ foundAt, records, recordsDropped, asked }) =>
          foundAt === null ? (
            <p>
              {words.say("evidence.dns.caaNone")} <Foreign>{asked.join(", ")}</Foreign>
            </p>
          ) : (
            <Records asked={[{ name: foundAt, answer: read({ nameExists: true, records: records.map(caaRecord), recordsDropped }) }]} />
          )
        }
      </Read>
      <h4>DNSSEC</h4>
      <Read reading={dnssec}>{(facts) => <Dnssec facts={facts} />}</Read>
    </>
  );
}

/** As a zone file has it; RFC 8659 section 4.1. */
function caaRecord({ critical, tag, value, truncated }: DnsCaaFacts["records"][number]) {
  return { text: `${critical ? 128 : 0} ${tag} "${value}"`, truncated };
}

function Dnssec({ facts: { domain, status, unchecked } }: { readonly facts: DnssecFacts }) {
  const words = useWords();
  return (
    <>
      <p>
        <Foreign>{domain}</Foreign>: {words.say(`evidence.dns.dnssec.${status}`)}
      </p>
      {unchecked !== null && (
        <ul>
          <li>
            {words.say("evidence.dns.dsKeyTags")}{" "}
            {unchecked.dsKeyTags.slice(0, shown.namesMax).join(", ") || words.say("evidence.dns.nothing")}
          </li>
          <li>
            {words.say("evidence.dns.zoneKeyTags")}{" "}
            {unchecked.zoneKeyTags.slice(0, shown.namesMax).join(", ") || words.say("evidence.dns.nothing")}
          </li>
          {unchecked.signatures.slice(0, shown.recordsMax).map(({ covers, validTo }, at) => (
            <li key={String(at)}>{words.say("evidence.dns.signature", { covers, until: words.moment(validTo) })}</li>
          ))}
        </ul>
      )}
    </>
  );
}

export function MailEvidence({
  evidence: { mailMx, mailSpf, mailDmarc, mailMtaSts, mailMtaStsPolicy, mailTlsRpt },
}: {
  readonly evidence: Evidence;
}) {
  const words = useWords();
  return (
    <>
      <h4>{words.say("evidence.readings.mailMx")}</h4>
      <Read reading={mailMx}>
        {({ domain, nameExists, exchangers, exchangersDropped }) => (
          <Records
            asked={[{ name: domain, answer: read({ nameExists, records: exchangers.map(mxRecord), recordsDropped: exchangersDropped }) }]}
          />
        )}
      </Read>
      <h4>SPF</h4>
      <Read reading={mailSpf}>{(facts) => <Spf facts={facts} />}</Read>
      <h4>DMARC</h4>
      <Read reading={mailDmarc}>
        {({ walk, reportReceivers, reportReceiversDropped }) => (
          <>
            <Records asked={walk.map(askedOf)} />
            {reportReceivers.length > 0 && <p class="muted">{words.say("evidence.mail.receivers")}</p>}
            <Records asked={reportReceivers.map(({ domain, answer }) => ({ name: domain, answer }))} />
            <Others count={reportReceiversDropped} />
          </>
        )}
      </Read>
      <h4>MTA-STS</h4>
      <Read reading={mailMtaSts}>{(facts) => <Records asked={[askedOf(facts)]} />}</Read>
      <Read reading={mailMtaStsPolicy}>{(facts) => <MtaStsPolicy facts={facts} />}</Read>
      <h4>TLS-RPT</h4>
      <Read reading={mailTlsRpt}>{(facts) => <Records asked={[askedOf(facts)]} />}</Read>
    </>
  );
}

function mxRecord({ preference, host }: MailMxFacts["exchangers"][number]) {
  return { text: `${preference} ${host === "" ? "." : host}`, truncated: false };
}

function askedOf(answer: TextRecords) {
  return { name: answer.name, answer: read(answer) };
}

function Spf({ facts: { own, followed, followedDropped } }: { readonly facts: MailSpfFacts }) {
  const words = useWords();
  return (
    <>
      <Records asked={[askedOf(own)]} />
      {followed.length > 0 && <p class="muted">{words.say("evidence.mail.followed")}</p>}
      <Records asked={followed.slice(0, shown.rowsMax).map(({ name, type, answer }) => ({ name: `${name} ${type}`, answer }))} />
      <Others count={Math.max(0, followed.length - shown.rowsMax) + followedDropped} />
    </>
  );
}

function MtaStsPolicy({
  facts: { url, unavailableBecause, status, contentType, body, truncated },
}: {
  readonly facts: MailMtaStsPolicyFacts;
}) {
  const words = useWords();
  return (
    <>
      <p>
        <Foreign>{url}</Foreign>:{" "}
        {unavailableBecause === null
          ? words.say("report.facts.status", { status })
          : words.say(`evidence.mail.unavailable.${unavailableBecause}`)}
        {contentType !== null && (
          <>
            , <Foreign>{contentType}</Foreign>
          </>
        )}
      </p>
      <Body body={body} truncated={truncated} />
    </>
  );
}

export function SecurityTxtEvidence({ evidence: { securityTxt } }: { readonly evidence: Evidence }) {
  return <Read reading={securityTxt}>{({ attempts }) => attempts.map((attempt) => <Attempt key={attempt.url} attempt={attempt} />)}</Read>;
}

function Attempt({ attempt }: { readonly attempt: SecurityTxtFacts["attempts"][number] }) {
  const words = useWords();
  const { url, finalUrl, status, contentType, body, truncated } = attempt;
  return (
    <>
      <p>
        <Foreign charsMax={shown.urlCharsMax}>{url}</Foreign>
        {finalUrl !== url && (
          <>
            {" "}
            <span aria-hidden="true">&rarr;</span> <Foreign charsMax={shown.urlCharsMax}>{finalUrl}</Foreign>
          </>
        )}
        : {words.say("report.facts.status", { status })}
        {contentType !== null && (
          <>
            , <Foreign charsMax={shown.urlCharsMax}>{contentType}</Foreign>
          </>
        )}
      </p>
      <Body body={body} truncated={truncated} />
    </>
  );
}

function Body({ body, truncated }: { readonly body: string; readonly truncated: boolean }) {
  if (body === "") return null;
  return (
    <>
      <ForeignLines charsMax={shown.bodyCharsMax}>{body}</ForeignLines>
      <Cut truncated={truncated} />
    </>
  );
}
