/** TLS evidence: protocol versions, negotiated parameters, offers and certificates. */
import type { Evidence } from "../../evidence/evidence.ts";
import { type TlsVersion, weakSuiteKinds } from "../../evidence/limits.ts";
import type { CertificateFacts, TlsFacts, TlsOffersFacts } from "../../evidence/tls-facts.ts";
import type { I18n } from "../../text/translator.ts";
import { Instant } from "../components/instant.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { displayLimits, Entry, OmittedCount, ReadingContent } from "./evidence-blocks.tsx";

const versions: readonly TlsVersion[] = ["1.3", "1.2", "1.1", "1.0"];

export function TlsEvidence({ evidence: { tls, tlsOffers } }: { readonly evidence: Evidence }) {
  return (
    <>
      <ReadingContent reading={tls}>{(facts) => <Tls facts={facts} />}</ReadingContent>
      {tls.status === "read" && <ReadingContent reading={tlsOffers}>{(facts) => <TlsOffers facts={facts} />}</ReadingContent>}
    </>
  );
}

function TlsOffers({ facts: { weakSuites, dhe, weakCurves, hybrid } }: { readonly facts: TlsOffersFacts }) {
  const i18n = useI18n();
  const suites = weakSuiteKinds.flatMap((kind) => weakSuites[kind].accepted);
  const isSuiteUnknown = weakSuiteKinds.some((kind) => weakSuites[kind].others === "unknown");
  return (
    <>
      <h4>{i18n.t("evidence.readings.tlsOffers")}</h4>
      <dl>
        <Entry name={i18n.t("evidence.tls.offers.weakSuites")}>{acceptedText(suites, isSuiteUnknown, i18n)}</Entry>
        <Entry name={i18n.t("evidence.tls.offers.dhe")}>
          {dhe.group === null
            ? i18n.t(`evidence.tls.answers.${dhe.answer}`)
            : i18n.t("evidence.tls.offers.bits", { bits: String(dhe.group.bits) })}
        </Entry>
        <Entry name={i18n.t("evidence.tls.offers.weakCurves")}>
          {acceptedText(weakCurves.accepted, weakCurves.others === "unknown", i18n)}
        </Entry>
        <Entry name={i18n.t("evidence.tls.offers.hybrid")}>{hybrid.group ?? i18n.t(`evidence.tls.answers.${hybrid.answer}`)}</Entry>
      </dl>
    </>
  );
}

function acceptedText(names: readonly string[], isUnknown: boolean, i18n: I18n): string {
  if (names.length > 0) return names.join(", ");
  return i18n.t(isUnknown ? "evidence.tls.answers.unknown" : "evidence.tls.offers.none");
}

function Tls({ facts }: { readonly facts: TlsFacts }) {
  const i18n = useI18n();
  const { host, port, address, negotiated, chain, certificatesDropped, chainAsSent } = facts;
  return (
    <>
      <dl>
        <Entry name={i18n.t("evidence.tls.endpoint")}>
          <UntrustedText>{`${host}:${port} (${address})`}</UntrustedText>
        </Entry>
        <Entry name={i18n.t("evidence.tls.versions")}>
          {versions.map((version) => `TLS ${version}: ${i18n.t(`evidence.tls.answers.${facts.versions[version]}`)}`).join(", ")}
        </Entry>
        <Entry name={i18n.t("evidence.navigation.agreed")}>
          <UntrustedText>
            {[negotiated.protocol, negotiated.cipher, negotiated.alpn ?? ""].filter((part) => part !== "").join(", ")}
          </UntrustedText>
        </Entry>
        {chain.length > 0 && <Verdicts facts={facts} />}
      </dl>
      {chain.length === 0 && <p>{i18n.t("evidence.tls.noCertificate")}</p>}
      {chain.length > 0 && <h4>{i18n.t(chainAsSent ? "evidence.tls.chainAsSent" : "evidence.tls.chainAsBuilt")}</h4>}
      <ol>
        {chain.map((certificate) => (
          <li key={certificate.fingerprint}>
            <Certificate certificate={certificate} />
          </li>
        ))}
      </ol>
      <OmittedCount count={certificatesDropped} />
    </>
  );
}

function Verdicts({ facts }: { readonly facts: TlsFacts }) {
  const i18n = useI18n();
  return (
    <>
      <Entry name={i18n.t("evidence.tls.hostMatches")}>{i18n.t(facts.hostMatches ? "evidence.tls.yes" : "evidence.tls.no")}</Entry>
      <Entry name={i18n.t("evidence.tls.trusted")}>
        {trustText(facts, i18n)} {facts.untrustedBecause !== null && <UntrustedText>{facts.untrustedBecause}</UntrustedText>}
      </Entry>
    </>
  );
}

function trustText({ trusted, trustedBy }: TlsFacts, i18n: I18n): string {
  if (!trusted) return i18n.t("evidence.tls.no");
  return i18n.t(trustedBy === "operator" ? "evidence.tls.trustedByOperator" : "evidence.tls.yes");
}

function Certificate({ certificate }: { readonly certificate: CertificateFacts }) {
  const i18n = useI18n();
  const { subject, issuer, names, namesDropped, validFrom, validTo, signatureAlgorithm, serialNumber, fingerprint } = certificate;
  return (
    <dl class="certificate">
      <Entry name={i18n.t("evidence.tls.subject")}>
        {subject === "" ? i18n.t("foreign.empty") : <UntrustedText>{subject}</UntrustedText>}
      </Entry>
      <Entry name={i18n.t("evidence.tls.issuer")}>
        <UntrustedText>{issuer}</UntrustedText>
      </Entry>
      {names.length > 0 && (
        <Entry name={i18n.t("evidence.tls.names")}>
          <UntrustedText>{names.slice(0, displayLimits.namesMax).join(", ")}</UntrustedText>
          <OmittedCount count={Math.max(0, names.length - displayLimits.namesMax) + namesDropped} />
        </Entry>
      )}
      <Entry name={i18n.t("evidence.tls.valid")}>
        <CertificateDate at={validFrom} relative={false} /> <span aria-hidden="true">&ndash;</span>{" "}
        <CertificateDate at={validTo} relative />
      </Entry>
      <Entry name={i18n.t("evidence.tls.key")}>
        <UntrustedText>{keyOf(certificate)}</UntrustedText>
      </Entry>
      {signatureAlgorithm !== null && (
        <Entry name={i18n.t("evidence.tls.signature")}>
          <UntrustedText>{signatureAlgorithm}</UntrustedText>
        </Entry>
      )}
      <Entry name={i18n.t("evidence.tls.serialNumber")}>
        <UntrustedText>{serialNumber}</UntrustedText>
      </Entry>
      <Entry name="SHA-256">
        <UntrustedText>{fingerprint}</UntrustedText>
      </Entry>
    </dl>
  );
}

/** `ec prime256v1 256`, `rsa 2048`. */
function keyOf({ keyType, curve, keyBits }: CertificateFacts): string {
  return [keyType ?? "?", curve, keyBits].filter((part) => part !== null).join(" ");
}

/** A certificate may state a date that is none. */
function CertificateDate({ at, relative }: { readonly at: string; readonly relative: boolean }) {
  return Number.isNaN(Date.parse(at)) ? <UntrustedText>{at}</UntrustedText> : <Instant at={at} day relative={relative} />;
}
