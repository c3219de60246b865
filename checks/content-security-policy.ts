/** Checks that the page has an enforced Content Security Policy. */
import { notChecked, passed, registerCheck, violated } from "assay/check";
import { directiveNames, enforcedCsp } from "assay/check/parsers";

export default registerCheck({
  key: "content-security-policy",
  weight: 8,
  area: "csp",
  standards: ["CSP Level 3 section 3.1", "CSP Level 3 section 3.3"],
  appliesTo: ["html"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.missing-header.content-security-policy": { severity: "high", riskLevel: "medium", effort: "high" },
    "security.csp.no-effective-directive": { severity: "high", riskLevel: "medium", effort: "high" },
  },
  judge({ dom, headers }) {
    const { policies, idle, complete } = enforcedCsp(headers["content-security-policy"], dom);
    if (policies.length > 0) return passed();
    if (!complete) return notChecked();
    if (idle.length === 0) return violated("security.missing-header.content-security-policy");
    return violated("security.csp.no-effective-directive", { directives: directiveNames(idle) });
  },
});
