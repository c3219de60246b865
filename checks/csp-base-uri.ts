/** Can an injected base element lead astray scripts that the policy trusts wherever they come from? */
import { type Found, registerCheck } from "assay/check";
import {
  type CspPolicy,
  directiveNames,
  hasKeyword,
  matchesAnyHost,
  rulesOn,
  sandboxes,
  scriptUrlSources,
  trustsHashes,
  trustsNonces,
  verdictOnCsp,
} from "assay/check/parsers";

type Code = "security.csp.base-uri-missing" | "security.csp.base-uri-any-host";

export default registerCheck({
  key: "csp-base-uri",
  weight: 2,
  area: "csp",
  standards: ["CSP Level 3: base-uri"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.base-uri-missing": { severity: "medium", riskLevel: "medium", effort: "low" },
    "security.csp.base-uri-any-host": { severity: "medium", riskLevel: "medium", effort: "low" },
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] | null {
  const lists = rulesOn(policies, "script-src-elem").map(({ sources }) => sources);
  if (!lists.some(trustsAnywhere)) return null;
  // A script must pass every policy: where one of them looks at its address, a base element gains nothing.
  const astray = lists.every((sources) => trustsAnywhere(sources) || letsAnyHostIn(sources));
  if (!astray || policies.some((policy) => sandboxes(policy, "allow-scripts"))) return [];

  const bases = rulesOn(policies, "base-uri").map(({ sources }) => sources);
  if (bases.some((sources) => !sources.some(matchesAnyHost))) return [];
  if (bases.length === 0) return [{ code: "security.csp.base-uri-missing", values: { directives: directiveNames(policies) } }];
  return [{ code: "security.csp.base-uri-any-host", values: { sources: bases.flat().join(" ") } }];
}

/** A nonce lets a script in from any address; a hash names the content, but what such a script loads comes from any address as well. */
function trustsAnywhere(sources: readonly string[]): boolean {
  return trustsNonces(sources) || (trustsHashes(sources) && hasKeyword(sources, "strict-dynamic"));
}

function letsAnyHostIn(sources: readonly string[]): boolean {
  return scriptUrlSources(sources).some(matchesAnyHost);
}
