/** Does the SPF record turn strangers away, in words that every receiver understands? */
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

/** Receivers answer permerror: the record protects from nothing. */
const invalid = { severity: "medium", riskLevel: "medium", effort: "low" } as const;
/** Who else sends has to be found out before the end can be closed. */
const open = { severity: "medium", riskLevel: "medium", effort: "medium" } as const;

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
    "security.mail.spf-ptr": { severity: "low", riskLevel: "low", effort: "medium" },
    "security.mail.spf-redirect-without-record": invalid,
  },
  judge({ mailSpf }) {
    const own = ownSpf(mailSpf);
    if (own === "unread") return notChecked();
    if (typeof own === "string") return notApplicable();
    const { faults, end, unread } = spfPolicy(mailSpf, own);
    const found = firstOfEachCode([...faults.map((fault) => foundFault(fault, mailSpf.domain)), ...foundEnd(end, mailSpf.domain)]);
    // An end that is neither read nor broken lies in a circle: what that costs is another row's, and what it would say nobody knows.
    const isUndecided = unread || end === "unknown";
    return found.length === 0 && isUndecided ? notChecked() : violatedBy(found);
  },
});

function foundFault({ kind, published, term }: SpfFault, domain: string): Found<Code> {
  return { code: codesByFault[kind], values: { domain, recordDomain: published.domain, record: published.text, term } };
}

/** What the record leaves open for whoever it does not name. */
function foundEnd(end: SpfEnd, domain: string): Found<Code>[] {
  if (end === "unknown") return [];
  const { published, mechanism } = end;
  const values = { domain, recordDomain: published.domain, record: published.text };
  // A broken term is most likely the one that should have closed the record, and it has been told.
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
