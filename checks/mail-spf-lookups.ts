/** Checks that receivers can evaluate the SPF record within the allowed DNS lookups. */
import { type Found, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { ownSpf, spfCosts, spfMxHostsMax } from "assay/check/parsers";

type Code =
  | "security.mail.spf-loop"
  | "security.mail.spf-mx-hosts-too-many"
  | "security.mail.spf-lookups-too-many"
  | "security.mail.spf-void-lookups-too-many";

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
    "security.mail.spf-loop": { ...invalid, effort: "low", cwe: 290 },
    "security.mail.spf-mx-hosts-too-many": invalid,
    "security.mail.spf-lookups-too-many": invalid,
    "security.mail.spf-void-lookups-too-many": { ...invalid, effort: "low", cwe: 290 },
  },
  judge({ mailSpf }) {
    const own = ownSpf(mailSpf);
    if (own === "unread") return notChecked();
    if (typeof own === "string") return notApplicable();
    const { domain, text: record } = own;
    const { lookups, voids, voidsPossible, unread, voidTerms, loops, mxOverfull } = spfCosts(mailSpf, own);
    const found: Found<Code>[] = [];
    for (const term of loops.slice(0, 1)) found.push({ code: "security.mail.spf-loop", values: { domain, record, term } });
    if (lookups > lookupsMax) found.push({ code: "security.mail.spf-lookups-too-many", values: { domain, record, lookups, lookupsMax } });
    if (voids > voidsMax)
      found.push({ code: "security.mail.spf-void-lookups-too-many", values: { domain, voids, voidsMax, terms: voidTerms.join(" ") } });
    for (const { term, count } of mxOverfull.slice(0, 1))
      found.push({ code: "security.mail.spf-mx-hosts-too-many", values: { domain, term, count, hostsMax: spfMxHostsMax } });
    return found.length === 0 && (unread || voids + voidsPossible > voidsMax) ? notChecked() : violatedBy(found);
  },
});
