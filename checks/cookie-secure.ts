/** Checks that browsers never send the cookies of an https site over plain http. */
import { notApplicable, notChecked, registerCheck, violatedBy } from "assay/check";
import { foundInCookies, seenCookies } from "assay/check/parsers";

export default registerCheck({
  key: "cookie-secure",
  weight: 4,
  area: "cookies",
  standards: ["RFC 6265 section 4.1.2.5"],
  appliesTo: ["https"],
  reads: ["page"],
  findings: {
    "security.cookie.missing-secure": { severity: "high", riskLevel: "medium", effort: "low" },
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    // RFC 6265bis section 5.7: cookies received over http cannot be Secure.
    const overHttps = cookies.filter((cookie) => cookie.overHttps);
    const found = foundInCookies(
      "security.cookie.missing-secure",
      overHttps.filter((cookie) => !cookie.secure),
    );
    if (found.length === 0 && !complete) return notChecked();
    return overHttps.length === 0 ? notApplicable() : violatedBy(found);
  },
});
