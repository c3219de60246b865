/** Checks that the policy blocks injected styles. */
import { distinct, finding, findingIf, newPolicyCures, registerCheck } from "assay/check";
import {
  type CspPolicy,
  cspCheck,
  directiveNames,
  isSchemeSource,
  matchesOpenHost,
  openToAllInline,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check/parsers";

export default registerCheck({
  key: "csp-style-inline",
  weight: 1,
  ...cspCheck,
  standards: ["CSP Level 3 section 6.7.3.2"],
  findings: {
    "security.csp.style-unsafe-inline": { severity: "low", riskLevel: "low", effort: "high", cwe: 693 },
    "security.csp.style-inline-unrestricted": { severity: "low", riskLevel: "low", effort: "high", cwe: 693 },
    "security.csp.style-any-host": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
  },
  fixes: [newPolicyCures],
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]) {
  const open = openToAllInline(policies, "style");
  const rules = open === null ? [] : rulesOn(policies, open);
  if (open !== null && rules.length === 0)
    return [finding("security.csp.style-inline-unrestricted", { directives: directiveNames(policies) })];
  return [...findingIf(open !== null, "security.csp.style-unsafe-inline", { directive: ruleNames(rules) }), ...wideSources(policies)];
}

/** An injected link element can load styles from these sources. They must pass every policy, so one restricting policy is enough. */
function wideSources(policies: readonly CspPolicy[]) {
  const rules = rulesOn(policies, "style-src-elem");
  const sources = rules.map((rule) =>
    rule.sources.filter((source) => matchesOpenHost(source, "scripts") || isSchemeSource(source, "data")),
  );
  if (rules.length === 0 || sources.some((wide) => wide.length === 0)) return [];
  return [finding("security.csp.style-any-host", { directive: ruleNames(rules), sources: distinct(sources.flat()) })];
}
