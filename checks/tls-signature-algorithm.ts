/** Checks that the certificates are signed with collision-resistant hashes. */
import { finding, registerCheck, violatedBy } from "assay/check";
import { hasSignatureThatCounts } from "assay/check/parsers";

/** Display names of hashes that are broken or below today's required strength. */
const weakHashes: Readonly<Record<string, string>> = { md2: "MD2", md4: "MD4", md5: "MD5", sha1: "SHA-1", sha224: "SHA-224" };

export default registerCheck({
  key: "tls-signature-algorithm",
  weight: 5,
  area: "transport",
  standards: ["CA/Browser Forum Baseline Requirements 7.1.3"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.signature-hash-weak": { severity: "high", riskLevel: "medium", effort: "low", cwe: 328 },
  },
  judge({ tls: { host, chain, certificatesDropped } }) {
    const judged = chain.filter(hasSignatureThatCounts);
    const weak = judged.flatMap(({ subject, issuer, signatureAlgorithm, signatureHash }) => {
      const hash = weakHashes[signatureHash ?? ""];
      if (hash === undefined) return [];
      const values = { tlsHost: host, subject, issuer, hash, algorithm: signatureAlgorithm ?? "" };
      return [finding("security.tls.signature-hash-weak", values)];
    });
    const allKnown = chain.length > 0 && certificatesDropped === 0 && judged.every(({ signatureHash }) => signatureHash !== null);
    return violatedBy(weak, allKnown);
  },
});
