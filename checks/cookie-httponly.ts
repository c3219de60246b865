/** Are the cookies that stand for a login kept from scripts? */
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
    // Statistics are read by scripts, and so are many tokens against forgery: only what stands for a login is asked for.
    const ofSessions = cookies.filter(({ name }) => isSessionName(name));
    const found = foundInCookies(
      "security.cookie.missing-httponly",
      ofSessions.filter((cookie) => !cookie.httpOnly),
    );
    if (found.length === 0 && !complete) return notChecked();
    return ofSessions.length === 0 ? notApplicable() : violatedBy(found);
  },
});
