/** Random sites: each part is sound, weak, wrong or absent, independently of the others. */
import fc from "fast-check";
import { weakSuiteKinds } from "../../../../src/evidence/limits.ts";
import { type Headers, host, libraryVersions, type Site, type SiteCookie, type SiteTls } from "./site.ts";

export const standardPolicy = "default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";
const strictPolicy =
  "default-src 'none'; script-src 'nonce-c2Vjb25kMTIzNDU2' 'strict-dynamic'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** A sound value of each header that every site should send. */
export const soundHeaders: Headers = {
  "content-type": ["text/html; charset=utf-8"],
  "strict-transport-security": ["max-age=63072000; includeSubDomains; preload"],
  "content-security-policy": [strictPolicy],
  "x-content-type-options": ["nosniff"],
  "x-frame-options": ["DENY"],
  "referrer-policy": ["no-referrer"],
  "permissions-policy": ["camera=(), microphone=(), geolocation=(), payment=(), usb=()"],
  "cross-origin-opener-policy": ["same-origin"],
};

/** What the lines for suites leave. */
export const modernSuites = { cipher: "modern", weakKinds: [], dheBits: null } as const satisfies Partial<SiteTls>;

export const soundTls: SiteTls = {
  ...modernSuites,
  versions: ["1.2", "1.3"],
  weakCurve: null,
  validity: "sound",
  trusted: true,
  hostMatches: true,
  keyBits: 2_048,
  signatureHash: "sha256",
  transparency: "compliant",
};

export const soundTexts: Site["texts"] = {
  "@": ["v=spf1 ip4:192.0.2.1 -all"],
  _dmarc: [`v=DMARC1; p=reject; rua=mailto:dmarc@${host}`],
  "_mta-sts": ["v=STSv1; id=20260101"],
  "_smtp._tls": [`v=TLSRPTv1; rua=mailto:tls@${host}`],
};

export const soundMtaStsPolicy = `version: STSv1\r\nmode: enforce\r\nmx: mail.${host}\r\nmax_age: 604800\r\n`;
export const soundSecurityTxt = {
  at: "well-known",
  contentType: "text/plain; charset=utf-8",
  body: `Contact: mailto:security@${host}\r\nExpires: 2027-01-31T00:00:00Z\r\n`,
  redirectedTo: null,
} as const;

/** A site without a fault. */
export const flawlessSite: Site = {
  scheme: "https",
  headers: soundHeaders,
  metaPolicies: [],
  referrerMeta: null,
  resources: [],
  library: null,
  forms: ["https"],
  passwordForm: "post",
  cookies: [{ name: "__Host-sid", attributes: ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] }],
  cors: {},
  tls: soundTls,
  plainHttp: "redirects",
  preloaded: false,
  caa: [["issue", "ca.example"]],
  dnssec: "secure",
  hasMail: true,
  dane: true,
  texts: soundTexts,
  mtaStsPolicy: soundMtaStsPolicy,
  securityTxt: soundSecurityTxt,
};

const directives: readonly string[] = [
  "default-src 'self'",
  "default-src 'none'",
  "default-src *",
  "default-src https: 'unsafe-inline' 'unsafe-eval'",
  "script-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "script-src * 'unsafe-inline' 'unsafe-eval' data:",
  "script-src 'nonce-c2Vjb25kMTIzNDU2'",
  "script-src 'nonce-c2Vjb25kMTIzNDU2' 'strict-dynamic' https:",
  "script-src 'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc=' 'unsafe-inline'",
  "script-src https://ajax.googleapis.com 'unsafe-eval'",
  "script-src 'self' http://cdn.example blob:",
  "script-src-elem 'self'",
  "script-src-attr 'none'",
  "style-src 'self' 'unsafe-inline'",
  "style-src *",
  "img-src *",
  "img-src http:",
  "object-src 'none'",
  "object-src 'self'",
  "base-uri 'none'",
  "base-uri *",
  "form-action 'self'",
  "form-action *",
  "frame-ancestors 'self'",
  "frame-ancestors *",
  "upgrade-insecure-requests",
  "sandbox allow-scripts",
  "report-uri /r",
  "scirpt-src 'self'",
  "img-src self",
];

const anyPolicy = fc.uniqueArray(fc.constantFrom(...directives), { minLength: 1, maxLength: 7 }).map((parts) => parts.join("; "));
const anyPolicies = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: fc.array(anyPolicy, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom([strictPolicy], [standardPolicy]) },
);

/** Values of a header: one of these, the sound one, or none. */
function anyOf(name: string, ...others: readonly (readonly string[])[]): fc.Arbitrary<readonly string[]> {
  return fc.constantFrom<readonly string[]>([], [], soundHeaders[name] ?? [], soundHeaders[name] ?? [], ...others);
}

const anyHeaders: fc.Arbitrary<Headers> = fc
  .record({
    "content-type": fc.constantFrom<readonly string[]>(["text/html; charset=utf-8"], ["text/html"], ["text/html; charset=klingon"]),
    "strict-transport-security": anyOf(
      "strict-transport-security",
      ["max-age=0"],
      ["max-age=300"],
      ["max-age=300; includeSubDomains"],
      ["max-age=31536000"],
      ["max-age=abc"],
      ["includeSubDomains"],
      ["max-age=31536000; includeSubDomains", "max-age=31536000; includeSubDomains"],
    ),
    "content-security-policy": anyPolicies,
    "content-security-policy-report-only": fc.constantFrom<readonly string[]>(
      [],
      ["default-src 'self'"],
      ["default-src 'self'; report-uri /r"],
    ),
    "x-content-type-options": anyOf("x-content-type-options", ["sniff"]),
    "x-frame-options": anyOf("x-frame-options", ["ALLOW-FROM https://partner.example"], ["SAMEORIGIN"]),
    "referrer-policy": anyOf("referrer-policy", ["unsafe-url"], ["origin"], ["nonsense"]),
    "permissions-policy": anyOf("permissions-policy", ["camera=*"], ["interest-cohort=()"], ["camera 'none'"]),
    "cross-origin-opener-policy": anyOf("cross-origin-opener-policy", ["unsafe-none"], ["Same-Origin"]),
    "cross-origin-embedder-policy": fc.constantFrom<readonly string[]>([], [], ["require-corp"], ["nonsense"]),
    "cross-origin-resource-policy": fc.constantFrom<readonly string[]>([], [], ["same-site"], ["nonsense"]),
    "x-xss-protection": fc.constantFrom<readonly string[]>([], [], ["0"], ["1; mode=block"]),
    server: fc.constantFrom<readonly string[]>([], ["nginx"], ["Apache/2.4.1 (Unix) OpenSSL/1.1"]),
    "x-powered-by": fc.constantFrom<readonly string[]>([], [], ["PHP/5.4.1"]),
    "expect-ct": fc.constantFrom<readonly string[]>([], [], ["max-age=10"]),
    "feature-policy": fc.constantFrom<readonly string[]>([], [], ["camera 'none'"]),
  })
  .map((headers) => Object.fromEntries(Object.entries(headers).filter(([, values]) => values.length > 0)));

const anyCookie: fc.Arbitrary<SiteCookie> = fc.record({
  name: fc.constantFrom("sid", "PHPSESSID", "__Host-sid", "__Secure-a", "csrf_token", "theme"),
  attributes: fc.subarray(["Secure", "HttpOnly", "SameSite=None", "SameSite=Lax", "Path=/", "Domain=site.example"]),
});

const anyTls: fc.Arbitrary<SiteTls> = fc.record({
  versions: fc.constantFrom<SiteTls["versions"]>(
    ["1.2", "1.3"],
    ["1.2", "1.3"],
    ["1.3"],
    ["1.0", "1.1", "1.2"],
    ["1.2"],
    ["1.1", "1.2", "1.3"],
  ),
  cipher: fc.constantFrom("modern", "modern", "cbc", "static-rsa"),
  weakKinds: fc.subarray([...weakSuiteKinds]),
  dheBits: fc.constantFrom(null, null, 768, 1_024, 2_048),
  weakCurve: fc.constantFrom(null, null, "secp192r1", "sect571r1"),
  validity: fc.constantFrom("sound", "sound", "sound", "ending", "expired"),
  trusted: fc.constantFrom(true, true, true, false),
  hostMatches: fc.constantFrom(true, true, true, false),
  keyBits: fc.constantFrom(2_048, 2_048, 1_024),
  signatureHash: fc.constantFrom("sha256", "sha256", "sha1"),
  transparency: fc.constantFrom("compliant", "compliant", "not-compliant"),
});

const anyTexts: fc.Arbitrary<Site["texts"]> = fc.record({
  "@": fc.constantFrom<readonly string[]>(
    [],
    soundTexts["@"],
    ["v=spf1 ?all"],
    ["v=spf1 +all"],
    ["v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all"],
    ["v=spf1 nonsense"],
    ["v=spf1 ip4:192.0.2.1 -all", "v=spf1 -all"],
    ["spf1 -all"],
  ),
  _dmarc: fc.constantFrom<readonly string[]>(
    [],
    soundTexts._dmarc,
    ["v=DMARC1; p=none"],
    ["v=DMARC1; p=none; rua=nobody"],
    [`v=DMARC1; p=reject; t=y; rua=mailto:a@${host}`],
    ["v=DMARC1; p=reject; sp=none"],
    ["v=DMARC1; p=quarantine; sp=quarantine"],
    ["v=DMARC1; p=x"],
    ["v=DMARC1; p=reject", "v=DMARC1; p=none"],
  ),
  "_mta-sts": fc.constantFrom<readonly string[]>([], soundTexts["_mta-sts"], ["v=STSv1; id="]),
  "_smtp._tls": fc.constantFrom<readonly string[]>([], soundTexts["_smtp._tls"], ["v=TLSRPTv1; rua=nobody"]),
});

const anySecurityTxt: fc.Arbitrary<Site["securityTxt"]> = fc.oneof(
  fc.constantFrom(null, soundSecurityTxt),
  fc.record({
    at: fc.constantFrom("well-known", "root"),
    contentType: fc.constantFrom("text/plain", "application/octet-stream"),
    redirectedTo: fc.constantFrom(null, null, "accepted", "refused"),
    body: fc.constantFrom(soundSecurityTxt.body, `Contact: mailto:a@${host}\r\n`, "Expires: 2020-01-01T00:00:00Z\r\n"),
  }),
);

export const anySite: fc.Arbitrary<Site> = fc.record({
  scheme: fc.constantFrom("https", "https", "https", "https", "https", "https", "https", "http"),
  headers: anyHeaders,
  metaPolicies: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(anyPolicy, { minLength: 1, maxLength: 1 }) },
  ),
  referrerMeta: fc.constantFrom(null, null, null, "unsafe-url", "no-referrer"),
  resources: fc.array(
    fc.record({
      scheme: fc.constantFrom("https", "https", "http"),
      host: fc.constantFrom(host, "cdn.example"),
      kind: fc.constantFrom("script", "style", "other"),
      integrity: fc.constantFrom(null, null, `sha384-${"b".repeat(64)}`, "sha1-x"),
    }),
    { maxLength: 3 },
  ),
  library: fc.constantFrom(null, null, ...libraryVersions),
  forms: fc.array(fc.constantFrom("https", "https", "http"), { maxLength: 2 }),
  passwordForm: fc.constantFrom(null, "post", "get"),
  cookies: fc.array(anyCookie, { maxLength: 3 }),
  cors: fc.constantFrom<Headers>(
    {},
    {},
    { "access-control-allow-origin": ["*"] },
    { "access-control-allow-origin": ["null"] },
    { "access-control-allow-origin": ["https://cross-origin.invalid"], "access-control-allow-credentials": ["true"] },
    { "access-control-allow-origin": ["*"], "access-control-allow-credentials": ["true"] },
  ),
  // The caps of a refused certificate would hide most other changes.
  tls: fc.oneof({ weight: 4, arbitrary: fc.constant(soundTls) }, { weight: 1, arbitrary: anyTls }),
  plainHttp: fc.constantFrom("redirects", "redirects", "other-host", "to-http", "answers", "refused"),
  preloaded: fc.constantFrom(false, false, false, false, true),
  caa: fc.constantFrom<Site["caa"]>(
    [],
    [["issue", "ca.example"]],
    [["issuewild", ";"]],
    [
      ["issue", "?!"],
      ["x", "y"],
    ],
  ),
  dnssec: fc.constantFrom("secure", "insecure", "insecure", "bogus"),
  hasMail: fc.constantFrom(true, true, false),
  dane: fc.boolean(),
  texts: anyTexts,
  mtaStsPolicy: fc.constantFrom(null, soundMtaStsPolicy, soundMtaStsPolicy.replace("enforce", "testing"), "mode: none"),
  securityTxt: anySecurityTxt,
});
