/** Checks that the policy blocks injected inline scripts. */
import { type Found, newPolicyNeeded, registerCheck, sendPolicy } from "assay/check";
import { type CspPolicy, directiveNames, governsScripts, openToAllInline, ruleNames, rulesOn, verdictOnCsp } from "assay/check/parsers";

type Code = "security.csp.script-unsafe-inline" | "security.csp.script-inline-unrestricted";

export default registerCheck({
  key: "csp-script-inline",
  weight: 5,
  area: "csp",
  standards: ["CSP Level 3 section 6.7.3.2"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.script-unsafe-inline": { severity: "high", riskLevel: "medium", effort: "high", cwe: 693, weight: 12, scoreCap: 87 },
    "security.csp.script-inline-unrestricted": {
      severity: "high",
      riskLevel: "medium",
      effort: "high",
      cwe: 693,
      weight: 12,
      scoreCap: 87,
    },
  },
  fixes: {
    "security.csp.script-unsafe-inline": [newPolicyNeeded],
    "security.csp.script-inline-unrestricted": [sendPolicy("script-src 'self'", "weak")],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] | null {
  // content-security-policy reports policies that leave scripts alone.
  if (!policies.some(governsScripts)) return null;
  const open = openToAllInline(policies, "script");
  if (open === null) return [];
  const rules = rulesOn(policies, open);
  if (rules.length === 0) return [{ code: "security.csp.script-inline-unrestricted", values: { directives: directiveNames(policies) } }];
  const sources = [...new Set(rules.flatMap((rule) => rule.sources))].join(" ");
  return [{ code: "security.csp.script-unsafe-inline", values: { directive: ruleNames(rules), sources } }];
}
