/** Checks that browsers never send the cookies of an https site over plain http. */
import { addToCookies, registerCheck } from "assay/check";
import {
  hasSessionValue,
  hstsWithSubdomains,
  isAntiForgeryName,
  isRefusedWithoutSecure,
  isSessionName,
  type SeenCookie,
  verdictOnCookies,
} from "assay/check/parsers";

export default registerCheck({
  key: "cookie-secure",
  weight: 4,
  area: "cookies",
  standards: ["RFC 6265 section 4.1.2.5", "RFC 6797 section 14.4"],
  appliesTo: ["https"],
  reads: ["page"],
  consults: ["tls"],
  findings: {
    "security.cookie.missing-secure": { severity: "high", riskLevel: "medium", effort: "low", cwe: 614 },
    "security.cookie.missing-secure-under-hsts": { severity: "low", riskLevel: "low", effort: "low", cwe: 614, weight: 1 },
  },
  fixes: [addToCookies("all", "Secure")],
  judge({ subject, page, tls }) {
    const hstsHost = hstsWithSubdomains(page, tls, subject.scannedAt);
    const isGuarded = (cookie: SeenCookie) => isPreference(cookie) && hstsHost !== null && staysBelow(cookie, hstsHost);
    // RFC 6265bis section 5.7: cookies received over http cannot be Secure.
    return verdictOnCookies({ subject, page }, (cookie) => cookie.overHttps && !isRefusedWithoutSecure(cookie), {
      "security.cookie.missing-secure": (cookie) => !cookie.secure && !isGuarded(cookie),
      "security.cookie.missing-secure-under-hsts": (cookie) => !cookie.secure && isGuarded(cookie),
    });
  },
});

/** Neither a session nor a CSRF token: a reader learns no more than a setting. */
function isPreference(cookie: SeenCookie): boolean {
  return !isSessionName(cookie.name) && !hasSessionValue(cookie) && !isAntiForgeryName(cookie.name);
}

/** RFC 6265 section 5.4: browsers send the cookie to its domain and the names below it, or only to its host. */
function staysBelow({ domain, host }: SeenCookie, hstsHost: string): boolean {
  const scope = domain ?? host;
  return scope === hstsHost || scope.endsWith(`.${hstsHost}`);
}
