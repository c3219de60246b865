/** Checks that the policy blocks injected styles. */
import { distinct, type Found, newPolicyCures, registerCheck } from "assay/check";
import {
  type CspPolicy,
  directiveNames,
  isSchemeSource,
  matchesAnyHost,
  openToAllInline,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check/parsers";

type Code = "security.csp.style-unsafe-inline" | "security.csp.style-inline-unrestricted" | "security.csp.style-any-host";

export default registerCheck({
  key: "csp-style-inline",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 6.7.3.2"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.style-unsafe-inline": { severity: "low", riskLevel: "low", effort: "high", cwe: 693 },
    "security.csp.style-inline-unrestricted": { severity: "low", riskLevel: "low", effort: "high", cwe: 693 },
    "security.csp.style-any-host": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
  },
  fixes: {
    "security.csp.style-unsafe-inline": [newPolicyCures],
    "security.csp.style-inline-unrestricted": [newPolicyCures],
    "security.csp.style-any-host": [newPolicyCures],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  const open = openToAllInline(policies, "style");
  const rules = open === null ? [] : rulesOn(policies, open);
  if (open !== null && rules.length === 0)
    return [{ code: "security.csp.style-inline-unrestricted", values: { directives: directiveNames(policies) } }];
  const inline: Found<Code>[] =
    open === null ? [] : [{ code: "security.csp.style-unsafe-inline", values: { directive: ruleNames(rules) } }];
  return [...inline, ...wideSources(policies)];
}

/** An injected link element can load styles from these sources. They must pass every policy, so one restricting policy is enough. */
function wideSources(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  const rules = rulesOn(policies, "style-src-elem");
  const sources = rules.map((rule) => rule.sources.filter((source) => matchesAnyHost(source) || isSchemeSource(source, "data")));
  if (rules.length === 0 || sources.some((wide) => wide.length === 0)) return [];
  return [{ code: "security.csp.style-any-host", values: { directive: ruleNames(rules), sources: distinct(sources.flat()) } }];
}
