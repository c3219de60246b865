/** Checks that the certificate leaves enough time to repair a failed renewal. */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { dayMs, lifetimeMs, minuteOf, validityAt } from "assay/check/parsers";

// 14 days, or a fifth of the validity period for short-lived certificates.
const remainingMsMin = 14 * dayMs;
const remainingShareMin = 0.2;

export default registerCheck({
  key: "tls-certificate-expiry",
  weight: 2,
  area: "transport",
  standards: ["RFC 5280 section 4.1.2.5"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-expires-soon": { severity: "medium", riskLevel: "low", effort: "low" },
  },
  judge({ subject, tls }) {
    const [leaf] = tls.chain;
    const lifetime = leaf === undefined ? null : lifetimeMs(leaf);
    if (leaf === undefined || lifetime === null) return notChecked();
    // Expired certificates are reported by tls-certificate-validity.
    if (validityAt(leaf, subject.scannedAt) === "expired") return notApplicable();
    const remainingMs = Date.parse(leaf.validTo) - Date.parse(subject.scannedAt);
    if (remainingMs >= Math.min(remainingMsMin, remainingShareMin * lifetime)) return passed();
    return violated("security.tls.certificate-expires-soon", {
      tlsHost: tls.host,
      validTo: minuteOf(leaf.validTo),
      days: Math.floor(remainingMs / dayMs),
      lifetimeDays: Math.round(lifetime / dayMs),
    });
  },
});
