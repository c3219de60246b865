/** Checks that the policy forbids code from text, such as eval(). */
import { finding, newPolicyCures, registerCheck } from "assay/check";
import {
  allowsEval,
  type CspPolicy,
  cspCheck,
  directiveNames,
  governsScripts,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check/parsers";

export default registerCheck({
  key: "csp-script-eval",
  weight: 2,
  ...cspCheck,
  standards: ["CSP Level 3 section 4.4"],
  findings: {
    "security.csp.script-unsafe-eval": { severity: "medium", riskLevel: "medium", effort: "high", cwe: 693 },
    "security.csp.script-eval-unrestricted": { severity: "medium", riskLevel: "medium", effort: "high", cwe: 693 },
  },
  fixes: [newPolicyCures],
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]) {
  // content-security-policy reports policies that leave scripts alone.
  if (!policies.some(governsScripts)) return null;
  // Code from text must be allowed by every policy, so one restricting policy is enough.
  if (!policies.every(allowsEval)) return [];
  // CSP3 section 4.4 evaluates only script-src and default-src, not script-src-elem.
  const rules = rulesOn(policies, "script-src");
  if (rules.length === 0) return [finding("security.csp.script-eval-unrestricted", { directives: directiveNames(policies) })];
  return [finding("security.csp.script-unsafe-eval", { directive: ruleNames(rules) })];
}
