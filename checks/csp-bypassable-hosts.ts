/** Checks that the policy trusts no host with public scripts that bypass it. */
import { distinct, finding, newPolicyCures, registerCheck } from "assay/check";
import {
  allowsEval,
  type CspPolicy,
  cspCheck,
  hasKeyword,
  matchesAnyHost,
  matchesUrl,
  parseCspSource,
  ruleNames,
  rulesOn,
  sandboxes,
  scriptBypasses,
  verdictOnCsp,
} from "assay/check/parsers";

const kinds = [
  { kind: "jsonp", code: "security.csp.jsonp-host" },
  { kind: "angular", code: "security.csp.angular-host" },
] as const;

export default registerCheck({
  key: "csp-bypassable-hosts",
  weight: 1,
  ...cspCheck,
  standards: ["CSP Level 3 section 6.7.2.8"],
  findings: {
    "security.csp.jsonp-host": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 693 },
    "security.csp.angular-host": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 693 },
  },
  fixes: [newPolicyCures],
  judge: ({ page, dom, headers }) =>
    verdictOnCsp(headers["content-security-policy"], dom, (policies) => faultsOf(policies, new URL(page.url))),
});

/** Paths count as in browsers, which ignore them only after a redirect. */
function faultsOf(policies: readonly CspPolicy[], page: URL) {
  const rules = rulesOn(policies, "script-src-elem");
  // With `'strict-dynamic'` browsers ignore hosts, and scripts must pass every policy.
  if (rules.some(({ sources }) => hasKeyword(sources, "strict-dynamic"))) return null;
  if (policies.some((policy) => sandboxes(policy, "allow-scripts"))) return [];
  const parsed = rules.map(({ sources }) => sources.map((text) => ({ text, source: parseCspSource(text) })));
  const canEval = policies.every(allowsEval);
  const bypasses = scriptBypasses
    .filter(({ needsEval }) => canEval || !needsEval)
    .flatMap(({ kind, url }) => {
      const matching = parsed.map((sources) => sources.filter(({ source }) => matchesUrl(source, url, page)));
      if (matching.some((sources) => sources.length === 0)) return [];
      return [{ kind, url, named: matching.flat().flatMap(({ text }) => (matchesAnyHost(text) ? [] : [text])) }];
    });
  const named = bypasses.filter((each) => each.named.length > 0);
  // A policy that allows any host has no list of trusted ones; csp-script-sources reports that.
  if (bypasses.length > 0 && named.length === 0) return null;

  const directive = ruleNames(rules);
  return kinds.flatMap(({ kind, code }) => {
    const [example, ...others] = named.filter((each) => each.kind === kind);
    if (example === undefined) return [];
    const sources = distinct([example, ...others].flatMap((each) => each.named));
    return [finding(code, { directive, sources, address: example.url.href })];
  });
}
