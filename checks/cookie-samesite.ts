/** Checks that session cookies and CSRF tokens declare whether browsers send them with cross-site requests. */
import { addToCookies, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { foundInCookies, hasSessionValue, isAntiForgeryName, isSessionName, seenCookies } from "assay/check/parsers";

const knownValues = ["strict", "lax", "none"];

export default registerCheck({
  key: "cookie-samesite",
  weight: 2,
  area: "cookies",
  standards: ["RFC 6265bis section 4.1.2.7"],
  reads: ["page"],
  findings: {
    "security.cookie.missing-samesite": { severity: "low", riskLevel: "low", effort: "medium", cwe: 1275 },
    "security.cookie.invalid-samesite": { severity: "low", riskLevel: "low", effort: "low", cwe: 1275 },
    "security.cookie.random-value-without-samesite": { severity: "low", riskLevel: "low", effort: "medium", cwe: 1275 },
  },
  fixes: {
    "security.cookie.missing-samesite": [addToCookies({ names: "{{names}}" }, "SameSite=Lax")],
    "security.cookie.random-value-without-samesite": [addToCookies({ names: "{{names}}" }, "SameSite=Lax")],
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    const sensitive = cookies.filter(({ name }) => isSessionName(name) || isAntiForgeryName(name));
    const byValue = cookies.filter(hasSessionValue);
    const found = [
      ...foundInCookies(
        "security.cookie.missing-samesite",
        sensitive.filter(({ sameSite }) => sameSite === null),
      ),
      ...foundInCookies(
        "security.cookie.invalid-samesite",
        sensitive.filter(({ sameSite }) => sameSite !== null && !knownValues.includes(sameSite)),
        ({ sameSite }) => `SameSite=${sameSite}`,
      ),
      ...foundInCookies(
        "security.cookie.random-value-without-samesite",
        byValue.filter(({ sameSite }) => sameSite === null || !knownValues.includes(sameSite)),
        ({ sameSite }) => (sameSite === null ? null : `SameSite=${sameSite}`),
      ),
    ];
    if (found.length === 0 && !complete) return notChecked();
    return sensitive.length + byValue.length === 0 ? notApplicable() : violatedBy(found);
  },
});
