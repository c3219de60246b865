/** Checks that the SPF record is valid and rejects unlisted senders. */
import { type Found, firstOfEachCode, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { ownSpf, type SpfEnd, type SpfFault, spfPolicy } from "assay/check/parsers";

type Code =
  | "security.mail.spf-address-invalid"
  | "security.mail.spf-all-missing"
  | "security.mail.spf-all-neutral"
  | "security.mail.spf-all-pass"
  | "security.mail.spf-argument-invalid"
  | "security.mail.spf-include-without-record"
  | "security.mail.spf-macro-invalid"
  | "security.mail.spf-mechanism-unknown"
  | "security.mail.spf-modifier-repeated"
  | "security.mail.spf-name-invalid"
  | "security.mail.spf-passes-everybody"
  | "security.mail.spf-ptr"
  | "security.mail.spf-redirect-without-record";

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
    const found = firstOfEachCode([...faults.map((fault) => foundFault(fault, mailSpf.domain)), ...foundEnd(end, mailSpf.domain)]);
    // The end of a loop is unknown. mail-spf-lookups reports the loop itself.
    const isUndecided = unread || end === "unknown";
    return found.length === 0 && isUndecided ? notChecked() : violatedBy(found);
  },
});

function foundFault({ kind, published, term }: SpfFault, domain: string): Found<Code> {
  return { code: codesByFault[kind], values: { domain, recordDomain: published.domain, record: published.text, term } };
}

/** Findings about the result for unlisted senders. */
function foundEnd(end: SpfEnd, domain: string): Found<Code>[] {
  if (end === "unknown") return [];
  const { published, mechanism } = end;
  const values = { domain, recordDomain: published.domain, record: published.text };
  // An invalid term was probably meant to end the record, and is already reported.
  if (mechanism === null) return published.record.defects.length > 0 ? [] : [{ code: "security.mail.spf-all-missing", values }];
  const { qualifier, name, text: term } = mechanism;
  if (qualifier === "?") return [{ code: "security.mail.spf-all-neutral", values: { ...values, term } }];
  if (qualifier !== "+") return [];
  const code = name === "all" ? "security.mail.spf-all-pass" : "security.mail.spf-passes-everybody";
  return [{ code, values: { ...values, term } }];
}

const codesByFault: Readonly<Record<SpfFault["kind"], Code>> = {
  "unknown-mechanism": "security.mail.spf-mechanism-unknown",
  "bad-address": "security.mail.spf-address-invalid",
  "bad-domain": "security.mail.spf-name-invalid",
  "bad-macro": "security.mail.spf-macro-invalid",
  "bad-argument": "security.mail.spf-argument-invalid",
  "repeated-modifier": "security.mail.spf-modifier-repeated",
  ptr: "security.mail.spf-ptr",
  "include-without-record": "security.mail.spf-include-without-record",
  "redirect-without-record": "security.mail.spf-redirect-without-record",
};
