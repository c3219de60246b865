/** Checks that the SPF record is valid and rejects unlisted senders. */
import { finding, findingIf, firstOfEachCode, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { ownSpf, type SpfEnd, type SpfFault, type SpfSenders, spfPolicy, spfSenders } from "assay/check/parsers";

/** Receivers return permerror, so the record protects from nothing. */
const invalid = { severity: "medium", riskLevel: "medium", effort: "low", cwe: 290 } as const;
/** The owner must first identify all legitimate senders. */
const open = { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 } as const;

export default registerCheck({
  key: "mail-spf-policy",
  weight: 2,
  area: "mail",
  standards: ["RFC 7208 section 5", "RFC 7208 section 6"],
  appliesTo: ["public-name"],
  reads: ["mailSpf"],
  findings: {
    "security.mail.spf-address-invalid": invalid,
    "security.mail.spf-addresses-too-many": open,
    "security.mail.spf-all-missing": open,
    "security.mail.spf-all-neutral": open,
    "security.mail.spf-all-pass": open,
    "security.mail.spf-argument-invalid": invalid,
    "security.mail.spf-include-without-record": invalid,
    "security.mail.spf-macro-invalid": invalid,
    "security.mail.spf-mechanism-unknown": invalid,
    "security.mail.spf-modifier-repeated": invalid,
    "security.mail.spf-name-invalid": invalid,
    "security.mail.spf-passes-everybody": open,
    "security.mail.spf-ptr": { severity: "low", riskLevel: "low", effort: "medium", cwe: 290 },
    "security.mail.spf-redirect-without-record": invalid,
  },
  judge({ mailSpf }) {
    const own = ownSpf(mailSpf);
    if (own === "unread") return notChecked();
    if (typeof own === "string") return notApplicable();
    const { faults, end, unread } = spfPolicy(mailSpf, own);
    const senders = spfSenders(mailSpf, own);
    const found = firstOfEachCode([
      ...faults.map((fault) => foundFault(fault, mailSpf.domain)),
      ...foundSenders(senders, end, mailSpf.domain),
      ...foundEnd(end, senders, mailSpf.domain),
    ]);
    // The end of a loop is unknown. mail-spf-lookups reports the loop itself.
    return violatedBy(found, !unread && end !== "unknown" && senders.reach !== "unread");
  },
});

function foundFault({ kind, published, term }: SpfFault, domain: string) {
  return finding(codesByFault[kind], { domain, recordDomain: published.domain, record: published.text, term });
}

/** Findings about terms that pass too many senders. Where `all` passes the rest, it is reported in their place. */
function foundSenders({ reach, published, terms }: SpfSenders, end: SpfEnd, domain: string) {
  if (passesRest(end) || (reach !== "every" && reach !== "many")) return [];
  const code = reach === "every" ? "security.mail.spf-passes-everybody" : "security.mail.spf-addresses-too-many";
  return [finding(code, { domain, recordDomain: published.domain, record: published.text, term: terms.join(" ") })];
}

/** Findings about the result for unlisted senders. */
function foundEnd(end: SpfEnd, { reach }: SpfSenders, domain: string) {
  if (end === "unknown") return [];
  const { published, mechanism } = end;
  const values = { domain, recordDomain: published.domain, record: published.text };
  // Terms in front of `all` may leave it few senders, and all others are already reported.
  if (passesRest(end))
    return findingIf(reach === "every" || reach === "many", "security.mail.spf-all-pass", { ...values, term: mechanism?.text ?? "" });
  if (reach === "every") return [];
  // An invalid term was probably meant to end the record, and is already reported.
  if (mechanism === null) return findingIf(published.record.defects.length === 0, "security.mail.spf-all-missing", values);
  return findingIf(mechanism.qualifier === "?", "security.mail.spf-all-neutral", { ...values, term: mechanism.text });
}

function passesRest(end: SpfEnd): boolean {
  return end !== "unknown" && end.mechanism?.qualifier === "+";
}

const codesByFault = {
  "unknown-mechanism": "security.mail.spf-mechanism-unknown",
  "bad-address": "security.mail.spf-address-invalid",
  "bad-domain": "security.mail.spf-name-invalid",
  "bad-macro": "security.mail.spf-macro-invalid",
  "bad-argument": "security.mail.spf-argument-invalid",
  "repeated-modifier": "security.mail.spf-modifier-repeated",
  ptr: "security.mail.spf-ptr",
  "include-without-record": "security.mail.spf-include-without-record",
  "redirect-without-record": "security.mail.spf-redirect-without-record",
} as const satisfies Readonly<Record<SpfFault["kind"], string>>;
