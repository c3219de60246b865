/** Checks that an enforced Content Security Policy restricts the scripts of the page. */
import { notChecked, ownFilesPolicy, passed, registerCheck, sendPolicy, violated } from "assay/check";
import { cspCheck, directiveNames, enforcedCsp, governsFetches, governsScripts } from "assay/check/parsers";

/** Without a policy on scripts, a page has at most this score. */
const scoreCap = 79;
const unprotected = { severity: "high", riskLevel: "medium", effort: "high", cwe: 693 } as const;

export default registerCheck({
  key: "content-security-policy",
  weight: 8,
  ...cspCheck,
  standards: ["CSP Level 3 section 3.1", "CSP Level 3 section 3.3"],
  appliesTo: ["html"],
  // Each finding charges at least what the rows that begin to apply with the next better policy can charge together.
  findings: {
    "security.missing-header.content-security-policy": { ...unprotected, weight: 30, scoreCap },
    "security.csp.skipped-by-browsers": { ...unprotected, weight: 30, scoreCap },
    "security.csp.no-effective-directive": { ...unprotected, weight: 28, scoreCap },
    "security.csp.script-src-missing": { ...unprotected, effort: "medium", weight: 22, scoreCap },
  },
  fixes: {
    "security.missing-header.content-security-policy": [sendPolicy(ownFilesPolicy, "none")],
    "security.csp.skipped-by-browsers": [sendPolicy(ownFilesPolicy, "none")],
    "security.csp.no-effective-directive": [sendPolicy(ownFilesPolicy, "weak")],
    "security.csp.script-src-missing": [sendPolicy("script-src 'self'", "weak")],
  },
  judge({ dom, headers }) {
    const { policies, idle, complete } = enforcedCsp(headers["content-security-policy"], dom);
    if (policies.some(governsScripts)) return passed();
    if (!complete) return notChecked();
    const directives = directiveNames([...policies, ...idle]);
    if (policies.some(governsFetches)) return violated("security.csp.script-src-missing", { directives });
    if (directives !== "") return violated("security.csp.no-effective-directive", { directives });
    const sent = headers["content-security-policy"];
    return sent.length > 0
      ? violated("security.csp.skipped-by-browsers", { value: sent.join(", ") })
      : violated("security.missing-header.content-security-policy");
  },
});
