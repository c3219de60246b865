/** Checks that the policy blocks plugins. */
import { type Found, registerCheck, sendPolicy } from "assay/check";
import {
  allowsNoUrl,
  type CspPolicy,
  directiveNames,
  isSchemeSource,
  matchesAnyHost,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check/parsers";

type Code = "security.csp.object-src-missing" | "security.csp.object-src-not-none" | "security.csp.object-src-by-default-src";

export default registerCheck({
  key: "csp-object-src",
  weight: 2,
  area: "csp",
  standards: ["CSP Level 3: object-src"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.object-src-missing": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
    "security.csp.object-src-not-none": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 693 },
    "security.csp.object-src-by-default-src": { severity: "info", riskLevel: "low", effort: "low", cwe: 693, weight: 0 },
  },
  fixes: {
    "security.csp.object-src-missing": [sendPolicy("object-src 'none'")],
    "security.csp.object-src-not-none": [sendPolicy("object-src 'none'")],
    "security.csp.object-src-by-default-src": [sendPolicy("object-src 'none'")],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  // Content of object elements must pass every policy. The sandbox blocks plugins, but not pages and images in object elements.
  const rules = rulesOn(policies, "object-src");
  if (rules.some((rule) => allowsNoUrl(rule.sources))) return [];
  if (rules.length === 0) return [{ code: "security.csp.object-src-missing", values: { directives: directiveNames(policies) } }];
  const directive = ruleNames(rules);
  const sources = rules.flatMap((rule) => rule.sources);
  // Current browsers have no plugins, and only the chosen sources remain. A lone object-src says that the site embeds content.
  const isLimited = rules.some((rule) => rule.directive === "default-src" && !rule.sources.some(isOpenSource));
  const code = isLimited ? "security.csp.object-src-by-default-src" : "security.csp.object-src-not-none";
  return [{ code, values: { directive, sources: sources.join(" ") } }];
}

function isOpenSource(source: string): boolean {
  return matchesAnyHost(source) || isSchemeSource(source, "data") || isSchemeSource(source, "blob");
}
