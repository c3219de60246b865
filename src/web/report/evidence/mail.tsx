/** How mail to and from the domain is protected. */
import { type Evidence, read } from "../../../evidence/evidence.ts";
import type { MailMtaStsPolicyFacts, MailMxFacts, MailSpfFacts, TextRecords } from "../../../evidence/facts.ts";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { useI18n } from "../../context.ts";
import { FileBody, Others, Read, Records, shown } from "./parts.tsx";

export function MailEvidence({
  evidence: { mailMx, mailSpf, mailDmarc, mailMtaSts, mailMtaStsPolicy, mailTlsRpt },
}: {
  readonly evidence: Evidence;
}) {
  const i18n = useI18n();
  return (
    <>
      <h4>{i18n.t("evidence.readings.mailMx")}</h4>
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
            {reportReceivers.length > 0 && <p class="muted">{i18n.t("evidence.mail.receivers")}</p>}
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
  const i18n = useI18n();
  return (
    <>
      <Records asked={[askedOf(own)]} />
      {followed.length > 0 && <p class="muted">{i18n.t("evidence.mail.followed")}</p>}
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
