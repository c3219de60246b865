/** Would injected inline script run in spite of the policy? */
import {
  allowsAllInline,
  type CspPolicy,
  directiveNames,
  type Found,
  governing,
  registerCheck,
  ruleNames,
  rulesOn,
  sandboxes,
  verdictOnCsp,
} from "assay/check";

type Code = "security.csp.script-unsafe-inline" | "security.csp.script-inline-unrestricted";

/** The two ways in which script stands in a document, as an element or as an event handler; a policy may rule them apart. */
const inlineKinds = ["script-src-elem", "script-src-attr"];

export default registerCheck({
  key: "csp-script-inline",
  weight: 5,
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy"],
  findings: {
    "security.csp.script-unsafe-inline": { severity: "high", riskLevel: "medium", effort: "high" },
    "security.csp.script-inline-unrestricted": { severity: "high", riskLevel: "medium", effort: "high" },
  },
  judge: ({ dom, headers }) => verdictOnCsp(headers["content-security-policy"], dom, faultsOf),
});

function faultsOf(policies: readonly CspPolicy[]): readonly Found<Code>[] {
  // Script must pass every policy, so one that stops it is enough, whatever the others say.
  const open = inlineKinds.find((directive) => policies.every((policy) => allowsInline(policy, directive)));
  if (open === undefined) return [];
  const rules = rulesOn(policies, open);
  if (rules.length === 0) return [{ code: "security.csp.script-inline-unrestricted", values: { directives: directiveNames(policies) } }];
  const sources = [...new Set(rules.flatMap((rule) => rule.sources))].join(" ");
  return [{ code: "security.csp.script-unsafe-inline", values: { directive: ruleNames(rules), sources } }];
}

function allowsInline(policy: CspPolicy, directive: string): boolean {
  if (sandboxes(policy, "allow-scripts")) return false;
  const rule = governing(policy, directive);
  return rule === null || allowsAllInline(rule.sources, "script");
}
