/** Checks that cookies named __Host-, __Secure- or __Http- meet the prefix's requirements. Browsers reject the others. */
import { addToCookies, notApplicable, notChecked, redirectToHttps, registerCheck, violatedBy } from "assay/check";
import { cookiePrefixes, foundInCookies, seenCookies } from "assay/check/parsers";

const definition = { severity: "low", riskLevel: "low", effort: "low", cwe: 614 } as const;

export default registerCheck({
  key: "cookie-prefix",
  weight: 1,
  area: "cookies",
  standards: ["RFC 6265bis section 4.1.3"],
  reads: ["page"],
  findings: {
    "security.cookie.prefix-without-secure": definition,
    "security.cookie.prefix-over-http": definition,
    "security.cookie.host-prefix-with-domain": { ...definition, cwe: 565 },
    "security.cookie.host-prefix-without-root-path": { ...definition, cwe: 565 },
    "security.cookie.http-prefix-without-httponly": { ...definition, cwe: 1004 },
  },
  fixes: {
    "security.cookie.prefix-without-secure": [addToCookies("prefixed", "Secure")],
    "security.cookie.prefix-over-http": [redirectToHttps],
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    const prefixed = cookies.filter(({ name }) => cookiePrefixes(name).length > 0);
    const hostPrefixed = prefixed.filter(({ name }) => cookiePrefixes(name).includes("__host-"));
    const httpPrefixed = prefixed.filter(({ name }) => cookiePrefixes(name).includes("__http-"));
    const found = [
      ...foundInCookies(
        "security.cookie.prefix-without-secure",
        prefixed.filter(({ secure }) => !secure),
      ),
      ...foundInCookies(
        "security.cookie.prefix-over-http",
        prefixed.filter(({ overHttps }) => !overHttps),
      ),
      ...foundInCookies(
        "security.cookie.host-prefix-with-domain",
        hostPrefixed.filter(({ domain }) => domain !== null),
        ({ domain }) => `Domain=${domain}`,
      ),
      ...foundInCookies(
        "security.cookie.host-prefix-without-root-path",
        hostPrefixed.filter(({ path }) => path !== "/"),
        ({ path }) => (path === null ? null : `Path=${path}`),
      ),
      ...foundInCookies(
        "security.cookie.http-prefix-without-httponly",
        httpPrefixed.filter(({ httpOnly }) => !httpOnly),
      ),
    ];
    if (found.length === 0 && !complete) return notChecked();
    return prefixed.length === 0 ? notApplicable() : violatedBy(found);
  },
});
