/** Checks that a report-only policy accompanies an enforced policy and sends reports. */
import { type Found, notApplicable, notChecked, registerCheck, sendPolicy, setHeader, violatedBy } from "assay/check";
import { directiveNames, enforcedCsp, parseCsp } from "assay/check/parsers";

export default registerCheck({
  key: "csp-report-only",
  // A trial costs nothing, or following the advice to try a policy first would lower the score.
  weight: 0,
  area: "csp",
  standards: ["CSP Level 3 section 3.2"],
  reads: ["page"],
  consults: ["dom"],
  headers: ["content-security-policy-report-only", "content-security-policy"],
  findings: {
    "security.csp.report-only-alone": { severity: "info", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.csp.report-only-without-reports": { severity: "info", riskLevel: "low", effort: "low", cwe: 778 },
  },
  fixes: {
    "security.csp.report-only-alone": [sendPolicy("default-src 'self'", "none")],
    "security.csp.report-only-without-reports": [
      setHeader("Reporting-Endpoints", 'csp="https://{{host}}/csp-reports"'),
      setHeader("Content-Security-Policy-Report-Only", "default-src 'self'; report-to csp; report-uri /csp-reports"),
    ],
  },
  judge({ dom, headers }) {
    // Meta elements are not considered: browsers ignore report-only policies there.
    const reportOnly = parseCsp(headers["content-security-policy-report-only"]);
    if (reportOnly.length === 0) return notApplicable();

    const found: Found<"security.csp.report-only-alone" | "security.csp.report-only-without-reports">[] = [];
    const reportDirectives = ["report-to", "report-uri"];
    const withoutReports = reportOnly.find((policy) => !reportDirectives.some((name) => (policy.get(name) ?? []).length > 0));
    if (withoutReports !== undefined)
      found.push({ code: "security.csp.report-only-without-reports", values: { directives: directiveNames([withoutReports]) } });
    const enforced = enforcedCsp(headers["content-security-policy"], dom);
    const isAlone = enforced.policies.length === 0;
    if (isAlone && enforced.complete)
      found.push({ code: "security.csp.report-only-alone", values: { directives: directiveNames(reportOnly) } });

    return found.length === 0 && isAlone ? notChecked() : violatedBy(found);
  },
});
