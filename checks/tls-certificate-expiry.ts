/** Checks that the certificate and its issuers leave enough time to repair a failed renewal. */
import {
  type CertificateFacts,
  finding,
  findingIf,
  notApplicable,
  notChecked,
  registerCheck,
  useCertificate,
  violatedBy,
} from "assay/check";
import { dayMs, issuersOnPath, lifetimeMs, minuteOf, validityAt } from "assay/check/parsers";

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
    "security.tls.issuer-expires-soon": { severity: "medium", riskLevel: "low", effort: "low" },
  },
  fixes: {
    "security.tls.issuer-expires-soon": [useCertificate("{{tlsHost}}")],
  },
  judge({ subject: { scannedAt }, tls }) {
    const [leaf] = tls.chain;
    const lifetime = leaf === undefined ? null : lifetimeMs(leaf);
    if (leaf === undefined || lifetime === null) return notChecked();
    // Expired certificates are reported by tls-certificate-validity.
    if (validityAt(leaf, scannedAt) === "expired") return notApplicable();
    const remainingMs = ({ validTo }: Pick<CertificateFacts, "validTo">) => Date.parse(validTo) - Date.parse(scannedAt);
    const values = ({ validTo }: Pick<CertificateFacts, "validTo">) => ({
      tlsHost: tls.host,
      validTo: minuteOf(validTo),
      days: Math.floor(remainingMs({ validTo }) / dayMs),
    });
    const isEnding = remainingMs(leaf) < Math.min(remainingMsMin, remainingShareMin * lifetime);
    const lifetimeDays = Math.round(lifetime / dayMs);
    const issuers = issuersOnPath(tls).filter(
      (issuer) =>
        validityAt(issuer, scannedAt) === "valid" &&
        Date.parse(issuer.validTo) < Date.parse(leaf.validTo) &&
        remainingMs(issuer) < remainingMsMin,
    );
    return violatedBy([
      ...findingIf(isEnding, "security.tls.certificate-expires-soon", { ...values(leaf), lifetimeDays }),
      ...issuers.map((issuer) => finding("security.tls.issuer-expires-soon", { ...values(issuer), issuer: issuer.subject })),
    ]);
  },
});
