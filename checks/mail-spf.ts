/** Checks that the domain has exactly one SPF record. */
import { notChecked, passed, registerCheck, violated } from "assay/check";
import { isMisspeltSpf, ownSpf, spfTextsOf } from "assay/check/parsers";

export default registerCheck({
  key: "mail-spf",
  weight: 3,
  area: "mail",
  standards: ["RFC 7208 section 3", "RFC 7208 section 4.5"],
  appliesTo: ["public-name"],
  reads: ["mailSpf"],
  // Without an effective record the rows on its contents do not apply, so each finding charges for them.
  findings: {
    "security.mail.spf-missing": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290, weight: 6 },
    "security.mail.spf-misspelt": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 290, weight: 6 },
    "security.mail.spf-several": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290, weight: 6 },
  },
  judge({ mailSpf }) {
    const { domain, own } = mailSpf;
    switch (ownSpf(mailSpf)) {
      case "unread":
        return notChecked();
      case "several":
        return violated("security.mail.spf-several", { domain, ...severalOf(spfTextsOf(own)) });
      case "none":
        break;
      default:
        return passed();
    }
    const misspelt = own.records.find(({ text }) => isMisspeltSpf(text));
    if (misspelt !== undefined) return violated("security.mail.spf-misspelt", { domain, record: misspelt.text });
    return violated("security.mail.spf-missing", { domain });
  },
});

function severalOf(texts: readonly string[]): { readonly count: number; readonly records: string } {
  return { count: texts.length, records: texts.map((text) => `"${text}"`).join(", ") };
}
