/** Does the policy of an https page let in what travels unencrypted? */
import { distinct, type Found, notChecked, registerCheck } from "assay/check";
import {
  type CspPolicy,
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
  area: "csp",
  standards: ["CSP Level 3 section 6.7.2.9", "W3C Upgrade Insecure Requests"],
  appliesTo: ["https"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.insecure-sources": { severity: "medium", riskLevel: "medium", effort: "medium" },
  },
  judge({ dom, headers }) {
    const values = headers["content-security-policy"];
    // A policy may be silent where another one, which could not be read, names an insecure source: here no pass stands without it.
    return enforcedCsp(values, dom).complete ? verdictOnCsp(values, dom, faultsOf) : notChecked();
  },
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<"security.csp.insecure-sources">[] {
  const upgrades = policies.some((policy) => policy.has("upgrade-insecure-requests"));
  // Requests are rewritten before they are matched; only who may frame the page is no request of its own.
  const directives = upgrades ? ["frame-ancestors"] : sourceListDirectives;
  const open = directives.flatMap((directive) => {
    const sources = policies.flatMap((policy) => honoured(directive, policy.get(directive) ?? []).filter(isInsecure));
    return sources.length > 0 && policies.every((policy) => letsInsecureIn(policy, directive)) ? [{ directive, sources }] : [];
  });
  if (open.length === 0) return [];
  const directive = open.map((each) => each.directive).join(", ");
  return [{ code: "security.csp.insecure-sources", values: { directive, sources: distinct(open.flatMap(({ sources }) => sources)) } }];
}

/** A policy that says nothing on the matter lets everything in, and `*` lets http in as well. */
function letsInsecureIn(policy: CspPolicy, directive: string): boolean {
  const rule = governing(policy, directive);
  return rule === null || honoured(rule.directive, rule.sources).some((source) => isInsecure(source) || source === "*");
}

function isInsecure(source: string): boolean {
  return insecureSchemes.includes(schemeNamed(source));
}

/** Old browsers want `http:` beside `'strict-dynamic'`, and newer ones ignore it there. */
function honoured(directive: string, sources: readonly string[]): readonly string[] {
  return directive.startsWith("script-src") ? scriptUrlSources(sources) : sources;
}
