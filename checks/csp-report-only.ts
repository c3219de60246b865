/** Is a report-only policy what it is meant to be: a trial beside an enforced policy, whose reports somebody gets? */
import { type Found, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { directiveNames, enforcedCsp, parseCsp } from "assay/check/parsers";

export default registerCheck({
  key: "csp-report-only",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 3.2"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy-report-only", "content-security-policy"],
  findings: {
    "security.csp.report-only-alone": { severity: "low", riskLevel: "low", effort: "medium" },
    "security.csp.report-only-without-reports": { severity: "low", riskLevel: "low", effort: "low" },
  },
  judge({ dom, headers }) {
    // A report-only policy in a meta element is none: browsers do not honour it.
    const onTrial = parseCsp(headers["content-security-policy-report-only"]);
    if (onTrial.length === 0) return notApplicable();

    const found: Found<"security.csp.report-only-alone" | "security.csp.report-only-without-reports">[] = [];
    const reports = ["report-to", "report-uri"];
    const silent = onTrial.find((policy) => !reports.some((name) => (policy.get(name) ?? []).length > 0));
    if (silent !== undefined)
      found.push({ code: "security.csp.report-only-without-reports", values: { directives: directiveNames([silent]) } });
    const enforced = enforcedCsp(headers["content-security-policy"], dom);
    const alone = enforced.policies.length === 0;
    if (alone && enforced.complete) found.push({ code: "security.csp.report-only-alone", values: { directives: directiveNames(onTrial) } });

    return found.length === 0 && alone ? notChecked() : violatedBy(found);
  },
});
