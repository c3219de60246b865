/** Does the policy confine script files to places that the site chose? */
import { distinct, type Found, registerCheck } from "assay/check";
import {
  type CspPolicy,
  directiveNames,
  isSchemeSource,
  matchesAnyHost,
  ruleNames,
  rulesOn,
  sandboxes,
  scriptUrlSources,
  verdictOnCsp,
} from "assay/check/parsers";

type Code = "security.csp.script-any-host" | "security.csp.script-blob-urls" | "security.csp.script-data-urls";

/** Places where anybody can put a script, and how a source expression lets it in. */
const openPlaces: readonly { readonly code: Code; readonly letsIn: (source: string) => boolean }[] = [
  { code: "security.csp.script-any-host", letsIn: matchesAnyHost },
  { code: "security.csp.script-data-urls", letsIn: (source) => isSchemeSource(source, "data") },
  { code: "security.csp.script-blob-urls", letsIn: (source) => isSchemeSource(source, "blob") },
];

export default registerCheck({
  key: "csp-script-sources",
  weight: 4,
  area: "csp",
  standards: ["CSP Level 3: script-src"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.script-src-missing": { severity: "high", riskLevel: "medium", effort: "medium" },
    "security.csp.script-any-host": { severity: "high", riskLevel: "medium", effort: "medium" },
    "security.csp.script-data-urls": { severity: "high", riskLevel: "medium", effort: "medium" },
    "security.csp.script-blob-urls": { severity: "high", riskLevel: "medium", effort: "medium" },
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code | "security.csp.script-src-missing">[] {
  if (policies.some((policy) => sandboxes(policy, "allow-scripts"))) return [];
  // A policy that says nothing about scripts lets every one pass, and leaves the decision to the others.
  const rules = rulesOn(policies, "script-src-elem");
  if (rules.length === 0) return [{ code: "security.csp.script-src-missing", values: { directives: directiveNames(policies) } }];
  const directive = ruleNames(rules);
  return openPlaces.flatMap(({ code, letsIn }) => {
    const sources = rules.map((rule) => scriptUrlSources(rule.sources).filter(letsIn));
    // A script must pass every policy, so one that does not let it in is enough.
    return sources.every((some) => some.length > 0) ? [{ code, values: { directive, sources: distinct(sources.flat()) } }] : [];
  });
}
