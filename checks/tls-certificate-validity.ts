/** Checks that the certificate and its issuers are within their validity periods. */
import { type Found, notChecked, registerCheck, useCertificate, violatedBy } from "assay/check";
import { dayMs, issuersOnPath, minuteOf, validityAt } from "assay/check/parsers";

type Code =
  | "security.tls.certificate-expired"
  | "security.tls.certificate-not-yet-valid"
  | "security.tls.issuer-expired"
  | "security.tls.issuer-not-yet-valid";

export default registerCheck({
  key: "tls-certificate-validity",
  weight: 10,
  area: "transport",
  standards: ["RFC 5280 section 4.1.2.5"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-expired": { severity: "critical", riskLevel: "high", effort: "low", cwe: 298, scoreCap: 20 },
    "security.tls.certificate-not-yet-valid": { severity: "critical", riskLevel: "high", effort: "low", cwe: 298, scoreCap: 20 },
    "security.tls.issuer-expired": { severity: "critical", riskLevel: "high", effort: "low", cwe: 298, scoreCap: 20 },
    "security.tls.issuer-not-yet-valid": { severity: "critical", riskLevel: "high", effort: "low", cwe: 298, scoreCap: 20 },
  },
  fixes: {
    "security.tls.issuer-expired": [useCertificate("{{tlsHost}}")],
    "security.tls.issuer-not-yet-valid": [useCertificate("{{tlsHost}}")],
  },
  judge({ subject: { scannedAt }, tls }) {
    const [leaf] = tls.chain;
    if (leaf === undefined) return notChecked();
    const found: Found<Code>[] = [];
    let hasUnreadableDate = false;
    for (const certificate of [leaf, ...issuersOnPath(tls)]) {
      const validity = validityAt(certificate, scannedAt);
      hasUnreadableDate ||= validity === null;
      if (validity === "valid" || validity === null) continue;
      const { subject, validFrom, validTo } = certificate;
      const name = certificate === leaf ? {} : { issuer: subject };
      const days = Math.floor((Date.parse(scannedAt) - Date.parse(validTo)) / dayMs);
      const values = { tlsHost: tls.host, ...name, validFrom: minuteOf(validFrom), validTo: minuteOf(validTo) };
      const codes = certificate === leaf ? leafCodes : issuerCodes;
      found.push({ code: codes[validity], values: validity === "expired" ? { ...values, days } : values });
    }
    return found.length === 0 && hasUnreadableDate ? notChecked() : violatedBy(found);
  },
});

const leafCodes = { expired: "security.tls.certificate-expired", "not-yet-valid": "security.tls.certificate-not-yet-valid" } as const;
const issuerCodes = { expired: "security.tls.issuer-expired", "not-yet-valid": "security.tls.issuer-not-yet-valid" } as const;
