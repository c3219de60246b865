/** Checks that session cookies and CSRF tokens declare whether browsers send them with cross-site requests. */
import { addToCookies, registerCheck } from "assay/check";
import { hasSessionValue, isAntiForgeryName, isSessionName, type SeenCookie, verdictOnCookies } from "assay/check/parsers";

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
  judge: (evidence) =>
    verdictOnCookies(evidence, (cookie) => isSensitiveName(cookie) || hasSessionValue(cookie), {
      "security.cookie.missing-samesite": (cookie) => isSensitiveName(cookie) && cookie.sameSite === null,
      "security.cookie.invalid-samesite": (cookie) => isSensitiveName(cookie) && cookie.sameSite !== null && faultOf(cookie),
      "security.cookie.random-value-without-samesite": (cookie) => hasSessionValue(cookie) && faultOf(cookie),
    }),
});

function isSensitiveName({ name }: SeenCookie): boolean {
  return isSessionName(name) || isAntiForgeryName(name);
}

/** An unknown value has the same effect as a missing attribute. */
function faultOf({ sameSite }: SeenCookie): boolean | string {
  if (sameSite === null) return true;
  return !knownValues.includes(sameSite) && `SameSite=${sameSite}`;
}
