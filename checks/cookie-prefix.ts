/** Do cookies whose names begin with __Host- or __Secure- keep what the prefix promises? Browsers refuse those that do not. */
import { foundInCookies, notApplicable, notChecked, registerCheck, seenCookies, violatedBy } from "assay/check";

const definition = { severity: "low", riskLevel: "low", effort: "low" } as const;

export default registerCheck({
  key: "cookie-prefix",
  weight: 1,
  reads: ["page"],
  findings: {
    "security.cookie.prefix-without-secure": definition,
    "security.cookie.prefix-over-http": definition,
    "security.cookie.host-prefix-with-domain": definition,
    "security.cookie.host-prefix-without-root-path": definition,
  },
  judge({ subject, page }) {
    const { cookies, complete } = seenCookies(subject, page);
    // RFC 6265bis section 5.7, steps 20 and 21: prefixes have no case.
    const ofHost = cookies.filter(({ name }) => name.toLowerCase().startsWith("__host-"));
    const prefixed = [...ofHost, ...cookies.filter(({ name }) => name.toLowerCase().startsWith("__secure-"))];
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
        ofHost.filter(({ domain }) => domain !== null),
        ({ domain }) => `Domain=${domain}`,
      ),
      ...foundInCookies(
        "security.cookie.host-prefix-without-root-path",
        ofHost.filter(({ path }) => path !== "/"),
        ({ path }) => (path === null ? null : `Path=${path}`),
      ),
    ];
    if (found.length === 0 && !complete) return notChecked();
    return prefixed.length === 0 ? notApplicable() : violatedBy(found);
  },
});
