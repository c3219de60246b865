/** Random evidence for property tests: a flawless site, any mixture of faults, gaps and cuts, and the cases of every check table. */
import fc from "fast-check";
import type { TextRecords } from "../../../src/evidence/dns-facts.ts";
import {
  type Evidence,
  evidenceWithoutErrorPage,
  failed,
  type ProbeFailure,
  type ReadingName,
  read,
} from "../../../src/evidence/evidence.ts";
import { type Facts, readingNames } from "../../../src/evidence/facts.ts";
import type { HeaderField, HttpAnswer } from "../../../src/evidence/http-facts.ts";
import { cookieLine } from "../../support/cookies.ts";
import { answer, type EvidenceGiven, evidence, headerFields, textRecords } from "../../support/evidence.ts";
import { anyHostFacts } from "./any-host-facts.ts";
import { anyScripts } from "./any-scripts.ts";
import { anyTlsFacts } from "./any-tls-facts.ts";
import { mailHost, securityTxt, sound, tableCases } from "./sound-site.ts";

/** Valid and invalid values by header. */
const values: Readonly<Record<string, readonly string[]>> = {
  "content-type": ["text/html", "text/html; charset=nonsense", ""],
  "strict-transport-security": ["max-age=0", "max-age=abc", "max-age=300; preload", "max-age=63072000", ""],
  "content-security-policy": [
    "script-src 'unsafe-inline' 'unsafe-eval' https: data:",
    "default-src *; object-src 'none'; form-action *",
    "frame-ancestors *; upgrade-insecure-requests",
    "default-src 'self', script-src 'nonce-aa' http://cdn.example; unknown-src x",
    "script-src ajax.googleapis.com 'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='; style-src 'unsafe-inline'",
    "script-src 'nonce-c2Vjb25kMTIzNDU2'; img-src http://cdn.example",
    ";;,",
  ],
  "content-security-policy-report-only": ["default-src 'self'", "default-src 'self'; report-uri /r"],
  "x-content-type-options": ["nosniff, nosniff", "no-sniff", ""],
  "x-frame-options": ["SAMEORIGIN", "ALLOW-FROM https://a.example/", "DENY, SAMEORIGIN", ""],
  "referrer-policy": ["unsafe-url", "no-referrer, nonsense", "nonsense"],
  "permissions-policy": ["camera=*", "camera 'none'", "usb=(self)", "interest-cohort=()"],
  "cross-origin-opener-policy": ["unsafe-none", "same-origin-allow-popups;report-to=x", "Same-Origin"],
  "cross-origin-embedder-policy": ["require-corp", "nonsense"],
  "cross-origin-resource-policy": ["same-site", "nonsense"],
  "access-control-allow-origin": ["*", "null", "https://cross-origin-probe.invalid"],
  "access-control-allow-credentials": ["true"],
  "x-xss-protection": ["0", "1; mode=block"],
  server: ["nginx", "Apache/2.4.1 (Unix) OpenSSL/1.1", "(("],
  via: ["1.1 varnish (Varnish/6.0)"],
  "x-powered-by": ["PHP/5.2"],
  "expect-ct": ["max-age=0"],
  "feature-policy": ["camera 'none'"],
  "x-jenkins": ["2.401.1", ""],
};

const anyField: fc.Arbitrary<HeaderField> = fc
  .constantFrom(...Object.keys(values))
  .chain((name) => fc.record({ name: fc.constant(name), value: fc.constantFrom(...(values[name] ?? [""])), truncated: seldom }));
const seldom = fc.nat({ max: 19 }).map((roll) => roll === 0);
const few = seldom.map((is) => (is ? 1 : 0));
const anyHeaders: fc.Arbitrary<readonly HeaderField[]> = fc.oneof(
  fc.array(anyField, { maxLength: 12 }),
  fc.array(anyField, { maxLength: 3 }).map((more) => [...headerFields(sound.headers ?? {}), ...more]),
);
const urls = ["https://site.example/", "https://www.site.example/a", "http://site.example/", "http://www.site.example/"];
const anyUrl = fc.constantFrom(...urls);
const anyAnswer: fc.Arbitrary<HttpAnswer> = fc
  .record({ url: anyUrl, status: fc.constantFrom(200, 301, 302, 308, 404, 503), target: anyUrl, headers: anyHeaders, headersDropped: few })
  .map(({ target, headers, ...given }) => ({
    ...answer({ url: given.url }),
    ...given,
    headers: [...headers, ...headerFields({ location: target })],
  }));

const anyCookie = fc
  .record({
    name: fc.constantFrom("sid", "__Host-sid", "__Secure-a", "__Http-b", "csrf", "theme", "box", ""),
    attributes: fc.subarray(["Secure", "HttpOnly", "SameSite=None", "SameSite=x", "Path=/", "Domain=site.example", "Max-Age=0"]),
    truncated: seldom,
    overHttps: seldom.map((is) => !is),
    valueRandomBits: fc.constantFrom(0, 128),
  })
  .map(({ name, attributes, ...given }) => cookieLine([`${name}=<redacted>`, ...attributes].join("; "), given));
const anyMeta = fc.record({
  httpEquiv: fc.constantFrom("content-security-policy", "content-type", null),
  name: fc.constantFrom("referrer", "charset", null),
  content: fc.constantFrom(...(values["content-security-policy"] ?? []), "utf-8", "no-referrer", "unsafe-url", "text/html; charset=utf-8"),
  truncated: seldom,
});
const anySubresource = fc.record({
  url: fc.constantFrom("https://cdn.example/a.js", "https://site.example/b.css", "data:,x"),
  kind: fc.constantFrom("script", "style", "preload", "other"),
  integrity: fc.constantFrom(null, "", "sha1-x", "sha384-short", `sha384-${"b".repeat(64)}`),
  crossOrigin: fc.constantFrom(null, "", "anonymous"),
  sameSite: fc.boolean(),
  sameOrigin: fc.boolean(),
});
/** Field of that name with any of these values. */
const anyRecords = (name: string, ...texts: readonly string[]): fc.Arbitrary<TextRecords> =>
  fc
    .record({ texts: fc.subarray([...texts, "unrelated"]), truncated: seldom, recordsDropped: few, nameExists: fc.boolean() })
    .map(({ texts: chosen, truncated, ...given }) => ({ ...given, name, records: chosen.map((text) => ({ text, truncated })) }));
const spfTexts = [
  "v=spf1 -all",
  "v=spf1 a mx ptr include:a.example ~all",
  "v=spf1 ?all",
  "v=spf1 redirect=a.example",
  "v=spf1 a:b.example/24 nonsense",
  `v=spf1${" a:b.example".repeat(11)} -all`,
];
const dmarcTexts = ["v=DMARC1; p=none", "v=DMARC1; p=reject; sp=none; rua=mailto:a@b.example", "v=DMARC1; p=x; t=y", "v=dmarc1"];

/** Alternative facts for each reading. */
const anyFacts: { readonly [N in ReadingName]: fc.Arbitrary<Partial<Facts[N]>> } = {
  navigation: fc.record(
    {
      hops: fc.array(
        fc.tuple(anyAnswer, fc.boolean()).map(([hop, internal]) => ({ ...hop, internal })),
        { maxLength: 4 },
      ),
      finalUrl: anyUrl,
      security: fc.constantFrom(
        null,
        { protocol: "TLS 1.3", cipher: "AES_128_GCM", keyExchange: "", certificateTransparency: "compliant" },
        {
          protocol: "TLS 1.2",
          cipher: "AES_128_CBC",
          keyExchange: "RSA",
          certificateTransparency: "not-compliant",
        },
      ),
    },
    { requiredKeys: [] },
  ),
  page: fc.record(
    {
      headers: anyHeaders,
      headersDropped: few,
      mediaType: fc.constantFrom("text/html", "image/png", "application/xhtml+xml", null),
      setCookies: fc.array(anyCookie, { maxLength: 4 }),
      setCookiesDropped: few,
    },
    { requiredKeys: ["headers"] },
  ),
  dom: fc.record({
    metas: fc.array(anyMeta, { maxLength: 3 }),
    metasDropped: few,
    subresources: fc.array(anySubresource, { maxLength: 4 }),
    subresourcesDropped: few,
    forms: fc.array(fc.record({ action: anyUrl, method: fc.constant("post") }), { maxLength: 2 }),
    formsDropped: few,
  }),
  markup: fc.record({
    formActions: fc.array(fc.record({ action: anyUrl, method: fc.constantFrom("post", "get", "dialog") }), { maxLength: 2 }),
    formActionsDropped: few,
    passwordFields: fc.nat({ max: 2 }),
    passwordForms: fc.array(
      fc.record({
        action: fc.option(anyUrl),
        method: fc.constantFrom("post", "get", null),
        submitters: fc.array(fc.record({ action: fc.option(anyUrl), method: fc.constantFrom("post", "get", null) }), { maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
    passwordFormsDropped: few,
    generators: fc.subarray(["WordPress 6.4.2", "Hugo", "TYPO3 CMS"]),
    generatorsDropped: few,
    outline: fc.constantFrom(
      { title: "Index of /", heading: "", bodyElements: [], links: [], lastLink: null },
      {
        title: "Index of /",
        heading: "Index of /",
        bodyElements: ["h1", "hr", "pre", "hr"],
        links: [{ href: "../", text: "../" }],
        lastLink: null,
      },
    ),
  }),
  requests: fc.record({
    insecure: fc.array(
      fc.record({
        url: fc.constant("http://cdn.example/a.js"),
        kind: fc.constantFrom("script", "image"),
        outcome: fc.constantFrom("loaded", "blocked", "upgraded"),
      }),
      { maxLength: 2 },
    ),
    insecureDropped: few,
    integrityBlocked: fc.subarray(["https://cdn.example/a.js"]),
  }),
  ...anyScripts,
  hstsPreload: fc.record(
    {
      hostPreloaded: fc.boolean(),
      registrableDomainPreloaded: fc.boolean(),
      subdomainsPreloaded: fc.boolean(),
      decidedBy: fc.constantFrom("browser", "list"),
      listDate: fc.constantFrom("2020-01-01", "2026-06-01"),
      sourcesDiffer: fc.boolean(),
    },
    { requiredKeys: ["hostPreloaded", "registrableDomainPreloaded"] },
  ),
  plainHttp: fc.record({
    outcome: fc.constantFrom("custom-port", "refused", "answered"),
    answers: fc.array(anyAnswer, { maxLength: 3 }),
    stoppedBecause: fc.constantFrom(null, "too-many-hops", "connection-failed", "bad-location"),
  }),
  ...anyTlsFacts,
  crossOrigin: fc.record({ headers: anyHeaders, status: fc.constantFrom(200, 302) }),
  dnsCaa: fc.record({
    foundAt: fc.constantFrom("site.example", null),
    records: fc.array(
      fc.record({
        critical: fc.boolean(),
        tag: fc.constantFrom("issue", "issuewild", "iodef", "x"),
        value: fc.constantFrom("ca.example", ";", "?!", ""),
        truncated: seldom,
      }),
      { maxLength: 3 },
    ),
    recordsDropped: few,
  }),
  securityTxt: fc.record({
    attempts: fc.array(
      fc.record({
        url: fc.constantFrom(securityTxt.url, "https://site.example/security.txt"),
        finalUrl: fc.constantFrom(securityTxt.url, "http://site.example/security.txt"),
        status: fc.constantFrom(200, 301, 404, 403),
        contentType: fc.constantFrom("text/plain", "text/html", null),
        body: fc.constantFrom(securityTxt.body, "Contact: http://a.example\nExpires: 2020-01-01T00:00:00Z\n", "<html>", ""),
        truncated: seldom,
        hops: fc.array(
          fc.record({
            url: fc.constantFrom(securityTxt.url, "https://files.example/security.txt", "http://site.example/security.txt"),
            certificate: fc.constantFrom(null, "accepted", "refused", "unread"),
          }),
          { maxLength: 3 },
        ),
      }),
      { maxLength: 2 },
    ),
  }),
  ...anyHostFacts,
  dnssec: fc.record({
    status: fc.constantFrom("secure", "insecure", "bogus"),
    unchecked: fc.constantFrom(null, {
      dsKeyTags: [1],
      zoneKeyTags: [2],
      signatures: [{ covers: "SOA", validTo: "2026-01-01T00:00:00.000Z" }],
    }),
  }),
  mailMx: fc.record({
    nameExists: fc.boolean(),
    exchangers: fc.constantFrom([], [mailHost], [{ preference: 0, host: "" }], [mailHost, { preference: 20, host: "mx.other.example" }]),
    exchangersDropped: few,
  }),
  mailSpf: fc.record({
    own: anyRecords("site.example", ...spfTexts),
    followed: fc.subarray([
      {
        name: "a.example",
        type: "TXT",
        answer: read({ nameExists: true, records: [{ text: "v=spf1 a -all", truncated: false }] }),
      } as const,
      { name: "site.example", type: "A", answer: read({ nameExists: true, records: [{ text: "1", truncated: false }] }) } as const,
      { name: "site.example", type: "MX", answer: failed("timeout") } as const,
      { name: "b.example", type: "A", answer: read({ nameExists: false, records: [] }) } as const,
    ]),
    followedDropped: few,
  }),
  mailDmarc: fc.record({
    walk: fc
      .tuple(
        anyRecords("_dmarc.www.site.example", ...dmarcTexts),
        anyRecords("_dmarc.site.example", ...dmarcTexts),
        anyRecords("_dmarc.example"),
      )
      .map((walk) => [...walk]),
    reportReceivers: fc.subarray([
      { domain: "b.example", answer: failed("timeout") } as const,
      { domain: "b.example", answer: read(textRecords("site.example._report._dmarc.b.example")) } as const,
    ]),
    reportReceiversDropped: few,
  }),
  mailMtaSts: anyRecords("_mta-sts.site.example", "v=STSv1; id=1", "v=STSv1;", "v=stsv1"),
  mailMtaStsPolicy: fc.record({
    unavailableBecause: fc.constantFrom(null, "no-host", "refused", "certificate-not-accepted"),
    status: fc.constantFrom(0, 200, 302, 404, 503),
    contentType: fc.constantFrom("text/plain", "text/html", null),
    body: fc.constantFrom("", "version: STSv1\nmode: testing\nmx: *.site.example\nmax_age: 1\n", "mode: none"),
    truncated: seldom,
  }),
  mailTlsRpt: anyRecords("_smtp._tls.site.example", "v=TLSRPTv1; rua=mailto:a@b.example", "v=TLSRPTv1;", "v=tlsrptv1"),
};

const anyFailure = fc.constantFrom<ProbeFailure>(
  "timeout",
  "refused",
  "tls",
  "server-error",
  "challenged",
  "client-error",
  "download",
  "crashed",
);

const someMissing = fc.dictionary(fc.constantFrom(...readingNames), anyFailure, { maxKeys: 2 });

/** Evidence of a flawless site in which some readings are replaced and a few have failed. */
const mixedEvidence: fc.Arbitrary<Evidence> = fc
  .record({
    url: anyUrl,
    isLocal: seldom,
    changed: fc.record(anyFacts as Record<ReadingName, fc.Arbitrary<unknown>>, { requiredKeys: [] }),
    missing: someMissing,
  })
  .map(({ url, isLocal, changed, missing }) => {
    const { headers, ...soundReadings } = sound;
    const page = { ...(soundReadings.page as object), headers: headerFields(headers ?? {}), ...(changed.page as object | undefined) };
    const given = { ...soundReadings, ...changed, page, ...missing } as EvidenceGiven;
    return evidence({ ...given, url, registrableDomain: isLocal ? null : "site.example" });
  });

const tableEvidence: fc.Arbitrary<Evidence> = fc
  .record({ given: fc.constantFrom(...tableCases), missing: someMissing })
  .map(({ given, missing }) => evidence({ ...given, ...missing }));

/** Evidence in which the answer is an error page, or has no page. */
const errorPageEvidence: fc.Arbitrary<Evidence> = fc
  .tuple(mixedEvidence, fc.constantFrom(404, 204, 301))
  .map(([{ page, ...others }, status]) =>
    evidenceWithoutErrorPage({ ...others, page: page.status === "read" ? read({ ...page.facts, status }) : page }),
  );

export const anyEvidence: fc.Arbitrary<Evidence> = fc.oneof(
  { weight: 3, arbitrary: mixedEvidence },
  { weight: 1, arbitrary: errorPageEvidence },
  { weight: 1, arbitrary: tableEvidence },
);
