/** Notes servers without a key exchange that also resists quantum computers. */
import { notChecked, passed, registerCheck, violated } from "assay/check";

export default registerCheck({
  key: "tls-post-quantum",
  // A note: no attack of today depends on it.
  weight: 0,
  area: "transport",
  standards: ["draft-ietf-tls-ecdhe-mlkem", "FIPS 203"],
  appliesTo: ["https"],
  reads: ["tlsOffers"],
  findings: {
    "security.tls.post-quantum-missing": { severity: "info", riskLevel: "low", effort: "medium", cwe: 327 },
  },
  judge({ tlsOffers: { host, hybrid } }) {
    switch (hybrid.answer) {
      case "accepted":
        return passed();
      case "refused":
        return violated("security.tls.post-quantum-missing", { tlsHost: host });
      case "unknown":
        return notChecked();
    }
  },
});
