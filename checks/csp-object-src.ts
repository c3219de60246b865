/** Checks that the policy blocks plugins. */
import { type Found, registerCheck } from "assay/check";
import { allowsNoUrl, type CspPolicy, directiveNames, ruleNames, rulesOn, verdictOnCsp } from "assay/check/parsers";

type Code = "security.csp.object-src-missing" | "security.csp.object-src-not-none";

export default registerCheck({
  key: "csp-object-src",
  weight: 2,
  area: "csp",
  standards: ["CSP Level 3: object-src"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.object-src-missing": { severity: "medium", riskLevel: "medium", effort: "low" },
    "security.csp.object-src-not-none": { severity: "medium", riskLevel: "medium", effort: "medium" },
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  // Content of object elements must pass every policy. The sandbox blocks plugins, but not pages and images in object elements.
  const rules = rulesOn(policies, "object-src");
  if (rules.some((rule) => allowsNoUrl(rule.sources))) return [];
  if (rules.length === 0) return [{ code: "security.csp.object-src-missing", values: { directives: directiveNames(policies) } }];
  const directive = ruleNames(rules);
  return [{ code: "security.csp.object-src-not-none", values: { directive, sources: rules.flatMap((rule) => rule.sources).join(" ") } }];
}
