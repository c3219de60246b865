/** The TLS endpoint: versions, what was agreed upon, and the certificates with their names, dates and keys. */
import type { Evidence } from "../../../evidence/evidence.ts";
import type { CertificateFacts, TlsFacts, TlsVersion } from "../../../evidence/facts.ts";
import { Foreign } from "../../components/foreign.tsx";
import { Instant } from "../../components/instant.tsx";
import { useWords } from "../../context.ts";
import type { Words } from "../../words.ts";
import { Entry, Others, Read, shown } from "./parts.tsx";

const versions: readonly TlsVersion[] = ["1.3", "1.2", "1.1", "1.0"];

export function TlsEvidence({ evidence: { tls } }: { readonly evidence: Evidence }) {
  return <Read reading={tls}>{(facts) => <Tls facts={facts} />}</Read>;
}

function Tls({ facts }: { readonly facts: TlsFacts }) {
  const words = useWords();
  const { host, port, address, negotiated, chain, certificatesDropped, chainAsSent, hostMatches } = facts;
  return (
    <>
      <dl>
        <Entry name={words.say("evidence.tls.endpoint")}>
          <Foreign>{`${host}:${port} (${address})`}</Foreign>
        </Entry>
        <Entry name={words.say("evidence.tls.versions")}>
          {versions.map((version) => `TLS ${version}: ${words.say(`evidence.tls.answers.${facts.versions[version]}`)}`).join(", ")}
        </Entry>
        <Entry name={words.say("evidence.navigation.agreed")}>
          <Foreign>{[negotiated.protocol, negotiated.cipher, negotiated.alpn ?? ""].filter((part) => part !== "").join(", ")}</Foreign>
        </Entry>
        <Entry name={words.say("evidence.tls.hostMatches")}>{words.say(hostMatches ? "evidence.tls.yes" : "evidence.tls.no")}</Entry>
        <Entry name={words.say("evidence.tls.trusted")}>
          {trustWords(facts, words)} {facts.untrustedBecause !== null && <Foreign>{facts.untrustedBecause}</Foreign>}
        </Entry>
      </dl>
      <h4>{words.say(chainAsSent ? "evidence.tls.chainAsSent" : "evidence.tls.chainAsBuilt")}</h4>
      <ol>
        {chain.map((certificate) => (
          <li key={certificate.fingerprint}>
            <Certificate certificate={certificate} />
          </li>
        ))}
      </ol>
      <Others count={certificatesDropped} />
    </>
  );
}

function trustWords({ trusted, trustedBy }: TlsFacts, words: Words): string {
  if (!trusted) return words.say("evidence.tls.no");
  return words.say(trustedBy === "operator" ? "evidence.tls.trustedByOperator" : "evidence.tls.yes");
}

function Certificate({ certificate }: { readonly certificate: CertificateFacts }) {
  const words = useWords();
  const { subject, issuer, names, namesDropped, validFrom, validTo, signatureAlgorithm, serialNumber, fingerprint } = certificate;
  return (
    <dl class="certificate">
      <Entry name={words.say("evidence.tls.subject")}>{subject === "" ? words.say("foreign.empty") : <Foreign>{subject}</Foreign>}</Entry>
      <Entry name={words.say("evidence.tls.issuer")}>
        <Foreign>{issuer}</Foreign>
      </Entry>
      {names.length > 0 && (
        <Entry name={words.say("evidence.tls.names")}>
          <Foreign>{names.slice(0, shown.namesMax).join(", ")}</Foreign>
          <Others count={Math.max(0, names.length - shown.namesMax) + namesDropped} />
        </Entry>
      )}
      <Entry name={words.say("evidence.tls.valid")}>
        <Instant at={validFrom} day relative={false} /> <span aria-hidden="true">&ndash;</span> <Instant at={validTo} day />
      </Entry>
      <Entry name={words.say("evidence.tls.key")}>
        <Foreign>{keyOf(certificate)}</Foreign>
      </Entry>
      {signatureAlgorithm !== null && (
        <Entry name={words.say("evidence.tls.signature")}>
          <Foreign>{signatureAlgorithm}</Foreign>
        </Entry>
      )}
      <Entry name={words.say("evidence.tls.serialNumber")}>
        <Foreign>{serialNumber}</Foreign>
      </Entry>
      <Entry name="SHA-256">
        <Foreign>{fingerprint}</Foreign>
      </Entry>
    </dl>
  );
}

/** `ec prime256v1 256`, `rsa 2048`. */
function keyOf({ keyType, curve, keyBits }: CertificateFacts): string {
  return [keyType ?? "?", curve, keyBits].filter((part) => part !== null).join(" ");
}
