/** Checks that DMARC asks receivers to reject or quarantine forged mail, for the domain and its subdomains. */
import { finding, findingIf, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { dmarcPolicyFor, dmarcTagsBelowP, effectiveDmarc, type PublishedDmarc } from "assay/check/parsers";

const weak = { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 290 } as const;

export default registerCheck({
  key: "mail-dmarc-policy",
  weight: 2,
  area: "mail",
  standards: ["RFC 9989 section 4.7", "RFC 9989 section 4.10.1"],
  appliesTo: ["public-name"],
  reads: ["mailDmarc"],
  consults: ["mailMx"],
  findings: {
    "security.mail.dmarc-policy-invalid": { ...weak, effort: "low" },
    "security.mail.dmarc-policy-missing": weak,
    "security.mail.dmarc-policy-none": weak,
    "security.mail.dmarc-subdomain-policy-none": weak,
    // Without points, as `p=quarantine` is: otherwise raising `p` alone to reject would lower the score.
    "security.mail.dmarc-subdomain-policy-weaker": { severity: "low", riskLevel: "low", effort: "medium", cwe: 290, weight: 0 },
    "security.mail.dmarc-syntax": { severity: "low", riskLevel: "low", effort: "low", cwe: 290 },
    "security.mail.dmarc-testing": weak,
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
    // Faults of a record are reported once, although it applies to both names.
    const isOwnFaulty = below?.domain === own.domain && policyFound.length > 0;
    const found = [
      ...policyFound,
      ...(below === null || isOwnFaulty ? [] : subdomainFaults(below, host)),
      ...(host === domain && own.domain === domain ? faultsBelow(own, policyFound) : []),
      ...recordFaults(own),
      ...(below === null || below.text === own.text ? [] : recordFaults(below)),
    ];
    return violatedBy(found, hostUnread === null);
  },
});

/** RFC 9989 section 4.10.1: a record without p, or with an unknown policy, counts as `p=none`. */
function policyFaults(published: PublishedDmarc, domain: string, exists: boolean) {
  const { text, record } = published;
  const values = { domain, policyDomain: published.domain, record: text };
  const unknown = record.defects.find(({ kind, tag }) => kind === "bad-value" && ["p", "sp", "np"].includes(tag));
  if (unknown !== undefined) return [finding("security.mail.dmarc-policy-invalid", { ...values, part: unknown.text })];
  if (record.p === null) return [finding("security.mail.dmarc-policy-missing", values)];
  const { tag, request } = dmarcPolicyFor(published, domain, exists);
  if (request === "none") return [finding("security.mail.dmarc-policy-none", { ...values, tag })];
  return findingIf(record.testing, "security.mail.dmarc-testing", values);
}

/**
 * Subdomains that the domain's own record protects less than the domain itself, if it protects that. RFC 9989 section 4.7: `sp` is for
 * existing ones, `np` for others. A scanned subdomain is judged by its own policy instead.
 */
function faultsBelow({ domain, text, record }: PublishedDmarc, ofDomain: readonly { readonly code: string }[]) {
  if (ofDomain.some(({ code }) => code !== "security.mail.dmarc-testing")) return [];
  const values = { domain, policyDomain: domain, record: text, name: `*.${domain}` };
  const partOf = (wanted: "none" | "quarantine") =>
    dmarcTagsBelowP(record)
      .filter(({ request }) => request === wanted)
      .map(({ tag, request }) => `${tag}=${request}`)
      .join("; ");
  const [open, weaker] = [partOf("none"), partOf("quarantine")];
  return [
    ...findingIf(open !== "", "security.mail.dmarc-subdomain-policy-none", { ...values, part: open }),
    ...findingIf(weaker !== "", "security.mail.dmarc-subdomain-policy-weaker", { ...values, part: weaker }),
  ];
}

/** Faults of the scanned subdomain in addition to the faults of the domain. The scan proved that the subdomain exists. */
function subdomainFaults(published: PublishedDmarc, host: string) {
  const { domain } = published;
  return policyFaults(published, host, true).map(({ code, values }) =>
    code === "security.mail.dmarc-policy-none"
      ? finding("security.mail.dmarc-subdomain-policy-none", { ...values, domain, name: host, part: `${values?.tag}=none` })
      : finding(code, { ...values, domain }),
  );
}

/** RFC 9989 section 4.7: receivers discard invalid tags, so their intended effect is lost. */
function recordFaults({ domain, text, record }: PublishedDmarc) {
  const discarded = record.defects.find(({ kind, tag }) => kind !== "bad-value" || !["p", "sp", "np"].includes(tag));
  return findingIf(discarded !== undefined, "security.mail.dmarc-syntax", { domain, record: text, part: discarded?.text ?? "" });
}
