/** Checks that the keys of the leaf certificate and its issuers are long enough. */
import { type CertificateFacts, finding, registerCheck, violatedBy } from "assay/check";
import { hasSignatureThatCounts } from "assay/check/parsers";

// NIST SP 800-57 part 1: strength of 112 bits for RSA and 128 bits for curves, as the CA/Browser Forum requires.
const rsaBitsMin = 2_048;
const curveBitsMin = 256;

export default registerCheck({
  key: "tls-key-strength",
  weight: 5,
  area: "transport",
  standards: ["NIST SP 800-57 Part 1", "CA/Browser Forum Baseline Requirements 6.1.5"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.key-too-short": { severity: "high", riskLevel: "medium", effort: "low", cwe: 326 },
    "security.tls.key-type-retired": { severity: "high", riskLevel: "medium", effort: "low", cwe: 327 },
    "security.tls.rsa-exponent-one": { severity: "high", riskLevel: "high", effort: "low", cwe: 327 },
  },
  judge({ tls: { host, chain, certificatesDropped } }) {
    // The server does not choose the root, but its own key always counts.
    const judged = chain.filter((certificate, at) => at === 0 || hasSignatureThatCounts(certificate));
    const weak = judged.flatMap((certificate) => {
      const code = weaknessOf(certificate);
      return code === null ? [] : [finding(code, { tlsHost: host, subject: certificate.subject, ...keyValues(certificate) })];
    });
    return violatedBy(weak, judged.length > 0 && certificatesDropped === 0 && judged.every(isKnown));
  },
});

function weaknessOf({ keyType, keyBits, rsaExponent }: CertificateFacts) {
  if (keyType === "dsa") return "security.tls.key-type-retired";
  if (rsaExponent === "1") return "security.tls.rsa-exponent-one";
  return keyBits !== null && keyBits < bitsMin(keyType) ? "security.tls.key-too-short" : null;
}

function bitsMin(keyType: string | null): number {
  return keyType === "rsa" || keyType === "rsa-pss" ? rsaBitsMin : curveBitsMin;
}

function isKnown({ keyType, keyBits, rsaExponent }: CertificateFacts): boolean {
  return keyBits !== null && (bitsMin(keyType) === curveBitsMin || rsaExponent !== null);
}

/** For elliptic curves, the curve's name instead of the key type. */
function keyValues({ keyType, keyBits, curve }: CertificateFacts) {
  return { key: keyType === "ec" && curve !== null ? curve : (keyType ?? "").toUpperCase(), bits: keyBits ?? 0 };
}
