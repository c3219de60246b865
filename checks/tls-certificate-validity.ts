/** Checks that the certificate is within its validity period. */
import { notChecked, passed, registerCheck, violated } from "assay/check";
import { dayMs, minuteOf, validityAt } from "assay/check/parsers";

export default registerCheck({
  key: "tls-certificate-validity",
  weight: 10,
  area: "transport",
  standards: ["RFC 5280 section 4.1.2.5"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-expired": { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 },
    "security.tls.certificate-not-yet-valid": { severity: "critical", riskLevel: "high", effort: "low", scoreCap: 20 },
  },
  judge({ subject, tls }) {
    // Only the leaf counts: browsers can replace an expired certificate further up the chain.
    const [leaf] = tls.chain;
    const validity = leaf === undefined ? null : validityAt(leaf, subject.scannedAt);
    if (leaf === undefined || validity === null) return notChecked();
    if (validity === "valid") return passed();

    const values = { tlsHost: tls.host, validFrom: minuteOf(leaf.validFrom), validTo: minuteOf(leaf.validTo) };
    if (validity === "not-yet-valid") return violated("security.tls.certificate-not-yet-valid", values);
    const days = Math.floor((Date.parse(subject.scannedAt) - Date.parse(leaf.validTo)) / dayMs);
    return violated("security.tls.certificate-expired", { ...values, days });
  },
});
