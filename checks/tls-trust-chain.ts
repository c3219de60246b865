/** Checks that the certificate chain leads to a trusted authority. */
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
    // The runtime returns no certificate for rare key types that it cannot read.
    if (leaf === undefined) return notChecked();
    const values = {
      tlsHost: host,
      tlsPort: port,
      subject: leaf.subject,
      issuer: chain.at(-1)?.issuer ?? leaf.issuer,
      count: chain.length,
      because: untrustedBecause ?? "",
    };
    // OpenSSL's X509_V_ERR_* codes.
    switch (untrustedBecause) {
      case "DEPTH_ZERO_SELF_SIGNED_CERT":
        return violated("security.tls.certificate-self-signed", values);
      case "SELF_SIGNED_CERT_IN_CHAIN":
        return violated("security.tls.root-not-trusted", values);
      // A missing intermediate is indistinguishable from a private authority that withholds its root.
      case "UNABLE_TO_GET_ISSUER_CERT":
      case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
        return violated("security.tls.chain-incomplete", values);
      default:
        return violated("security.tls.chain-invalid", values);
    }
  },
});
