/** Checks that the policy limits script files to sources that the site chose. */
import { distinct, findingIf, newPolicyCures, newPolicyNeeded, registerCheck } from "assay/check";
import {
  type CspPolicy,
  cspCheck,
  isSchemeSource,
  matchesOpenHost,
  ruleNames,
  rulesOn,
  sandboxes,
  scriptUrlSources,
  verdictOnCsp,
} from "assay/check/parsers";

/** Sources that attackers can control, and the expressions that allow them. */
const unsafeSources = [
  { code: "security.csp.script-any-host", matches: (source: string) => matchesOpenHost(source, "scripts") },
  { code: "security.csp.script-data-urls", matches: (source: string) => isSchemeSource(source, "data") },
  { code: "security.csp.script-blob-urls", matches: (source: string) => isSchemeSource(source, "blob") },
] as const;

export default registerCheck({
  key: "csp-script-sources",
  weight: 4,
  ...cspCheck,
  standards: ["CSP Level 3: script-src"],
  findings: {
    "security.csp.script-any-host": { severity: "high", riskLevel: "medium", effort: "medium", cwe: 693, scoreCap: 87 },
    "security.csp.script-data-urls": { severity: "high", riskLevel: "medium", effort: "medium", cwe: 693, scoreCap: 87 },
    "security.csp.script-blob-urls": { severity: "high", riskLevel: "medium", effort: "medium", cwe: 693 },
  },
  fixes: {
    "security.csp.script-any-host": [newPolicyNeeded],
    "security.csp.script-data-urls": [newPolicyNeeded],
    "security.csp.script-blob-urls": [newPolicyCures],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]) {
  if (policies.some((policy) => sandboxes(policy, "allow-scripts"))) return [];
  // Policies without a script directive allow every script, so the other policies decide.
  const rules = rulesOn(policies, "script-src-elem");
  if (rules.length === 0) return null;
  const directive = ruleNames(rules);
  return unsafeSources.flatMap(({ code, matches }) => {
    const sources = rules.map((rule) => scriptUrlSources(rule.sources).filter(matches));
    // Scripts must pass every policy, so one restricting policy is enough.
    const isAllowed = sources.every((some) => some.length > 0);
    return findingIf(isAllowed, code, { directive, sources: distinct(sources.flat()) });
  });
}
