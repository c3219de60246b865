/** Checks how much of the page's URL browsers send to other sites. */
import { type DomFacts, notChecked, passed, registerCheck, replaceHeader, setHeader, violated } from "assay/check";
import { parseReferrerPolicyHeader, parseReferrerPolicyMeta, type ReferrerPolicy } from "assay/check/parsers";

/** Policies that send the path to other sites, or any referrer to sites without encryption. */
const weakPolicies: readonly ReferrerPolicy[] = ["unsafe-url", "no-referrer-when-downgrade", "origin", "origin-when-cross-origin"];

export default registerCheck({
  key: "referrer-policy",
  weight: 2,
  area: "headers",
  standards: ["W3C Referrer Policy", "HTML: Standard metadata names, referrer"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["referrer-policy"],
  findings: {
    // Without a policy browsers apply strict-origin-when-cross-origin, which is recommended (Referrer Policy section 3).
    "security.missing-header.referrer-policy": { severity: "info", riskLevel: "low", effort: "low", cwe: 201, weight: 0 },
    "security.weak-header.referrer-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 201 },
    "security.invalid-header.referrer-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 201, weight: 1 },
  },
  fixes: {
    "security.missing-header.referrer-policy": [setHeader("Referrer-Policy", "strict-origin-when-cross-origin")],
    "security.weak-header.referrer-policy": [replaceHeader("Referrer-Policy", "strict-origin-when-cross-origin")],
    "security.invalid-header.referrer-policy": [replaceHeader("Referrer-Policy", "strict-origin-when-cross-origin")],
  },
  judge({ dom, headers }) {
    const fields = headers["referrer-policy"];
    // HTML standard, meta name "referrer": meta elements override the header, and the last one applies.
    const policy = (dom.status === "read" ? metaPolicy(dom.facts) : null) ?? parseReferrerPolicyHeader(fields);
    if (policy !== null && !weakPolicies.includes(policy)) return passed();
    // An unread element may set a stricter policy.
    if (dom.status === "failed" || dom.facts.metasDropped > 0) return notChecked();

    if (policy !== null) return violated("security.weak-header.referrer-policy", { policy });
    if (fields.length === 0) return violated("security.missing-header.referrer-policy");
    return violated("security.invalid-header.referrer-policy", { value: fields.join(", ") });
  },
});

function metaPolicy({ metas }: DomFacts): ReferrerPolicy | null {
  const policies = metas.filter((meta) => meta.name === "referrer").map((meta) => parseReferrerPolicyMeta(meta.content));
  return policies.findLast((policy) => policy !== null) ?? null;
}
