/** Checks that the certificate and its issuers are within their validity periods. */
import { finding, notChecked, registerCheck, useCertificate, violatedBy } from "assay/check";
import { dayMs, issuersOnPath, minuteOf, validityAt } from "assay/check/parsers";

const definition = { severity: "critical", riskLevel: "high", effort: "low", cwe: 298, scoreCap: 20 } as const;

export default registerCheck({
  key: "tls-certificate-validity",
  weight: 10,
  area: "transport",
  standards: ["RFC 5280 section 4.1.2.5"],
  appliesTo: ["https"],
  reads: ["tls"],
  findings: {
    "security.tls.certificate-expired": definition,
    "security.tls.certificate-not-yet-valid": definition,
    "security.tls.issuer-expired": definition,
    "security.tls.issuer-not-yet-valid": definition,
  },
  fixes: {
    "security.tls.issuer-expired": [useCertificate("{{tlsHost}}")],
    "security.tls.issuer-not-yet-valid": [useCertificate("{{tlsHost}}")],
  },
  judge({ subject: { scannedAt }, tls }) {
    const [leaf] = tls.chain;
    if (leaf === undefined) return notChecked();
    const judged = [leaf, ...issuersOnPath(tls)].map((certificate) => ({ certificate, validity: validityAt(certificate, scannedAt) }));
    const found = judged.flatMap(({ certificate, validity }) => {
      if (validity === "valid" || validity === null) return [];
      const { subject, validFrom, validTo } = certificate;
      const name = certificate === leaf ? {} : { issuer: subject };
      const days = validity === "expired" ? { days: Math.floor((Date.parse(scannedAt) - Date.parse(validTo)) / dayMs) } : {};
      const values = { tlsHost: tls.host, ...name, validFrom: minuteOf(validFrom), validTo: minuteOf(validTo), ...days };
      return [finding((certificate === leaf ? leafCodes : issuerCodes)[validity], values)];
    });
    const complete = judged.every(({ validity }) => validity !== null);
    return violatedBy(found, complete);
  },
});

const leafCodes = { expired: "security.tls.certificate-expired", "not-yet-valid": "security.tls.certificate-not-yet-valid" } as const;
const issuerCodes = { expired: "security.tls.issuer-expired", "not-yet-valid": "security.tls.issuer-not-yet-valid" } as const;
