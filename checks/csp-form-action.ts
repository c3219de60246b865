/** Checks that an injected form cannot send visitor input to other sites. */
import { type Found, notApplicable, registerCheck, sendPolicy } from "assay/check";
import { type CspPolicy, directiveNames, matchesAnyHost, rulesOn, sandboxes, verdictOnCsp } from "assay/check/parsers";

type Code = "security.csp.form-action-missing" | "security.csp.form-action-any-host";

export default registerCheck({
  key: "csp-form-action",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3: form-action"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.form-action-missing": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.csp.form-action-any-host": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
  },
  fixes: {
    "security.csp.form-action-missing": [sendPolicy("form-action 'self'")],
    "security.csp.form-action-any-host": [sendPolicy("form-action 'self'")],
  },
  judge({ dom, headers }) {
    if (dom.status === "read" && dom.facts.forms.length === 0) return notApplicable();
    return verdictOnCsp(headers["content-security-policy"], dom, faultsOf);
  },
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  if (policies.some((policy) => sandboxes(policy, "allow-forms"))) return [];
  const lists = rulesOn(policies, "form-action").map(({ sources }) => sources);
  // Submissions must pass every policy, so one restricting policy is enough.
  if (lists.some((sources) => !sources.some(matchesAnyHost))) return [];
  if (lists.length === 0) return [{ code: "security.csp.form-action-missing", values: { directives: directiveNames(policies) } }];
  return [{ code: "security.csp.form-action-any-host", values: { sources: lists.flat().join(" ") } }];
}
