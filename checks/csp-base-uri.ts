/** Checks that an injected base element cannot redirect scripts which the policy trusts at any URL. */
import { finding, registerCheck, sendPolicy } from "assay/check";
import {
  type CspPolicy,
  cspCheck,
  directiveNames,
  hasKeyword,
  matchesOpenHost,
  rulesOn,
  sandboxes,
  scriptUrlSources,
  trustsHashes,
  trustsNonces,
  verdictOnCsp,
} from "assay/check/parsers";

export default registerCheck({
  key: "csp-base-uri",
  weight: 2,
  ...cspCheck,
  standards: ["CSP Level 3: base-uri"],
  findings: {
    "security.csp.base-uri-missing": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
    "security.csp.base-uri-any-host": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
  },
  fixes: [sendPolicy("base-uri 'none'")],
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]) {
  const lists = rulesOn(policies, "script-src-elem").map(({ sources }) => sources);
  if (!lists.some(trustsAnyUrl)) return null;
  // Scripts must pass every policy. If one restricts their URLs, a base element has no effect.
  const isRedirectable = lists.every((sources) => trustsAnyUrl(sources) || allowsAnyHost(sources));
  if (!isRedirectable || policies.some((policy) => sandboxes(policy, "allow-scripts"))) return [];

  const bases = rulesOn(policies, "base-uri").map(({ sources }) => sources);
  if (bases.some((sources) => !sources.some((source) => matchesOpenHost(source, "scripts")))) return [];
  if (bases.length === 0) return [finding("security.csp.base-uri-missing", { directives: directiveNames(policies) })];
  return [finding("security.csp.base-uri-any-host", { sources: bases.flat().join(" ") })];
}

/** Nonces trust scripts at any URL. Hashes do so with `'strict-dynamic'`, for further scripts that a trusted script loads. */
function trustsAnyUrl(sources: readonly string[]): boolean {
  return trustsNonces(sources) || (trustsHashes(sources) && hasKeyword(sources, "strict-dynamic"));
}

function allowsAnyHost(sources: readonly string[]): boolean {
  return scriptUrlSources(sources).some((source) => matchesOpenHost(source, "scripts"));
}
