/** Checks that the certificate is in public logs, as browsers require of public authorities. */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";

export default registerCheck({
  key: "tls-certificate-transparency",
  weight: 1,
  area: "transport",
  standards: ["RFC 6962", "Chrome Certificate Transparency Policy"],
  appliesTo: ["https"],
  reads: ["tls"],
  consults: ["navigation"],
  findings: {
    "security.tls.certificate-not-logged": { severity: "low", riskLevel: "low", effort: "medium", cwe: 295 },
  },
  judge({ navigation, tls }) {
    if (tls.chain.length === 0) return notChecked();
    // Certificates of private authorities need no public logs.
    if (tls.trustedBy !== "public") return notApplicable();
    if (navigation.status === "failed") return notChecked();
    switch (navigation.facts.security?.certificateTransparency) {
      case "compliant":
        return passed();
      case "not-compliant":
        return violated("security.tls.certificate-not-logged", { tlsHost: tls.host, issuer: tls.chain[0]?.issuer ?? "" });
      default:
        return notChecked();
    }
  },
});
