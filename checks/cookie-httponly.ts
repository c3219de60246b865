/** Checks that scripts cannot read session cookies. */
import { addToCookies, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { foundInCookies, hasSessionValue, isSessionName, seenCookies } from "assay/check/parsers";

export default registerCheck({
  key: "cookie-httponly",
  weight: 3,
  area: "cookies",
  standards: ["RFC 6265 section 4.1.2.6"],
  reads: ["page"],
  findings: {
    "security.cookie.missing-httponly": { severity: "medium", riskLevel: "medium", effort: "low", cwe: 1004 },
    "security.cookie.random-value-without-httponly": { severity: "medium", riskLevel: "medium", effort: "medium", cwe: 1004 },
  },
  fixes: {
    "security.cookie.missing-httponly": [addToCookies({ names: "{{names}}" }, "HttpOnly")],
    "security.cookie.random-value-without-httponly": [addToCookies({ names: "{{names}}" }, "HttpOnly")],
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    // Only session cookies need HttpOnly: scripts must read analytics cookies and many CSRF tokens.
    const byName = cookies.filter(({ name }) => isSessionName(name));
    const byValue = cookies.filter(hasSessionValue);
    const found = [
      ...foundInCookies(
        "security.cookie.missing-httponly",
        byName.filter(({ httpOnly }) => !httpOnly),
      ),
      ...foundInCookies(
        "security.cookie.random-value-without-httponly",
        byValue.filter(({ httpOnly }) => !httpOnly),
      ),
    ];
    if (found.length === 0 && !complete) return notChecked();
    return byName.length + byValue.length === 0 ? notApplicable() : violatedBy(found);
  },
});
