/** Views of DNS, mail policy and TLS. */
import type { MailHostDane } from "../../evidence/dns-facts.ts";
import { type Reading, read } from "../../evidence/evidence.ts";
import { tlsVersions, weakSuiteKinds } from "../../evidence/limits.ts";
import type { CertificateFacts, TlsFacts } from "../../evidence/tls-facts.ts";
import { tlsaText } from "../../parse/mail/tlsa.ts";
import type { I18n } from "../../text/translator.ts";
import { Instant } from "../components/labels.tsx";
import {
  capped,
  displayLimits,
  entries,
  fileBody,
  foreign,
  foundQuery,
  inline,
  OmittedCount,
  ReadingContent,
  RecordList,
  type RecordsQuery,
  records,
  recordsQuery,
  uncut,
} from "./blocks.tsx";
import type { Views } from "./sections.tsx";

export const dnsViews = {
  dnsCaa: {
    part: "dns",
    heading: { name: "CAA" },
    show: ({ foundAt, records: found, recordsDropped, asked }, i18n) => {
      if (foundAt === null)
        return (
          <p>
            {i18n.t("evidence.dns.caaNone")} {foreign(asked.join(", "))}
          </p>
        );
      // Zone file format (RFC 8659 section 4.1).
      const lines = found.map(({ critical, tag, value, truncated }) => ({ text: `${critical ? 128 : 0} ${tag} "${value}"`, truncated }));
      return records([{ name: foundAt, answer: read({ nameExists: true, records: lines, recordsDropped }) }]);
    },
  },
  dnssec: {
    part: "dns",
    heading: { name: "DNSSEC" },
    show: ({ domain, status, unchecked }, i18n) => {
      const tags = (all: readonly number[]) => all.slice(0, displayLimits.namesMax).join(", ") || i18n.t("evidence.dns.nothing");
      return (
        <>
          <p>
            {foreign(domain)}: {i18n.t(`evidence.dns.dnssec.${status}`)}
          </p>
          {unchecked !== null && (
            <ul>
              <li>
                {i18n.t("evidence.dns.dsKeyTags")} {tags(unchecked.dsKeyTags)}
              </li>
              <li>
                {i18n.t("evidence.dns.zoneKeyTags")} {tags(unchecked.zoneKeyTags)}
              </li>
              {unchecked.signatures.slice(0, displayLimits.recordsMax).map(({ covers, validTo }, at) => (
                <li key={String(at)}>{i18n.t("evidence.dns.signature", { covers, until: i18n.dateTime(validTo) })}</li>
              ))}
            </ul>
          )}
        </>
      );
    },
  },
  dnsIpv6: {
    part: "dns",
    heading: "evidence.readings.dnsIpv6",
    show: ({ host, nameExists, addresses }) =>
      records([{ name: `${host} AAAA`, answer: read({ nameExists, records: addresses.map(uncut) }) }]),
  },
  dnsNameServers: {
    part: "dns",
    heading: "evidence.readings.dnsNameServers",
    show: ({ zone, servers, serversDropped }, i18n) => {
      if (zone === null) return <p>{i18n.t("evidence.dns.noZone")}</p>;
      const addresses = servers.flatMap(({ host, ipv4, ipv6 }) => [addressQuery(`${host} A`, ipv4), addressQuery(`${host} AAAA`, ipv6)]);
      return records([
        foundQuery(
          `${zone} NS`,
          servers.map(({ host }) => host),
          serversDropped,
        ),
        ...addresses,
      ]);
    },
  },
} satisfies Partial<Views>;

function addressQuery(name: string, answer: Reading<readonly string[]>): RecordsQuery {
  return answer.status === "read" ? foundQuery(name, answer.facts) : { name, answer };
}

export const mailViews = {
  mailMx: {
    part: "mail",
    heading: "evidence.readings.mailMx",
    show: ({ domain, nameExists, exchangers, exchangersDropped }) => {
      const lines = exchangers.map(({ preference, host }) => uncut(`${preference} ${host === "" ? "." : host}`));
      return records([{ name: domain, answer: read({ nameExists, records: lines, recordsDropped: exchangersDropped }) }]);
    },
  },
  mailSpf: {
    part: "mail",
    heading: { name: "SPF" },
    show: ({ own, followed, followedDropped }, i18n) => {
      const { shown, omitted } = capped(followed, followedDropped);
      return (
        <>
          {records([recordsQuery(own)])}
          {followed.length > 0 && <p class="muted">{i18n.t("evidence.mail.followed")}</p>}
          {records(shown.map(({ name, type, answer }) => ({ name: `${name} ${type}`, answer })))}
          <OmittedCount count={omitted} />
        </>
      );
    },
  },
  mailDmarc: {
    part: "mail",
    heading: { name: "DMARC" },
    show: ({ walk, reportReceivers, reportReceiversDropped }, i18n) => (
      <>
        {records(walk.map(recordsQuery))}
        {reportReceivers.length > 0 && <p class="muted">{i18n.t("evidence.mail.receivers")}</p>}
        {records(reportReceivers.map(({ domain, answer }) => ({ name: domain, answer })))}
        <OmittedCount count={reportReceiversDropped} />
      </>
    ),
  },
  mailMtaSts: { part: "mail", heading: { name: "MTA-STS" }, show: (facts) => records([recordsQuery(facts)]) },
  mailMtaStsPolicy: {
    part: "mail",
    show: ({ url, unavailableBecause, status, contentType, body, truncated }, i18n) => (
      <>
        <p>
          {foreign(url)}:{" "}
          {unavailableBecause === null
            ? i18n.t("report.facts.status", { status })
            : i18n.t(`evidence.mail.unavailable.${unavailableBecause}`)}
          {contentType !== null && inline(", ", foreign(contentType))}
        </p>
        {fileBody(body, truncated)}
      </>
    ),
  },
  mailTlsRpt: { part: "mail", heading: { name: "TLS-RPT" }, show: (facts) => records([recordsQuery(facts)]) },
  mailDane: {
    part: "mail",
    heading: { name: "DANE" },
    show: ({ hosts, hostsDropped }, i18n) => (
      <>
        {entries(
          hosts.map(({ host, answer }) => [
            foreign(host),
            <ReadingContent key="answer" reading={answer}>
              {(facts) => mailHost(facts, i18n)}
            </ReadingContent>,
          ]),
          "records",
        )}
        <OmittedCount count={hostsDropped} />
      </>
    ),
  },
} satisfies Partial<Views>;

function mailHost({ zone, name, authentic, records: all, recordsDropped }: MailHostDane, i18n: I18n) {
  return (
    <>
      <p>{i18n.t(`evidence.mail.dane.${zone}`)}</p>
      {name !== null && (
        <>
          <p>
            {foreign(name)} {!authentic && i18n.t("evidence.mail.dane.unauthenticated")}
          </p>
          <RecordList answer={{ nameExists: true, records: all.map((record) => uncut(tlsaText(record))), recordsDropped }} />
        </>
      )}
    </>
  );
}

export const tlsViews = {
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
} satisfies Partial<Views>;

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
      // Type, curve and size, for example `ec prime256v1 256` or `rsa 2048`.
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
