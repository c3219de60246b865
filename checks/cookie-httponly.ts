/** Checks that scripts cannot read session cookies. */
import { addToCookies, registerCheck } from "assay/check";
import { hasSessionValue, isSessionName, verdictOnCookies } from "assay/check/parsers";

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
  fixes: [addToCookies({ names: "{{names}}" }, "HttpOnly")],
  // Only session cookies need HttpOnly: scripts must read analytics cookies and many CSRF tokens.
  judge: (evidence) =>
    verdictOnCookies(evidence, (cookie) => isSessionName(cookie.name) || hasSessionValue(cookie), {
      "security.cookie.missing-httponly": ({ name, httpOnly }) => !httpOnly && isSessionName(name),
      "security.cookie.random-value-without-httponly": (cookie) => !cookie.httpOnly && hasSessionValue(cookie),
    }),
});
