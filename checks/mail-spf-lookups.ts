/** Checks that receivers can evaluate the SPF record within the allowed DNS lookups. */
import { finding, findingIf, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { ownSpf, spfCosts, spfMxHostsMax } from "assay/check/parsers";

/** RFC 7208 section 4.6.4. */
const lookupsMax = 10;
const voidsMax = 2;

const invalid = { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 } as const;

export default registerCheck({
  key: "mail-spf-lookups",
  weight: 1,
  area: "mail",
  standards: ["RFC 7208 section 4.6.4"],
  appliesTo: ["public-name"],
  reads: ["mailSpf"],
  findings: {
    "security.mail.spf-loop": { ...invalid, effort: "low" },
    "security.mail.spf-mx-hosts-too-many": invalid,
    "security.mail.spf-lookups-too-many": invalid,
    "security.mail.spf-void-lookups-too-many": { ...invalid, effort: "low" },
  },
  judge({ mailSpf }) {
    const own = ownSpf(mailSpf);
    if (own === "unread") return notChecked();
    if (typeof own === "string") return notApplicable();
    const { domain, text: record } = own;
    const { lookups, voids, voidsPossible, unread, voidTerms, loops, mxOverfull } = spfCosts(mailSpf, own);
    const terms = voidTerms.join(" ");
    const found = [
      ...loops.slice(0, 1).map((term) => finding("security.mail.spf-loop", { domain, record, term })),
      ...findingIf(lookups > lookupsMax, "security.mail.spf-lookups-too-many", { domain, record, lookups, lookupsMax }),
      ...findingIf(voids > voidsMax, "security.mail.spf-void-lookups-too-many", { domain, voids, voidsMax, terms }),
      ...mxOverfull.slice(0, 1).map((mx) => finding("security.mail.spf-mx-hosts-too-many", { domain, ...mx, hostsMax: spfMxHostsMax })),
    ];
    return violatedBy(found, !unread && voids + voidsPossible <= voidsMax);
  },
});
