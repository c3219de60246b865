/** Checks that DMARC asks receivers to reject or quarantine forged mail, for the domain and the scanned subdomain. */
import { type Found, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { dmarcPolicyFor, effectiveDmarc, type PublishedDmarc } from "assay/check/parsers";

type Code =
  | "security.mail.dmarc-policy-invalid"
  | "security.mail.dmarc-policy-missing"
  | "security.mail.dmarc-policy-none"
  | "security.mail.dmarc-subdomain-policy-none"
  | "security.mail.dmarc-syntax"
  | "security.mail.dmarc-testing";

export default registerCheck({
  key: "mail-dmarc-policy",
  weight: 2,
  area: "mail",
  standards: ["RFC 9989 section 4.7", "RFC 9989 section 4.10.1"],
  appliesTo: ["public-name"],
  reads: ["mailDmarc"],
  consults: ["mailMx"],
  findings: {
    "security.mail.dmarc-policy-invalid": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 290 },
    "security.mail.dmarc-policy-missing": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 },
    "security.mail.dmarc-policy-none": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 },
    "security.mail.dmarc-subdomain-policy-none": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 },
    "security.mail.dmarc-syntax": { severity: "low", riskLevel: "low", effort: "low", cwe: 290 },
    "security.mail.dmarc-testing": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 },
  },
  judge({ subject: { host }, mailDmarc: { domain, walk, hostUnread }, mailMx }) {
    const own = effectiveDmarc(walk, domain);
    if (walk.some(({ recordsDropped }) => recordsDropped > 0)) return notChecked();
    if (own === null) return notApplicable();
    const below = host === domain || hostUnread !== null ? null : effectiveDmarc(walk, host);
    if (own.truncated || below?.truncated) return notChecked();

    // If the domain's existence is unknown, only findings that hold in both cases are reported.
    const existences = mailMx.status === "read" ? [mailMx.facts.nameExists] : [true, false];
    const [policyFound = [], alternative = policyFound] = existences.map((exists) => policyFaults(own, domain, exists));
    if (policyFound.length !== alternative.length) return notChecked();
    const found: Found<Code>[] = [...policyFound];
    if (below !== null) found.push(...subdomainFaults(below, host, own, found));
    for (const published of new Set(below === null || below.text === own.text ? [own] : [own, below]))
      found.push(...recordFaults(published));
    return found.length === 0 && hostUnread !== null ? notChecked() : violatedBy(found);
  },
});

/** RFC 9989 section 4.10.1: a record without p, or with an unknown policy, counts as `p=none`. */
function policyFaults(published: PublishedDmarc, domain: string, exists: boolean): Found<Code>[] {
  const { text, record } = published;
  const values = { domain, policyDomain: published.domain, record: text };
  const unknown = record.defects.find(({ kind, tag }) => kind === "bad-value" && ["p", "sp", "np"].includes(tag));
  if (unknown !== undefined) return [{ code: "security.mail.dmarc-policy-invalid", values: { ...values, part: unknown.text } }];
  if (record.p === null) return [{ code: "security.mail.dmarc-policy-missing", values }];
  const { tag, request } = dmarcPolicyFor(published, domain, exists);
  if (request === "none") return [{ code: "security.mail.dmarc-policy-none", values: { ...values, tag } }];
  return record.testing ? [{ code: "security.mail.dmarc-testing", values }] : [];
}

/** Faults of the scanned subdomain in addition to the faults of the domain. The scan proved that the subdomain exists. */
function subdomainFaults(published: PublishedDmarc, host: string, own: PublishedDmarc, found: readonly Found<Code>[]): Found<Code>[] {
  const isSameRecord = published.domain === own.domain;
  if (isSameRecord && found.length > 0) return [];
  return policyFaults(published, host, true).map(({ code, values }) => ({
    code: code === "security.mail.dmarc-policy-none" ? "security.mail.dmarc-subdomain-policy-none" : code,
    values: { ...values, domain: published.domain },
  }));
}

/** RFC 9989 section 4.7: receivers discard invalid tags, so their intended effect is lost. */
function recordFaults({ domain, text, record }: PublishedDmarc): Found<Code>[] {
  const discarded = record.defects.find(({ kind, tag }) => kind !== "bad-value" || !["p", "sp", "np"].includes(tag));
  return discarded === undefined ? [] : [{ code: "security.mail.dmarc-syntax", values: { domain, record: text, part: discarded.text } }];
}
