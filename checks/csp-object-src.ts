/** Checks that the policy blocks plugins. */
import { finding, registerCheck, sendPolicy } from "assay/check";
import {
  allowsNoUrl,
  type CspPolicy,
  cspCheck,
  directiveNames,
  isSchemeSource,
  matchesOpenHost,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check/parsers";

export default registerCheck({
  key: "csp-object-src",
  weight: 2,
  ...cspCheck,
  standards: ["CSP Level 3: object-src"],
  findings: {
    "security.csp.object-src-missing": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
    "security.csp.object-src-not-none": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 693 },
    "security.csp.object-src-by-default-src": { severity: "info", riskLevel: "low", effort: "low", cwe: 693, weight: 0 },
  },
  fixes: [sendPolicy("object-src 'none'")],
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]) {
  // Content of object elements must pass every policy. The sandbox blocks plugins, but not pages and images in object elements.
  const rules = rulesOn(policies, "object-src");
  if (rules.some((rule) => allowsNoUrl(rule.sources))) return [];
  if (rules.length === 0) return [finding("security.csp.object-src-missing", { directives: directiveNames(policies) })];
  const directive = ruleNames(rules);
  const sources = [...new Set(rules.flatMap((rule) => rule.sources))];
  // Current browsers have no plugins, and only the chosen sources remain. A lone object-src says that the site embeds content.
  const isLimited = rules.some((rule) => rule.directive === "default-src" && !rule.sources.some(isOpenSource));
  const code = isLimited ? "security.csp.object-src-by-default-src" : "security.csp.object-src-not-none";
  return [finding(code, { directive, sources: sources.join(" ") })];
}

function isOpenSource(source: string): boolean {
  return matchesOpenHost(source, "scripts") || isSchemeSource(source, "data") || isSchemeSource(source, "blob");
}
