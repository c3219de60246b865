/** Checks what the page's own policy blocks on an ordinary visit. Such policies get switched off again. */
import { type CspViolation, foundAtAddresses, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { cspMetas, fieldsNamed } from "assay/check/parsers";

export default registerCheck({
  key: "csp-own-violations",
  weight: 1,
  area: "csp",
  standards: ["CSP Level 3 section 5.3"],
  appliesTo: ["html"],
  reads: ["page", "requests"],
  consults: ["dom"],
  findings: {
    "security.csp.blocks-own-page": { severity: "low", riskLevel: "low", effort: "medium" },
    "security.csp.would-block-own-page": { severity: "info", riskLevel: "low", effort: "medium", weight: 0 },
  },
  judge({ page, requests, dom }) {
    const { cspViolations, cspViolationsDropped = 0 } = requests;
    // Evidence of an older version lacks the list.
    if (cspViolations === undefined) return notChecked();
    const found = [
      ...foundAtAddresses("security.csp.blocks-own-page", wordsOf(cspViolations.filter(({ reportOnly }) => !reportOnly))),
      ...foundAtAddresses("security.csp.would-block-own-page", wordsOf(cspViolations.filter(({ reportOnly }) => reportOnly))),
    ];
    const hasPolicy =
      ["content-security-policy", "content-security-policy-report-only"].some((name) => fieldsNamed(page.headers, name).length > 0) ||
      (dom.status === "read" && cspMetas(dom.facts).length > 0);
    if (found.length > 0 || hasPolicy) return violatedBy(found, cspViolationsDropped === 0);
    const isKnown = page.headersDropped === 0 && dom.status === "read" && dom.facts.metasDropped === 0;
    return isKnown ? notApplicable() : notChecked();
  },
});

function wordsOf(violations: readonly CspViolation[]): readonly string[] {
  return violations.map(({ directive, blocked }) => `${directive} ${blocked}`);
}
