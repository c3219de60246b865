/** Checks that an injected base element cannot redirect scripts which the policy trusts at any URL. */
import { type Found, registerCheck, sendPolicy } from "assay/check";
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
    "security.csp.base-uri-missing": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
    "security.csp.base-uri-any-host": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 693 },
  },
  fixes: {
    "security.csp.base-uri-missing": [sendPolicy("base-uri 'none'")],
    "security.csp.base-uri-any-host": [sendPolicy("base-uri 'none'")],
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] | null {
  const lists = rulesOn(policies, "script-src-elem").map(({ sources }) => sources);
  if (!lists.some(trustsAnyUrl)) return null;
  // Scripts must pass every policy. If one restricts their URLs, a base element has no effect.
  const isRedirectable = lists.every((sources) => trustsAnyUrl(sources) || allowsAnyHost(sources));
  if (!isRedirectable || policies.some((policy) => sandboxes(policy, "allow-scripts"))) return [];

  const bases = rulesOn(policies, "base-uri").map(({ sources }) => sources);
  if (bases.some((sources) => !sources.some(matchesAnyHost))) return [];
  if (bases.length === 0) return [{ code: "security.csp.base-uri-missing", values: { directives: directiveNames(policies) } }];
  return [{ code: "security.csp.base-uri-any-host", values: { sources: bases.flat().join(" ") } }];
}

/** Nonces trust scripts at any URL. Hashes do so with `'strict-dynamic'`, for further scripts that a trusted script loads. */
function trustsAnyUrl(sources: readonly string[]): boolean {
  return trustsNonces(sources) || (trustsHashes(sources) && hasKeyword(sources, "strict-dynamic"));
}

function allowsAnyHost(sources: readonly string[]): boolean {
  return scriptUrlSources(sources).some(matchesAnyHost);
}
