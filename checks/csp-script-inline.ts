/** Checks that the policy blocks injected inline scripts. */
import { finding, newPolicyNeeded, registerCheck, sendPolicy } from "assay/check";
import {
  type CspPolicy,
  cspCheck,
  directiveNames,
  governsScripts,
  openToAllInline,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check/parsers";

const unprotected = { severity: "high", riskLevel: "medium", effort: "high", cwe: 693, weight: 12, scoreCap: 87 } as const;

export default registerCheck({
  key: "csp-script-inline",
  weight: 5,
  ...cspCheck,
  standards: ["CSP Level 3 section 6.7.3.2"],
  findings: {
    "security.csp.script-unsafe-inline": unprotected,
    "security.csp.script-inline-unrestricted": unprotected,
  },
  fixes: {
    "security.csp.script-unsafe-inline": [newPolicyNeeded],
    "security.csp.script-inline-unrestricted": [sendPolicy("script-src 'self'", "weak")],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]) {
  // content-security-policy reports policies that leave scripts alone.
  if (!policies.some(governsScripts)) return null;
  const open = openToAllInline(policies, "script");
  if (open === null) return [];
  const rules = rulesOn(policies, open);
  if (rules.length === 0) return [finding("security.csp.script-inline-unrestricted", { directives: directiveNames(policies) })];
  const sources = [...new Set(rules.flatMap((rule) => rule.sources))].join(" ");
  return [finding("security.csp.script-unsafe-inline", { directive: ruleNames(rules), sources })];
}
