/** Checks that cookies named __Host-, __Secure- or __Http- meet the prefix's requirements. Browsers reject the others. */
import { addToCookies, redirectToHttps, registerCheck } from "assay/check";
import { type CookieFault, cookiePrefixes, type SeenCookie, verdictOnCookies } from "assay/check/parsers";

const definition = { severity: "low", riskLevel: "low", effort: "low", cwe: 614 } as const;

/** What breaks the rules of a prefix, and the name of the attribute; a cookie is reported under the first code that applies. */
const faults = [
  ["security.cookie.prefix-over-http", "HTTPS", ({ overHttps }) => !overHttps],
  ["security.cookie.prefix-without-secure", "Secure", ({ secure }) => !secure],
  ["security.cookie.host-prefix-with-domain", "Domain", (cookie) => isHost(cookie) && cookie.domain !== null && `Domain=${cookie.domain}`],
  [
    "security.cookie.host-prefix-without-root-path",
    "Path",
    (cookie) => isHost(cookie) && cookie.path !== "/" && (cookie.path === null || `Path=${cookie.path}`),
  ],
  [
    "security.cookie.http-prefix-without-httponly",
    "HttpOnly",
    ({ name, httpOnly }) => cookiePrefixes(name).includes("__http-") && !httpOnly,
  ],
] as const satisfies readonly (readonly [code: string, attribute: string, fault: CookieFault])[];
type Code = (typeof faults)[number][0];

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
  judge: (evidence) => {
    const byCode = Object.fromEntries(faults.map(([code]) => [code, (cookie: SeenCookie) => faultUnder(code, cookie)]));
    return verdictOnCookies(evidence, ({ name }) => cookiePrefixes(name).length > 0, byCode as Record<Code, CookieFault>);
  },
});

/** Browsers refuse the cookie as a whole, so it is reported once: under its first fault, with a quote of the others. */
function faultUnder(code: Code, cookie: SeenCookie): boolean | string {
  const found = faults.flatMap(([each, attribute, faultOf]) => {
    const fault = faultOf(cookie);
    return fault === false ? [] : [{ code: each, quote: fault === true ? null : fault, attribute }];
  });
  const [first, ...others] = found;
  if (first?.code !== code) return false;
  const quotes = [first.quote ?? [], ...others.map(({ quote, attribute }) => quote ?? attribute)].flat();
  return quotes.length === 0 || quotes.join(", ");
}

function isHost({ name }: SeenCookie): boolean {
  return cookiePrefixes(name).includes("__host-");
}
