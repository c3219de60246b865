/** Checks that senders can report TLS failures of mail delivery. */
import { notApplicable, notChecked, passed, registerCheck, violated } from "assay/check";
import { isMeantAsTlsRpt, mailHosts, parseTlsRpt, soleRecord } from "assay/check/parsers";

const definition = { severity: "low", riskLevel: "low", effort: "low", cwe: 778 } as const;

export default registerCheck({
  key: "mail-tls-rpt",
  weight: 1,
  area: "mail",
  standards: ["RFC 8460 section 3"],
  appliesTo: ["public-name"],
  reads: ["mailMx"],
  consults: ["mailTlsRpt"],
  findings: {
    "security.mail.tls-rpt-missing": definition,
    "security.mail.tls-rpt-several": definition,
    "security.mail.tls-rpt-version-invalid": definition,
    "security.mail.tls-rpt-syntax": definition,
    "security.mail.tls-rpt-rua-missing": definition,
    "security.mail.tls-rpt-rua-invalid": definition,
  },
  judge({ mailMx, mailTlsRpt }) {
    if (mailHosts(mailMx).length === 0) return notApplicable();
    if (mailTlsRpt.status === "failed") return notChecked();
    const { domain } = mailMx;
    const sole = soleRecord(mailTlsRpt.facts, parseTlsRpt, isMeantAsTlsRpt);
    switch (sole.found) {
      case "unread":
        return notChecked();
      case "several":
        return violated("security.mail.tls-rpt-several", { domain, count: sole.count });
      case "none":
        if (sole.meant === null) return violated("security.mail.tls-rpt-missing", { domain });
        return violated("security.mail.tls-rpt-version-invalid", { domain, record: sole.meant });
      case "one":
        if (!("defect" in sole.record)) return passed();
        return violated(codesByDefect[sole.record.defect], { domain, record: sole.text });
    }
  },
});

const codesByDefect = {
  syntax: "security.mail.tls-rpt-syntax",
  "rua-missing": "security.mail.tls-rpt-rua-missing",
  "rua-invalid": "security.mail.tls-rpt-rua-invalid",
} as const;
