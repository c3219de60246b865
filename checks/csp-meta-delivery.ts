/** Checks that the policy is sent as a header, because browsers ignore some directives in meta elements. */
import { findingIf, notApplicable, notChecked, registerCheck, sendPolicy, violatedBy } from "assay/check";
import { cspMetas, directiveNames, directivesIgnoredInMeta, parseCsp, valuesNamed } from "assay/check/parsers";

export default registerCheck({
  key: "csp-meta-delivery",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 3.3"],
  reads: ["page", "dom"],
  findings: {
    "security.csp.meta-only": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.csp.meta-ignored-directives": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
  },
  fixes: {
    "security.csp.meta-only": [sendPolicy("default-src 'self'", "none")],
    "security.csp.meta-ignored-directives": [sendPolicy("frame-ancestors 'self'")],
  },
  judge({ page, dom }) {
    const metas = cspMetas(dom).flatMap(({ content, truncated }) => parseCsp([content]).map((policy) => ({ policy, truncated })));
    if (metas.length === 0) return dom.metasDropped > 0 ? notChecked() : notApplicable();

    const ignored = directivesIgnoredInMeta.filter((name) => metas.some(({ policy }) => policy.has(name)));
    // Not declared in `headers`: only the header's presence matters, so a cut value is sufficient.
    const inHeader = parseCsp(valuesNamed(page.headers, "content-security-policy")).length > 0;
    const isMissing = !inHeader && page.headersDropped === 0;
    const found = [
      ...findingIf(ignored.length > 0, "security.csp.meta-ignored-directives", { directives: ignored.join(", ") }),
      ...findingIf(isMissing, "security.csp.meta-only", { directives: directiveNames(metas.map(({ policy }) => policy)) }),
    ];
    const unread = dom.metasDropped > 0 || metas.some(({ truncated }) => truncated) || (!inHeader && page.headersDropped > 0);
    return violatedBy(found, !unread);
  },
});
