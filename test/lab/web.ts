/** Laboratory cases for headers, cookies, redirects, contents and files that no other area covers. */
import { randomBytes } from "node:crypto";
import type { Answer } from "../support/servers.ts";
import type { LabCase } from "./laboratory.ts";
import { notApplicable, notChecked, passed, violated } from "./states.ts";
import {
  type Headers,
  webHost as host,
  webLibraryHost as libraryHost,
  redirectTo,
  serveWeb as serve,
  webSubdomain as subdomain,
  type WebSite,
} from "./web-site.ts";

const soundHsts = "max-age=63072000; includeSubDomains; preload";
const hsts = (...values: readonly string[]): Headers => ({ "strict-transport-security": values });

const cookieCases: readonly LabCase[] = [
  {
    name: "cookies that violate their name prefixes",
    expected: violated("cookie-prefix"),
    codes: [
      "security.cookie.host-prefix-without-root-path",
      "security.cookie.host-prefix-with-domain",
      "security.cookie.http-prefix-without-httponly",
    ],
    serve: () => {
      const shared = `__Host-look=1; Secure; Path=/; Domain=${host}`;
      return serve({ headers: { "set-cookie": ["__Host-basket=1; Secure; Path=/shop", shared, "__Http-basket=1; Secure; Path=/"] } });
    },
  },
  {
    name: "a setting that browsers refuse for three faults, which has one finding",
    expected: { ...violated("cookie-prefix"), "cookie-secure": "notApplicable", "cookie-samesite-none": "notApplicable" },
    codes: ["security.cookie.prefix-without-secure"],
    serve: () => serve({ headers: { "set-cookie": `__Host-look=1; SameSite=None; Domain=${host}; Path=/shop` } }),
  },
  {
    name: "a session for all customers of a host, and a setting for one of them",
    expected: violated("cookie-domain"),
    codes: ["security.cookie.session-shared-with-tenants", "security.cookie.domain-refused"],
    serve: () =>
      serve({
        host: "assay-tenant.b-cdn.net",
        headers: { "set-cookie": ["sid=1; Secure; HttpOnly; Domain=b-cdn.net", "look=1; Secure; Domain=assay-other-tenant.b-cdn.net"] },
      }),
  },
  {
    name: "a setting for all customers of a host",
    expected: violated("cookie-domain"),
    codes: ["security.cookie.shared-with-tenants"],
    serve: () => serve({ host: "assay-tenant.b-cdn.net", headers: { "set-cookie": "look=1; Secure; Domain=b-cdn.net" } }),
  },
  {
    name: "a prefixed cookie on a redirect from http to https",
    expected: violated("cookie-prefix"),
    codes: ["security.cookie.prefix-over-http"],
    serve: () =>
      serve({
        scheme: "http",
        plain: { "*": redirectTo(`https://${host}/`, { "set-cookie": "__Host-early=1; Secure; Path=/" }) },
      }),
  },
  {
    name: "an advertising cookie with SameSite=None and without Secure",
    expected: { ...violated("cookie-samesite-none", "cookie-secure"), "cookie-httponly": "notApplicable" },
    codes: ["security.cookie.samesite-none-without-secure"],
    serve: () => serve({ headers: { "set-cookie": "advert=1; SameSite=None" } }),
  },
  {
    name: "a random value of an unknown name, without lifetime",
    expected: violated("cookie-httponly", "cookie-samesite"),
    codes: ["security.cookie.random-value-without-httponly", "security.cookie.random-value-without-samesite"],
    serve: () => serve({ headers: { "set-cookie": `ident=${randomBytes(16).toString("hex")}; Path=/; Secure` } }),
  },
  {
    name: "a setting without Secure under HSTS with subdomains, set by the icon of the page",
    expected: violated("cookie-secure"),
    codes: ["security.cookie.missing-secure-under-hsts"],
    serve: () =>
      serve({
        headers: hsts(soundHsts),
        routes: { "/favicon.ico": { status: 404, headers: { "set-cookie": "theme=dark; SameSite=Lax" } } },
      }),
  },
];

const reporting = (declaration: string, pad = ""): Headers => ({
  "content-security-policy": `default-src 'self'; report-to reports${pad}`,
  "reporting-endpoints": declaration,
});

const reportingCases: readonly LabCase[] = [
  {
    name: "a policy whose endpoint is declared",
    expected: passed("reporting-endpoints"),
    serve: () => serve({ headers: reporting(`reports="https://${host}/reports"`) }),
  },
  {
    name: "policies with an endpoint that is not declared, and one over http",
    expected: violated("reporting-endpoints"),
    codes: ["security.reporting.endpoint-undeclared", "security.reporting.endpoint-not-https"],
    serve: () =>
      serve({
        headers: { ...reporting(`reports="http://${host}/reports"`), "cross-origin-opener-policy": 'same-origin; report-to="coop"' },
      }),
  },
  {
    name: "a policy longer than the limit, with a declared endpoint",
    expected: notChecked("reporting-endpoints"),
    serve: () => serve({ headers: reporting(`reports="https://${host}/reports"`, `; img-src https://${"i".repeat(600)}.example`) }),
  },
  {
    name: "a policy without an endpoint",
    expected: notApplicable("reporting-endpoints"),
    serve: () => serve({ headers: { "content-security-policy": "default-src 'self'" } }),
  },
];

const isolationCases: readonly LabCase[] = [
  {
    name: "an isolated document without an opener policy",
    expected: passed("cross-origin-opener-policy", "cross-origin-embedder-policy"),
    serve: () => serve({ headers: { "document-isolation-policy": "isolate-and-require-corp" } }),
  },
  {
    name: "a Document-Isolation-Policy that browsers do not know",
    expected: violated("cross-origin-opener-policy", "cross-origin-embedder-policy"),
    codes: ["security.missing-header.cross-origin-opener-policy", "security.invalid-header.document-isolation-policy"],
    serve: () => serve({ headers: { "document-isolation-policy": "isolate" } }),
  },
];

const headerCases: readonly LabCase[] = [
  {
    name: "CORS with cookies for a host of anyone's buckets",
    expected: violated("cors-configuration"),
    codes: ["security.cors.open-host-with-credentials"],
    serve: () =>
      serve({
        headers: {
          "access-control-allow-origin": "https://storage.googleapis.com",
          "access-control-allow-credentials": "true",
        },
      }),
  },
  {
    name: "headers that no other area covers",
    expected: violated("cors-configuration", "csp-syntax", "deprecated-headers", "information-disclosure", "content-type-charset"),
    codes: [
      "security.content.charset-unknown",
      "security.cors.null-origin",
      "security.csp.unknown-directive",
      "security.deprecated-header.feature-policy",
      "security.csp.object-src-by-default-src",
      "security.csp.style-any-host",
      "security.disclosure.product-version",
      "security.disclosure.via",
    ],
    serve: () =>
      serve({
        headers: {
          "content-type": "text/html; charset=klingon",
          "access-control-allow-origin": "null",
          "content-security-policy": "default-src 'self'; style-src https:; frobnicate 'self'",
          "feature-policy": "camera 'none'",
          via: "1.1 cache (Varnish/5.1)",
          "x-jenkins": "2.401.1",
        },
      }),
  },
  ...isolationCases,
  ...reportingCases,
  {
    name: "a Permissions-Policy for a feature that no browser has",
    expected: violated("permissions-policy"),
    codes: ["security.invalid-header.permissions-policy-retired"],
    serve: () => serve({ headers: { "permissions-policy": "interest-cohort=()" } }),
  },
  ...(
    [
      ["without max-age", "max-age-missing", ["includeSubDomains"]],
      ["with max-age twice", "directive-repeated", ["max-age=31536000; max-age=31536000"]],
      ["sent twice", "duplicate-header", ["max-age=31536000", "max-age=31536000"]],
    ] as const
  ).map(
    ([description, code, values]): LabCase => ({
      name: `HSTS ${description}`,
      expected: { ...violated("hsts-effective"), ...passed("strict-transport-security") },
      codes: [`security.hsts.${code}`],
      serve: () => serve({ headers: hsts(...values) }),
    }),
  ),
];

const disabledHstsCase: LabCase = {
  name: "HSTS switched off",
  expected: { ...violated("strict-transport-security"), "hsts-effective": "notApplicable" },
  codes: ["security.hsts.disabled"],
  serve: () => serve({ headers: hsts("max-age=0") }),
};

const preloadCases: readonly LabCase[] = (
  [
    ["with all requirements of the list", null, { headers: hsts(soundHsts) }],
    ["with an untrusted certificate", "preload-certificate-not-accepted", { headers: hsts(soundHsts), selfSigned: true }],
    ["by two headers", "preload-header-invalid", { headers: hsts(soundHsts, soundHsts) }],
    ["for five minutes", "preload-max-age-too-short", { headers: hsts("max-age=300; includeSubDomains; preload") }],
    ["without subdomains", "preload-without-subdomains", { headers: hsts("max-age=63072000; preload") }],
    [
      "with a first redirect to another host",
      "preload-no-same-host-redirect",
      { headers: hsts(soundHsts), plain: { "*": redirectTo(`https://${subdomain}/`) } },
    ],
    [
      "after four redirects",
      "preload-redirect-chain",
      {
        headers: hsts(soundHsts),
        plain: { "*": redirectTo(`https://${host}/1`) },
        routes: Object.fromEntries([1, 2, 3].map((at) => [`/${at}`, redirectTo(at === 3 ? "/" : `/${at + 1}`, hsts(soundHsts))])),
      },
    ],
    [
      "with a redirect back to http",
      "preload-redirect-downgrade",
      {
        headers: hsts(soundHsts),
        plain: { "/": redirectTo(`https://${host}/down`), "/up": redirectTo(`https://${host}/`) },
        routes: { "/down": redirectTo(`http://${host}/up`, hsts(soundHsts)) },
      },
    ],
  ] as const satisfies readonly (readonly [string, string | null, WebSite])[]
).map(([description, code, site]) => ({
  name: `HSTS preload ${description}`,
  expected: code === null ? passed("hsts-preload-eligible") : violated("hsts-preload-eligible"),
  codes: code === null ? [] : [`security.hsts.${code}`],
  serve: () => serve(site),
}));

const redirectCases: readonly LabCase[] = [
  {
    name: "port 80 redirects to another http address, which shows a page",
    expected: violated("https-redirect"),
    codes: ["security.transport.redirect-to-http"],
    serve: () => serve({ plain: { "/": redirectTo(`http://${host}/start`), "/start": { body: "<title>Start</title>" } } }),
  },
  {
    name: "port 80 redirects to another http address first",
    expected: violated("https-redirect"),
    codes: ["security.transport.redirect-late"],
    serve: () => serve({ plain: { "/": redirectTo(`http://${host}/start`), "/start": redirectTo(`https://${host}/`) } }),
  },
  {
    name: "port 80 answers that nothing is there",
    expected: violated("https-redirect"),
    codes: ["security.transport.plain-http-error"],
    serve: () => serve({ plain: {} }),
  },
  {
    name: "port 80 redirects to another host first",
    expected: { ...violated("https-redirect"), ...passed("redirect-chain-secure") },
    codes: ["security.transport.redirect-to-other-host"],
    serve: () => serve({ plain: { "*": redirectTo(`https://${subdomain}/`) } }),
  },
  {
    name: "a chain of twelve secure redirects",
    expected: { ...violated("redirect-chain-secure"), ...passed("https-redirect") },
    codes: ["security.transport.redirect-chain-too-long"],
    serve: () =>
      serve({
        plain: { "*": redirectTo(`https://${host}/1`) },
        routes: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`/${at + 1}`, redirectTo(at === 11 ? "/" : `/${at + 2}`)])),
      }),
  },
];

const digest = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

const contentCases: readonly LabCase[] = [
  {
    name: "images over http, by name and by address",
    expected: violated("mixed-content"),
    codes: ["security.content.upgraded-mixed-content", "security.content.passive-mixed-content"],
    serve: () => serve({ body: `<img src="http://${host}/picture.png" alt=""><img src="http://192.0.2.1/picture.png" alt="">` }),
  },
  {
    name: "integrity that is malformed, wrong, or not checkable",
    expected: violated("subresource-integrity", "subresource-integrity-valid"),
    codes: [
      "security.content.integrity-malformed",
      "security.content.integrity-mismatch",
      "security.content.integrity-signature-only",
      "security.content.integrity-without-crossorigin",
      "security.content.script-unpinnable",
      "security.content.script-without-integrity",
      "security.content.style-unpinnable",
      "security.content.style-without-integrity",
    ],
    serve: () =>
      serve({
        head: `<link rel="stylesheet" href="https://${libraryHost}/style-1.2.css">
<link rel="stylesheet" href="https://${libraryHost}/style.css"><script src="https://${libraryHost}/script.js"></script><script src="https://${libraryHost}/script-2.0.js"></script>
<script src="https://${libraryHost}/malformed.js" integrity="sha256-?" crossorigin></script>
<script src="https://${libraryHost}/unchecked.js" integrity="${digest}"></script>
<script src="https://${libraryHost}/signed.js" integrity="ed25519-JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=" crossorigin></script>
<script src="/changed.js" integrity="${digest}"></script>`,
        routes: {
          "/script-2.0.js": { headers: { "content-type": "text/javascript" }, body: "" },
          "/script.js": { headers: { "content-type": "text/javascript" }, body: "" },
          "/style-1.2.css": { headers: { "content-type": "text/css" }, body: "" },
          "/style.css": { headers: { "content-type": "text/css" }, body: "" },
          "/malformed.js": { headers: { "content-type": "text/javascript", "access-control-allow-origin": "*" }, body: "" },
          "/signed.js": { headers: { "content-type": "text/javascript", "access-control-allow-origin": "*" }, body: "" },
          "/unchecked.js": { headers: { "content-type": "text/javascript" }, body: "" },
          "/changed.js": { headers: { "content-type": "text/javascript" }, body: "changed()" },
        },
      }),
  },
];

const libraryCases: readonly LabCase[] = [
  {
    name: "libraries with serious, minor and unfixed vulnerabilities, from another site",
    expected: violated("script-libraries", "third-party-scripts"),
    codes: ["high", "low", "unfixed"].map((kind) => `security.content.vulnerable-library-${kind}`),
    serve: () => {
      const files = ["lodash-4.17.10.min.js", "quill-2.0.3.js", "jquery.mobile-1.4.5.min.js"];
      const script: Answer = { headers: { "content-type": "text/javascript" }, body: "" };
      return serve({
        head: files.map((file) => `<script src="https://${libraryHost}/${file}"></script>`).join("\n"),
        routes: Object.fromEntries(files.map((file) => [`/${file}`, script])),
      });
    },
  },
];

const login = `<input type="password" name="secret">`;

const documentCases: readonly LabCase[] = [
  {
    name: "a form that sends a password by POST",
    expected: passed("form-security", "mixed-content", "third-party-scripts"),
    codes: [],
    serve: () => serve({ body: `<form method="post">${login}</form>` }),
  },
  {
    name: "forms that send passwords in the address",
    expected: violated("form-security"),
    codes: ["security.content.password-form-get", "security.content.password-form-without-method"],
    serve: () => serve({ body: `<form action="/in">${login}</form><form>${login}</form>` }),
  },
  {
    name: "a page over http that asks for a password",
    expected: violated("form-security"),
    codes: ["security.content.password-without-https"],
    serve: () => serve({ scheme: "http", plain: { "/": { body: `<form method="post">${login}</form>` } } }),
  },
  {
    name: "a button that sends its form over http",
    expected: violated("mixed-content"),
    codes: ["security.content.insecure-form-action"],
    serve: () => serve({ body: `<form method="post"><button formaction="http://${host}/in">Send</button></form>` }),
  },
  {
    name: "a generator with its version",
    expected: violated("information-disclosure"),
    codes: ["security.disclosure.meta-generator"],
    serve: () => serve({ head: `<meta name="generator" content="WordPress 6.4.2">` }),
  },
];

const contact = `Contact: mailto:security@${host}`;
const expires = `Expires: ${new Date(Date.now() + 90 * 86_400_000).toISOString()}`;
const fileOf = (...lines: readonly string[]) => `${lines.join("\r\n")}\r\n`;

const fileCases: readonly LabCase[] = (
  [
    ["with another type", ["content-type"], fileOf(contact, expires), "application/octet-stream"],
    ["in an old character set", ["charset"], fileOf(contact, expires), "text/plain; charset=iso-8859-1"],
    ["that never expires, with faulty addresses and languages", ["expires-missing", "uri-invalid", "languages-invalid"], faultyFile()],
    ["with repeated fields", ["expires-repeated", "languages-repeated"], repeatingFile()],
    ["with an invalid Expires and no final line end", ["expires-malformed", "line-unended"], `${contact}\r\nExpires: next year`],
    ["that is not UTF-8", ["encoding"], Buffer.concat([Buffer.from(fileOf(contact, expires)), Buffer.from([0x23, 0xe9, 0x0d, 0x0a])])],
    [
      "with an incomplete signature",
      ["signature-malformed"],
      fileOf("-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA256", "", contact, expires),
    ],
  ] as const satisfies readonly (readonly [string, readonly string[], string | Uint8Array, string?])[]
).map(([description, codes, body, type = "text/plain; charset=utf-8"]) => ({
  name: `a security.txt ${description}`,
  expected: type.startsWith("text/plain; charset=utf-8") ? violated("security-txt-valid") : violated("security-txt"),
  codes: codes.map((code) => `security.security-txt.${code}`),
  serve: () => serve({ routes: { "/.well-known/security.txt": { headers: { "content-type": type }, body } } }),
}));

function faultyFile(): string {
  return fileOf(contact, "Policy: see our site", "Preferred-Languages: english please");
}

function repeatingFile(): string {
  return fileOf(contact, expires, expires, "Preferred-Languages: en", "Preferred-Languages: de");
}

export const webCases: readonly LabCase[] = [
  ...cookieCases,
  ...headerCases,
  disabledHstsCase,
  ...preloadCases,
  ...redirectCases,
  ...contentCases,
  ...libraryCases,
  ...documentCases,
  ...fileCases,
];
