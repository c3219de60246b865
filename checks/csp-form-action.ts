/** Checks that an injected form cannot send visitor input to other sites. */
import { finding, notApplicable, registerCheck, sendPolicy } from "assay/check";
import { type CspPolicy, cspCheck, directiveNames, matchesAnyHost, rulesOn, sandboxes, verdictOnCsp } from "assay/check/parsers";

export default registerCheck({
  key: "csp-form-action",
  weight: 1,
  ...cspCheck,
  standards: ["CSP Level 3: form-action"],
  findings: {
    "security.csp.form-action-missing": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.csp.form-action-any-host": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
  },
  fixes: [sendPolicy("form-action 'self'")],
  judge({ dom, headers }) {
    if (dom.status === "read" && dom.facts.forms.length === 0) return notApplicable();
    return verdictOnCsp(headers["content-security-policy"], dom, faultsOf);
  },
});

function faultsOf(policies: readonly CspPolicy[]) {
  if (policies.some((policy) => sandboxes(policy, "allow-forms"))) return [];
  const lists = rulesOn(policies, "form-action").map(({ sources }) => sources);
  // Submissions must pass every policy, so one restricting policy is enough.
  if (lists.some((sources) => !sources.some(matchesAnyHost))) return [];
  if (lists.length === 0) return [finding("security.csp.form-action-missing", { directives: directiveNames(policies) })];
  return [finding("security.csp.form-action-any-host", { sources: lists.flat().join(" ") })];
}
