/** Views of TLS: protocol versions, negotiated parameters, certificates, and what the server offers beside the best. */
import { tlsVersions, weakSuiteKinds } from "../../evidence/limits.ts";
import type { CertificateFacts, TlsFacts } from "../../evidence/tls-facts.ts";
import type { I18n } from "../../text/translator.ts";
import { Instant } from "../components/instant.tsx";
import { capped, displayLimits, entries, foreign, inline, OmittedCount } from "./blocks.tsx";
import type { ViewsOf } from "./views.tsx";

export const tlsViews: ViewsOf<"tls" | "tlsOffers"> = {
  tls: {
    part: "tls",
    hint: ({ chain, certificatesDropped }, i18n) => i18n.count("evidence.hints.certificates", chain.length + certificatesDropped),
    show: (facts, i18n) => {
      const { host, port, address, negotiated, versions, chain, certificatesDropped, chainAsSent } = facts;
      const { protocol, cipher, alpn } = negotiated;
      const answerOf = (version: keyof typeof versions) => `TLS ${version}: ${i18n.t(`evidence.tls.answers.${versions[version]}`)}`;
      return (
        <>
          {entries([
            [i18n.t("evidence.tls.endpoint"), foreign(`${host}:${port} (${address})`)],
            [i18n.t("evidence.tls.versions"), tlsVersions.toReversed().map(answerOf).join(", ")],
            [i18n.t("evidence.navigation.agreed"), foreign([protocol, cipher, alpn ?? ""].filter((part) => part !== "").join(", "))],
            chain.length > 0 && [i18n.t("evidence.tls.hostMatches"), i18n.t(facts.hostMatches ? "evidence.tls.yes" : "evidence.tls.no")],
            chain.length > 0 && [
              i18n.t("evidence.tls.trusted"),
              inline(trustText(facts, i18n), " ", facts.untrustedBecause !== null && foreign(facts.untrustedBecause)),
            ],
          ])}
          {chain.length === 0 && <p>{i18n.t("evidence.tls.noCertificate")}</p>}
          {chain.length > 0 && <h4>{i18n.t(chainAsSent ? "evidence.tls.chainAsSent" : "evidence.tls.chainAsBuilt")}</h4>}
          <ol>
            {chain.map((certificate) => (
              <li key={certificate.fingerprint}>{certificateEntries(certificate, i18n)}</li>
            ))}
          </ol>
          <OmittedCount count={certificatesDropped} />
        </>
      );
    },
  },
  tlsOffers: {
    part: "tls",
    needs: "tls",
    show: ({ weakSuites, dhe, weakCurves, hybrid }, i18n) => {
      const suites = weakSuiteKinds.flatMap((kind) => weakSuites[kind].accepted);
      const isSuiteUnknown = weakSuiteKinds.some((kind) => weakSuites[kind].others === "unknown");
      const bits = dhe.group === null ? null : i18n.t("evidence.tls.offers.bits", { bits: String(dhe.group.bits) });
      return (
        <>
          <h4>{i18n.t("evidence.readings.tlsOffers")}</h4>
          {entries([
            [i18n.t("evidence.tls.offers.weakSuites"), acceptedText(suites, isSuiteUnknown, i18n)],
            [i18n.t("evidence.tls.offers.dhe"), bits ?? i18n.t(`evidence.tls.answers.${dhe.answer}`)],
            [i18n.t("evidence.tls.offers.weakCurves"), acceptedText(weakCurves.accepted, weakCurves.others === "unknown", i18n)],
            [i18n.t("evidence.tls.offers.hybrid"), hybrid.group ?? i18n.t(`evidence.tls.answers.${hybrid.answer}`)],
          ])}
        </>
      );
    },
  },
};

function acceptedText(names: readonly string[], isUnknown: boolean, i18n: I18n): string {
  if (names.length > 0) return names.join(", ");
  return i18n.t(isUnknown ? "evidence.tls.answers.unknown" : "evidence.tls.offers.none");
}

function trustText({ trusted, trustedBy }: TlsFacts, i18n: I18n): string {
  if (!trusted) return i18n.t("evidence.tls.no");
  return i18n.t(trustedBy === "operator" ? "evidence.tls.trustedByOperator" : "evidence.tls.yes");
}

function certificateEntries(certificate: CertificateFacts, i18n: I18n) {
  const { subject, issuer, names, namesDropped, validFrom, validTo, signatureAlgorithm, serialNumber, fingerprint } = certificate;
  const { keyType, curve, keyBits } = certificate;
  const shownNames = capped(names, namesDropped, displayLimits.namesMax);
  return entries(
    [
      [i18n.t("evidence.tls.subject"), subject === "" ? i18n.t("foreign.empty") : foreign(subject)],
      [i18n.t("evidence.tls.issuer"), foreign(issuer)],
      names.length > 0 && [
        i18n.t("evidence.tls.names"),
        inline(foreign(shownNames.shown.join(", ")), <OmittedCount count={shownNames.omitted} />),
      ],
      [
        i18n.t("evidence.tls.valid"),
        inline(certificateDate(validFrom, false), " ", <span aria-hidden="true">&ndash;</span>, " ", certificateDate(validTo, true)),
      ],
      // As in `ec prime256v1 256` and `rsa 2048`.
      [i18n.t("evidence.tls.key"), foreign([keyType ?? "?", curve, keyBits].filter((part) => part !== null).join(" "))],
      signatureAlgorithm !== null && [i18n.t("evidence.tls.signature"), foreign(signatureAlgorithm)],
      [i18n.t("evidence.tls.serialNumber"), foreign(serialNumber)],
      ["SHA-256", foreign(fingerprint)],
    ],
    "certificate",
  );
}

/** The date of a certificate may be unreadable: it is then shown as text. */
function certificateDate(at: string, relative: boolean) {
  return Number.isNaN(Date.parse(at)) ? foreign(at) : <Instant at={at} day relative={relative} />;
}
