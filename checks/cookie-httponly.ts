/** Checks that scripts cannot read session cookies. */
import { notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { foundInCookies, isSessionName, seenCookies } from "assay/check/parsers";

export default registerCheck({
  key: "cookie-httponly",
  weight: 3,
  area: "cookies",
  standards: ["RFC 6265 section 4.1.2.6"],
  reads: ["page"],
  findings: {
    "security.cookie.missing-httponly": { severity: "medium", riskLevel: "medium", effort: "low" },
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    // Only session cookies need HttpOnly: scripts must read analytics cookies and many CSRF tokens.
    const sessionCookies = cookies.filter(({ name }) => isSessionName(name));
    const found = foundInCookies(
      "security.cookie.missing-httponly",
      sessionCookies.filter((cookie) => !cookie.httpOnly),
    );
    if (found.length === 0 && !complete) return notChecked();
    return sessionCookies.length === 0 ? notApplicable() : violatedBy(found);
  },
});
