/** Checks that the certificates are signed with collision-resistant hashes. */
import { finding, registerCheck, violatedBy } from "assay/check";
import { hasSignatureThatCounts, isOnTrustPath, weakHashName } from "assay/check/parsers";

export default registerCheck({
  key: "tls-signature-algorithm",
  weight: 5,
  area: "transport",
  standards: ["CA/Browser Forum Baseline Requirements 7.1.3"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.signature-hash-weak": { severity: "critical", riskLevel: "high", effort: "low", cwe: 328, scoreCap: 20 },
    "security.tls.signature-hash-weak-unneeded": { severity: "low", riskLevel: "low", effort: "low", cwe: 328, weight: 1 },
  },
  judge({ tls }) {
    const { host, chain, certificatesDropped } = tls;
    const judged = chain.filter(hasSignatureThatCounts);
    const weak = judged.flatMap((certificate) => {
      const { subject, issuer, signatureAlgorithm, signatureHash } = certificate;
      const hash = weakHashName(signatureHash);
      if (hash === null) return [];
      const code = isOnTrustPath(tls, certificate) ? "security.tls.signature-hash-weak" : "security.tls.signature-hash-weak-unneeded";
      return [finding(code, { tlsHost: host, subject, issuer, hash, algorithm: signatureAlgorithm ?? "" })];
    });
    const allKnown = chain.length > 0 && certificatesDropped === 0 && judged.every(({ signatureHash }) => signatureHash !== null);
    return violatedBy(weak, allKnown);
  },
});
