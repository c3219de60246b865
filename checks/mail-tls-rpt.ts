/** Are senders told where to report mail that could not be delivered over TLS? */
import { isMeantAsTlsRpt, mailHosts, notApplicable, notChecked, parseTlsRpt, passed, registerCheck, violated } from "assay/check";

const definition = { severity: "low", riskLevel: "low", effort: "low" } as const;

export default registerCheck({
  key: "mail-tls-rpt",
  weight: 1,
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
    const { records, recordsDropped } = mailTlsRpt.facts;
    const published = records.filter(({ text }) => parseTlsRpt(text) !== null);
    // RFC 8460 section 3: of several none counts.
    if (published.length > 1) return violated("security.mail.tls-rpt-several", { domain, count: published.length });
    const [only] = published;
    if (recordsDropped > 0 || only?.truncated) return notChecked();
    if (only === undefined) {
      const meant = records.find(({ text }) => isMeantAsTlsRpt(text));
      if (meant === undefined) return violated("security.mail.tls-rpt-missing", { domain });
      return violated("security.mail.tls-rpt-version-invalid", { domain, record: meant.text });
    }
    const parsed = parseTlsRpt(only.text);
    if (parsed === null || !("defect" in parsed)) return passed();
    return violated(codesByDefect[parsed.defect], { domain, record: only.text });
  },
});

const codesByDefect = {
  syntax: "security.mail.tls-rpt-syntax",
  "rua-missing": "security.mail.tls-rpt-rua-missing",
  "rua-invalid": "security.mail.tls-rpt-rua-invalid",
} as const;
