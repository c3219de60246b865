/** Would injected inline script run in spite of the policy? */
import {
  allowsAllInlineScript,
  type CspPolicy,
  enforcedCsp,
  governing,
  notApplicable,
  notChecked,
  passed,
  registerCheck,
  sandboxesScripts,
  scriptAttributeDirectives,
  scriptElementDirectives,
  violated,
} from "assay/check";

/** The two ways in which script stands in a document; a policy may rule them apart. */
const inlineKinds = [scriptElementDirectives, scriptAttributeDirectives];

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
  judge({ dom, headers }) {
    const { policies, complete } = enforcedCsp(headers["content-security-policy"], dom);
    // Script must pass every policy, so one that stops it is enough, whatever the others say.
    const open = inlineKinds.find((directives) => policies.every((policy) => allowsInline(policy, directives)));
    if (policies.length > 0 && open === undefined) return passed();
    // A policy that could not be read may stop it.
    if (!complete) return notChecked();
    if (open === undefined || policies.length === 0) return notApplicable();

    const directives = policies.flatMap((policy) => governing(policy, open)?.directive ?? []);
    if (directives.length === 0) return violated("security.csp.script-inline-unrestricted");
    return violated("security.csp.script-unsafe-inline", { directive: [...new Set(directives)].join(", ") });
  },
});

function allowsInline(policy: CspPolicy, directives: readonly string[]): boolean {
  if (sandboxesScripts(policy)) return false;
  const rule = governing(policy, directives);
  return rule === null || allowsAllInlineScript(rule.sources);
}
