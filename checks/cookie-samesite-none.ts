/** Checks that cookies with SameSite=None are limited to encrypted connections. */
import { addToCookies, notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { foundInCookies, isSessionName, seenCookies } from "assay/check/parsers";

export default registerCheck({
  key: "cookie-samesite-none",
  weight: 3,
  area: "cookies",
  standards: ["RFC 6265bis section 4.1.2.7"],
  reads: ["page"],
  findings: {
    "security.cookie.samesite-none-without-secure": { severity: "high", riskLevel: "medium", effort: "low", cwe: 614 },
    "security.cookie.session-samesite-none-without-secure": { severity: "high", riskLevel: "high", effort: "low", cwe: 614, scoreCap: 60 },
  },
  fixes: {
    "security.cookie.samesite-none-without-secure": [addToCookies("all", "Secure")],
    "security.cookie.session-samesite-none-without-secure": [addToCookies("all", "Secure")],
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    const crossSite = cookies.filter(({ sameSite }) => sameSite === "none");
    const insecure = crossSite.filter(({ secure }) => !secure);
    const found = [
      ...foundInCookies(
        "security.cookie.session-samesite-none-without-secure",
        insecure.filter(({ name }) => isSessionName(name)),
      ),
      ...foundInCookies(
        "security.cookie.samesite-none-without-secure",
        insecure.filter(({ name }) => !isSessionName(name)),
      ),
    ];
    if (found.length === 0 && !complete) return notChecked();
    return crossSite.length === 0 ? notApplicable() : violatedBy(found);
  },
});
