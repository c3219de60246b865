/** Checks that the policy of an https page allows no unencrypted sources. */
import { distinct, finding, notChecked, registerCheck, sendPolicy } from "assay/check";
import {
  type CspPolicy,
  cspCheck,
  enforcedCsp,
  governing,
  schemeNamed,
  scriptUrlSources,
  sourceListDirectives,
  verdictOnCsp,
} from "assay/check/parsers";

const insecureSchemes: readonly (string | null)[] = ["http", "ws", "ftp"];

export default registerCheck({
  key: "csp-insecure-sources",
  weight: 2,
  ...cspCheck,
  standards: ["CSP Level 3 section 6.7.2.9", "W3C Upgrade Insecure Requests"],
  appliesTo: ["https"],
  findings: {
    "security.csp.insecure-sources": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 319 },
  },
  fixes: [sendPolicy("upgrade-insecure-requests")],
  judge({ dom, headers }) {
    const values = headers["content-security-policy"];
    // An unread policy may name an insecure source, so unlike other CSP checks a pass requires all policies.
    return enforcedCsp(values, dom).complete ? verdictOnCsp(values, dom, faultsOf) : notChecked();
  },
});

function faultsOf(policies: readonly CspPolicy[]) {
  const upgrades = policies.some((policy) => policy.has("upgrade-insecure-requests"));
  // Browsers upgrade requests before they match them; frame-ancestors matches no request and is not upgraded.
  const directives = upgrades ? ["frame-ancestors"] : sourceListDirectives;
  const insecure = directives.flatMap((directive) => {
    const sources = policies.flatMap((policy) => effectiveSources(directive, policy.get(directive) ?? []).filter(isInsecure));
    return sources.length > 0 && policies.every((policy) => allowsInsecure(policy, directive)) ? [{ directive, sources }] : [];
  });
  if (insecure.length === 0) return [];
  const directive = insecure.map((each) => each.directive).join(", ");
  return [finding("security.csp.insecure-sources", { directive, sources: distinct(insecure.flatMap(({ sources }) => sources)) })];
}

/** True if the policy has no governing directive or allows http. `*` also matches http. */
function allowsInsecure(policy: CspPolicy, directive: string): boolean {
  const rule = governing(policy, directive);
  return rule === null || effectiveSources(rule.directive, rule.sources).some((source) => isInsecure(source) || source === "*");
}

function isInsecure(source: string): boolean {
  return insecureSchemes.includes(schemeNamed(source));
}

/** Old browsers require `http:` beside `'strict-dynamic'`; newer ones ignore it there. */
function effectiveSources(directive: string, sources: readonly string[]): readonly string[] {
  return directive.startsWith("script-src") ? scriptUrlSources(sources) : sources;
}
