/** Does the certificate lead to an authority that is trusted? */
import { notChecked, passed, registerCheck, violated } from "assay/check";

export default registerCheck({
  key: "tls-trust-chain",
  weight: 10,
  area: "transport",
  standards: ["RFC 5280 section 6"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-self-signed": { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 },
    "security.tls.root-not-trusted": { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 },
    "security.tls.chain-incomplete": { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 },
    "security.tls.chain-invalid": { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 },
  },
  judge({ tls: { host, port, trusted, untrustedBecause, chain } }) {
    if (trusted) return passed();
    const [leaf] = chain;
    // A runtime that cannot read a rare kind of key shows no certificate at all.
    if (leaf === undefined) return notChecked();
    const values = {
      tlsHost: host,
      tlsPort: port,
      subject: leaf.subject,
      issuer: chain.at(-1)?.issuer ?? leaf.issuer,
      count: chain.length,
      because: untrustedBecause ?? "",
    };
    // The names are those of OpenSSL's X509_V_ERR_* codes.
    switch (untrustedBecause) {
      case "DEPTH_ZERO_SELF_SIGNED_CERT":
        return violated("security.tls.certificate-self-signed", values);
      case "SELF_SIGNED_CERT_IN_CHAIN":
        return violated("security.tls.root-not-trusted", values);
      // A missing intermediate and a private authority that keeps its root to itself look the same from outside.
      case "UNABLE_TO_GET_ISSUER_CERT":
      case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
        return violated("security.tls.chain-incomplete", values);
      default:
        return violated("security.tls.chain-invalid", values);
    }
  },
});
