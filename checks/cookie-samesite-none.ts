/** Checks that cookies with SameSite=None are limited to encrypted connections. */
import { addToCookies, registerCheck } from "assay/check";
import { isRefusedWithoutSecure, isSessionName, verdictOnCookies } from "assay/check/parsers";

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
  fixes: [addToCookies("all", "Secure")],
  judge: (evidence) =>
    verdictOnCookies(evidence, (cookie) => cookie.sameSite === "none" && !isRefusedWithoutSecure(cookie), {
      "security.cookie.session-samesite-none-without-secure": ({ name, secure }) => !secure && isSessionName(name),
      "security.cookie.samesite-none-without-secure": ({ name, secure }) => !secure && !isSessionName(name),
    }),
});
