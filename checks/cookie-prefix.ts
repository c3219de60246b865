/** Checks that cookies named __Host-, __Secure- or __Http- meet the prefix's requirements. Browsers reject the others. */
import { addToCookies, redirectToHttps, registerCheck } from "assay/check";
import { cookiePrefixes, verdictOnCookies } from "assay/check/parsers";

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
  judge: (evidence) =>
    verdictOnCookies(evidence, ({ name }) => cookiePrefixes(name).length > 0, {
      "security.cookie.prefix-without-secure": ({ secure }) => !secure,
      "security.cookie.prefix-over-http": ({ overHttps }) => !overHttps,
      "security.cookie.host-prefix-with-domain": ({ name, domain }) =>
        cookiePrefixes(name).includes("__host-") && domain !== null && `Domain=${domain}`,
      "security.cookie.host-prefix-without-root-path": ({ name, path }) =>
        cookiePrefixes(name).includes("__host-") && path !== "/" && (path === null || `Path=${path}`),
      "security.cookie.http-prefix-without-httponly": ({ name, httpOnly }) => cookiePrefixes(name).includes("__http-") && !httpOnly,
    }),
});
