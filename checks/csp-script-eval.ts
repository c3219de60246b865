/** Checks that the policy forbids code from text, such as eval(). */
import { type Found, newPolicyCures, registerCheck } from "assay/check";
import { allowsEval, type CspPolicy, directiveNames, governsScripts, ruleNames, rulesOn, verdictOnCsp } from "assay/check/parsers";

type Code = "security.csp.script-unsafe-eval" | "security.csp.script-eval-unrestricted";

export default registerCheck({
  key: "csp-script-eval",
  weight: 2,
  area: "csp",
  standards: ["CSP Level 3 section 4.4"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.script-unsafe-eval": { severity: "medium", riskLevel: "medium", effort: "high", cwe: 693 },
    "security.csp.script-eval-unrestricted": { severity: "medium", riskLevel: "medium", effort: "high", cwe: 693 },
  },
  fixes: {
    "security.csp.script-unsafe-eval": [newPolicyCures],
    "security.csp.script-eval-unrestricted": [newPolicyCures],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] | null {
  // content-security-policy reports policies that leave scripts alone.
  if (!policies.some(governsScripts)) return null;
  // Code from text must be allowed by every policy, so one restricting policy is enough.
  if (!policies.every(allowsEval)) return [];
  // CSP3 section 4.4 evaluates only script-src and default-src, not script-src-elem.
  const rules = rulesOn(policies, "script-src");
  if (rules.length === 0) return [{ code: "security.csp.script-eval-unrestricted", values: { directives: directiveNames(policies) } }];
  return [{ code: "security.csp.script-unsafe-eval", values: { directive: ruleNames(rules) } }];
}
