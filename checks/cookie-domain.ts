/** Checks that browsers accept the Domain of a cookie, and that it covers no hosts of other owners. */
import { registerCheck } from "assay/check";
import {
  cookiePrefixes,
  domainOfTenants,
  isCookieDomainAccepted,
  isSessionName,
  type SeenCookie,
  verdictOnCookies,
} from "assay/check/parsers";

export default registerCheck({
  key: "cookie-domain",
  weight: 4,
  area: "cookies",
  standards: ["RFC 6265bis section 5.7"],
  reads: ["page"],
  findings: {
    "security.cookie.session-shared-with-tenants": { severity: "high", riskLevel: "high", effort: "low", cwe: 653, scoreCap: 60 },
    "security.cookie.shared-with-tenants": { severity: "low", riskLevel: "low", effort: "low", cwe: 653, weight: 1 },
    "security.cookie.domain-refused": { severity: "low", riskLevel: "low", effort: "low", cwe: 565, weight: 1 },
  },
  // A cookie with a Domain is never a `__Host-` cookie; `cookie-prefix` reports one that has both.
  judge: (evidence) =>
    verdictOnCookies(evidence, ({ name, domain }) => domain !== null && !cookiePrefixes(name).includes("__host-"), {
      "security.cookie.session-shared-with-tenants": (cookie) =>
        isSessionName(cookie.name) && isShared(cookie) && `Domain=${cookie.domain}`,
      "security.cookie.shared-with-tenants": (cookie) => !isSessionName(cookie.name) && isShared(cookie) && `Domain=${cookie.domain}`,
      "security.cookie.domain-refused": (cookie) => !isAccepted(cookie) && `Domain=${cookie.domain}`,
    }),
});

function isAccepted({ host, domain }: SeenCookie): boolean {
  return domain === null || isCookieDomainAccepted(host, domain);
}

function isShared(cookie: SeenCookie): boolean {
  return isAccepted(cookie) && domainOfTenants(cookie.domain ?? "") !== null;
}
