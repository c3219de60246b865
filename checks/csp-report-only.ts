/** Checks that a report-only policy accompanies an enforced policy and sends reports. */
import { findingIf, notApplicable, registerCheck, sendPolicy, setHeader, violatedBy } from "assay/check";
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

    const reportDirectives = ["report-to", "report-uri"];
    const withoutReports = reportOnly.filter((policy) => !reportDirectives.some((name) => (policy.get(name) ?? []).length > 0)).slice(0, 1);
    const enforced = enforcedCsp(headers["content-security-policy"], dom);
    const isAlone = enforced.policies.length === 0;
    const found = [
      ...findingIf(withoutReports.length > 0, "security.csp.report-only-without-reports", { directives: directiveNames(withoutReports) }),
      ...findingIf(isAlone && enforced.complete, "security.csp.report-only-alone", { directives: directiveNames(reportOnly) }),
    ];
    return violatedBy(found, !isAlone);
  },
});
