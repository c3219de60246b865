/** Checks that a DMARC record applies to the domain, its own record or one of a parent domain. */
import { notChecked, passed, registerCheck, violated } from "assay/check";
import { dmarcNameOf, dmarcRecordsOf, effectiveDmarc, isMeantAsDmarc } from "assay/check/parsers";

export default registerCheck({
  key: "mail-dmarc",
  weight: 3,
  area: "mail",
  standards: ["RFC 9989 section 4.10"],
  appliesTo: ["public-name"],
  reads: ["mailDmarc"],
  // Without an effective record the rows on its contents do not apply, so each finding charges for them.
  findings: {
    "security.mail.dmarc-missing": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290, weight: 6 },
    "security.mail.dmarc-several": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 290, weight: 6 },
    "security.mail.dmarc-version-invalid": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 290, weight: 6 },
  },
  judge({ mailDmarc: { domain, walk } }) {
    const own = dmarcRecordsOf(walk, domain);
    // RFC 9989 section 4.10: several records are all discarded.
    if (own.length > 1) return violated("security.mail.dmarc-several", { domain, count: own.length });
    if (walk.some(({ recordsDropped }) => recordsDropped > 0)) return notChecked();
    if (effectiveDmarc(walk, domain) !== null) return passed();
    const meant = walk.find(({ name }) => name === dmarcNameOf(domain))?.records.find(({ text }) => isMeantAsDmarc(text));
    if (meant !== undefined) return violated("security.mail.dmarc-version-invalid", { domain, record: meant.text });
    return violated("security.mail.dmarc-missing", { domain });
  },
});
