/** Checks that the policy blocks injected styles. */
import { type Found, registerCheck } from "assay/check";
import { type CspPolicy, directiveNames, openToAllInline, ruleNames, rulesOn, verdictOnCsp } from "assay/check/parsers";

type Code = "security.csp.style-unsafe-inline" | "security.csp.style-inline-unrestricted";

export default registerCheck({
  key: "csp-style-inline",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 6.7.3.2"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.style-unsafe-inline": { severity: "low", riskLevel: "low", effort: "high" },
    "security.csp.style-inline-unrestricted": { severity: "low", riskLevel: "low", effort: "high" },
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  const open = openToAllInline(policies, "style");
  if (open === null) return [];
  const rules = rulesOn(policies, open);
  if (rules.length === 0) return [{ code: "security.csp.style-inline-unrestricted", values: { directives: directiveNames(policies) } }];
  return [{ code: "security.csp.style-unsafe-inline", values: { directive: ruleNames(rules) } }];
}
