/** Mail evidence of the domain: MX, SPF, DMARC, MTA-STS, TLS-RPT and DANE. */

import type { MailDaneFacts, MailHostDane, MailMxFacts, MailSpfFacts, TextRecords } from "../../evidence/dns-facts.ts";
import { type Evidence, read } from "../../evidence/evidence.ts";
import type { MailMtaStsPolicyFacts } from "../../evidence/http-facts.ts";
import { tlsaText } from "../../parse/tlsa.ts";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { displayLimits, Entry, FileBody, OmittedCount, ReadingContent, RecordList, Records } from "./evidence-blocks.tsx";

export function MailEvidence({
  evidence: { mailMx, mailSpf, mailDmarc, mailMtaSts, mailMtaStsPolicy, mailTlsRpt, mailDane },
}: {
  readonly evidence: Evidence;
}) {
  const i18n = useI18n();
  return (
    <>
      <h4>{i18n.t("evidence.readings.mailMx")}</h4>
      <ReadingContent reading={mailMx}>
        {({ domain, nameExists, exchangers, exchangersDropped }) => (
          <Records
            queries={[{ name: domain, answer: read({ nameExists, records: exchangers.map(mxRecord), recordsDropped: exchangersDropped }) }]}
          />
        )}
      </ReadingContent>
      <h4>SPF</h4>
      <ReadingContent reading={mailSpf}>{(facts) => <Spf facts={facts} />}</ReadingContent>
      <h4>DMARC</h4>
      <ReadingContent reading={mailDmarc}>
        {({ walk, reportReceivers, reportReceiversDropped }) => (
          <>
            <Records queries={walk.map(queryOf)} />
            {reportReceivers.length > 0 && <p class="muted">{i18n.t("evidence.mail.receivers")}</p>}
            <Records queries={reportReceivers.map(({ domain, answer }) => ({ name: domain, answer }))} />
            <OmittedCount count={reportReceiversDropped} />
          </>
        )}
      </ReadingContent>
      <h4>MTA-STS</h4>
      <ReadingContent reading={mailMtaSts}>{(facts) => <Records queries={[queryOf(facts)]} />}</ReadingContent>
      <ReadingContent reading={mailMtaStsPolicy}>{(facts) => <MtaStsPolicy facts={facts} />}</ReadingContent>
      <h4>TLS-RPT</h4>
      <ReadingContent reading={mailTlsRpt}>{(facts) => <Records queries={[queryOf(facts)]} />}</ReadingContent>
      <h4>DANE</h4>
      <ReadingContent reading={mailDane}>{(facts) => <Dane facts={facts} />}</ReadingContent>
    </>
  );
}

function mxRecord({ preference, host }: MailMxFacts["exchangers"][number]) {
  return { text: `${preference} ${host === "" ? "." : host}`, truncated: false };
}

function queryOf(answer: TextRecords) {
  return { name: answer.name, answer: read(answer) };
}

function Spf({ facts: { own, followed, followedDropped } }: { readonly facts: MailSpfFacts }) {
  const i18n = useI18n();
  return (
    <>
      <Records queries={[queryOf(own)]} />
      {followed.length > 0 && <p class="muted">{i18n.t("evidence.mail.followed")}</p>}
      <Records queries={followed.slice(0, displayLimits.rowsMax).map(({ name, type, answer }) => ({ name: `${name} ${type}`, answer }))} />
      <OmittedCount count={Math.max(0, followed.length - displayLimits.rowsMax) + followedDropped} />
    </>
  );
}

function MtaStsPolicy({
  facts: { url, unavailableBecause, status, contentType, body, truncated },
}: {
  readonly facts: MailMtaStsPolicyFacts;
}) {
  const i18n = useI18n();
  return (
    <>
      <p>
        <UntrustedText>{url}</UntrustedText>:{" "}
        {unavailableBecause === null
          ? i18n.t("report.facts.status", { status })
          : i18n.t(`evidence.mail.unavailable.${unavailableBecause}`)}
        {contentType !== null && (
          <>
            , <UntrustedText>{contentType}</UntrustedText>
          </>
        )}
      </p>
      <FileBody body={body} truncated={truncated} />
    </>
  );
}

function Dane({ facts: { hosts, hostsDropped } }: { readonly facts: MailDaneFacts }) {
  return (
    <>
      <dl class="records">
        {hosts.map(({ host, answer }) => (
          <Entry key={host} name={<UntrustedText>{host}</UntrustedText>}>
            <ReadingContent reading={answer}>{(facts) => <MailHost facts={facts} />}</ReadingContent>
          </Entry>
        ))}
      </dl>
      <OmittedCount count={hostsDropped} />
    </>
  );
}

function MailHost({ facts: { zone, name, authentic, records, recordsDropped } }: { readonly facts: MailHostDane }) {
  const i18n = useI18n();
  const texts = records.map((record) => ({ text: tlsaText(record), truncated: false }));
  return (
    <>
      <p>{i18n.t(`evidence.mail.dane.${zone}`)}</p>
      {name !== null && (
        <>
          <p>
            <UntrustedText>{name}</UntrustedText> {!authentic && i18n.t("evidence.mail.dane.unauthenticated")}
          </p>
          <RecordList answer={{ nameExists: true, records: texts, recordsDropped }} />
        </>
      )}
    </>
  );
}
