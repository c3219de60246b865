/** Would injected styles apply in spite of the policy? */
import {
  allowsAllInline,
  type CspPolicy,
  directiveNames,
  type Found,
  governing,
  registerCheck,
  ruleNames,
  rulesOn,
  verdictOnCsp,
} from "assay/check";

type Code = "security.csp.style-unsafe-inline" | "security.csp.style-inline-unrestricted";

/** The two ways in which styles stand in a document; a policy may rule them apart. */
const inlineKinds = ["style-src-elem", "style-src-attr"];

export default registerCheck({
  key: "csp-style-inline",
  weight: 1,
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.style-unsafe-inline": { severity: "low", riskLevel: "low", effort: "high" },
    "security.csp.style-inline-unrestricted": { severity: "low", riskLevel: "low", effort: "high" },
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  // A style must pass every policy, so one that stops it is enough.
  const open = inlineKinds.find((directive) => policies.every((policy) => allowsInline(policy, directive)));
  if (open === undefined) return [];
  const rules = rulesOn(policies, open);
  if (rules.length === 0) return [{ code: "security.csp.style-inline-unrestricted", values: { directives: directiveNames(policies) } }];
  return [{ code: "security.csp.style-unsafe-inline", values: { directive: ruleNames(rules) } }];
}

function allowsInline(policy: CspPolicy, directive: string): boolean {
  const rule = governing(policy, directive);
  return rule === null || allowsAllInline(rule.sources, "style");
}
