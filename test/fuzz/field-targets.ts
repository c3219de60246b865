/** Fuzz targets for response headers and HTML attributes. */
import * as csp from "../../src/parse/csp.ts";
import * as headerSyntax from "../../src/parse/header-syntax.ts";
import * as headerValues from "../../src/parse/header-values.ts";
import * as integrity from "../../src/parse/integrity.ts";
import * as products from "../../src/parse/products.ts";
import { declaredEndpoints } from "../../src/parse/reporting.ts";
import * as setCookie from "../../src/parse/set-cookie.ts";
import type { FuzzTarget } from "./target.ts";

const page = new URL("https://site.example/app/page?x=1");
const resource = new URL("https://cdn.site.example:8443/lib/a%20b.js");
/** A header sent as several field lines. */
const lines = (text: string): readonly string[] => text.split("\n");
const sourceList = (text: string): readonly string[] => text.split(" ");
const same = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b);

const sourceTokens = [
  ..."'*:/.?#-_%=+ ",
  "'self'",
  "'none'",
  "'unsafe-inline'",
  "'strict-dynamic'",
  "'nonce-",
  "'sha256-",
  "AAAA",
  "https:",
  "data:",
  "https://",
  "*.",
  "example",
  ".com",
  ".co.uk",
  ":443",
  ":*",
  "/lib/",
  "%20",
  "UNSAFE-EVAL",
];
const sources = ["'self' https://*.site.example:443/lib/ 'nonce-abcdefgh==' 'sha256-AAAA=' data:", "* 'unsafe-inline' wss://*:* *.com"];

/** Serializes a token or an escaped string (RFC 9651 section 4.1). */
const serializeValue = (value: headerSyntax.StructuredValue): string => {
  if (value.kind === "token") return value.token;
  return value.kind === "string" ? `"${value.text.replaceAll(/["\\]/g, "\\$&")}"` : "?1";
};

export const fieldTargets: readonly FuzzTarget[] = [
  {
    name: "charset",
    tokens: [..."/;=\"'\\ \t\n", "text/html", "charset", "CharSet=", "charset = ", "utf-8", "latin1", "; ", "x=y"],
    samples: ['text/html; charset="utf-8"; x=y', "text/html;charset=ISO-8859-1", "text/html; charset = 'utf-8'"],
    functions: {
      charsetOfMediaType: headerValues.charsetOfMediaType,
      charsetOfMetaContent: headerValues.charsetOfMetaContent,
      isEncodingLabel: headerValues.isEncodingLabel,
    },
    properties: {
      "a charset without quotes and backslashes parses to itself when quoted": (text) => {
        const found = headerValues.charsetOfMediaType(text);
        return found === null || /["\\]/.test(found) || headerValues.charsetOfMediaType(`a/b; charset="${found}"`) === found;
      },
      "an encoding from a meta element is never blank": (text) => headerValues.charsetOfMetaContent(text) !== "",
    },
  },
  {
    name: "csp",
    tokens: [
      ...sourceTokens,
      "; ",
      ";",
      ",",
      "\n",
      "default-src ",
      "script-src ",
      "sandbox",
      "allow-scripts",
      "FRAME-ANCESTORS ",
      "\u00fc",
    ],
    samples: [
      "default-src 'none'; script-src 'self' 'nonce-abcdefgh'; frame-ancestors *; sandbox allow-scripts, img-src *",
      "script-src-elem https:; default-src https: ; default-src 'none'",
    ],
    functions: {
      strictestCompletion: csp.strictestCompletion,
      parseCsp: (text) => csp.parseCsp(lines(text)),
      serializedPolicies: (text) => csp.serializedPolicies(lines(text)),
      parseCspDirectives: csp.parseCspDirectives,
      restrictsAnything: (text) => csp.parseCsp(lines(text)).map(csp.restrictsAnything),
      governing: (text) => csp.parseCsp(lines(text)).map((policy) => csp.governing(policy, "script-src-elem")),
      sandboxes: (text) => csp.parseCsp(lines(text)).map((policy) => csp.sandboxes(policy, "allow-scripts")),
      governsScripts: (text) => csp.parseCsp(lines(text)).map(csp.governsScripts),
      governsFetches: (text) => csp.parseCsp(lines(text)).map(csp.governsFetches),
      beforeCutDirective: csp.beforeCutDirective,
    },
    properties: {
      "the directives before a cut are those of the whole text": (text) => {
        const whole = csp.parseCsp([text]);
        return csp
          .parseCsp([csp.beforeCutDirective(text)])
          .every((policy, at) => [...policy].every(([name, values]) => same(whole[at]?.get(name), values)));
      },
      "serialized policies parse to the same policies": (text) => {
        const policies = csp.parseCsp(lines(text));
        const serialized = policies.map((policy) => [...policy].map(([name, values]) => [name, ...values].join(" ")).join(";"));
        return same(csp.parseCsp([serialized.join(",")]), policies);
      },
    },
  },
  {
    name: "csp-source",
    tokens: sourceTokens,
    samples: sources,
    functions: {
      parseCspSource: csp.parseCspSource,
      hasKeyword: (text) => csp.hasKeyword(sourceList(text), "unsafe-inline"),
      allowsAllInline: (text) => [csp.allowsAllInline(sourceList(text), "script"), csp.allowsAllInline(sourceList(text), "style")],
      trustsNonces: (text) => csp.trustsNonces(sourceList(text)),
      trustsHashes: (text) => csp.trustsHashes(sourceList(text)),
      allowsNoUrl: (text) => csp.allowsNoUrl(sourceList(text)),
      scriptUrlSources: (text) => csp.scriptUrlSources(sourceList(text)),
      matchesAnyHost: csp.matchesAnyHost,
      matchesOpenHost: (text) => csp.matchesOpenHost(text, "scripts"),
      isSchemeSource: (text) => csp.isSchemeSource(text, "data"),
      schemeNamed: csp.schemeNamed,
      matchesUrl: (text) => sourceList(text).map((source) => csp.matchesUrl(csp.parseCspSource(source), resource, page)),
    },
    properties: {
      "a source list without URLs matches no URL": (text) =>
        !csp.allowsNoUrl(sourceList(text)) ||
        !sourceList(text).some((source) => csp.matchesUrl(csp.parseCspSource(source), resource, page)),
      "a host of anyone is one that publishes scripts and pages": (text) =>
        !csp.matchesAnyHost(text) || (csp.matchesOpenHost(text, "scripts") && csp.matchesOpenHost(text, "pages")),
    },
  },
  {
    name: "frame-options",
    tokens: [...'\n," \t;', "DENY", "sameorigin", "ALLOWALL", "ALLOW-FROM https://a.example/"],
    samples: ["DENY", "SAMEORIGIN, DENY", "ALLOW-FROM https://a.example/"],
    functions: { parseFrameOptions: (text) => headerValues.parseFrameOptions(lines(text)) },
    properties: {
      "a repeated value changes nothing": (text) =>
        /["\n\\]/.test(text) || headerValues.parseFrameOptions([text]) === headerValues.parseFrameOptions([text, text]),
    },
  },
  {
    name: "header-list",
    tokens: [...'\n,"\\ \t;=', "a", "nosniff", "text/html", '"a, b"', 'a="b;c"', '\\"'],
    samples: ['a, "b, \\" c" ,, d', "nosniff", 'a; b="c; \\" d"; e', 'a, "b, c'],
    functions: {
      splitHeaderList: (text) => headerSyntax.splitHeaderList(lines(text)),
      trimBlanks: headerSyntax.trimBlanks,
      splitOutsideQuotes: (text) => [headerSyntax.splitOutsideQuotes(text, ";"), headerSyntax.splitOutsideQuotes(text, ",")],
    },
    properties: {
      "splitting drops only commas and blanks": (text) => {
        const bare = (part: string) => part.replaceAll(/[, \t]/g, "");
        return bare(headerSyntax.splitHeaderList(lines(text)).join("")) === bare(lines(text).join(""));
      },
      "trimming twice changes nothing": (text) => headerSyntax.trimBlanks(headerSyntax.trimBlanks(text)) === headerSyntax.trimBlanks(text),
      "the parts joined are the value": (text) => headerSyntax.splitOutsideQuotes(text, ";").join(";") === text,
    },
  },
  {
    name: "hsts",
    tokens: [..."=;\"\\ \t09,'-", "max-age", "max-age=", "31536000", "includeSubDomains", "preload", "; ", '\\"', "\u00e4"],
    samples: ["max-age=31536000; includeSubDomains; preload", 'Max-Age="5" ; x="a;\\"b"', "max-age=0"],
    functions: { parseHsts: headerValues.parseHsts },
    properties: {
      "a serialized policy parses to the same policy": (text) => {
        const policy = headerValues.parseHsts(text);
        if ("defect" in policy) return true;
        const { maxAgeSeconds, includeSubDomains, preload } = policy;
        const serialized = `max-age=${maxAgeSeconds}${includeSubDomains ? "; includeSubDomains" : ""}${preload ? "; preload" : ""}`;
        return Number.isSafeInteger(maxAgeSeconds) && same(headerValues.parseHsts(serialized), policy);
      },
      "empty directives change nothing": (text) => same(headerValues.parseHsts(`;${text}`), headerValues.parseHsts(text)),
    },
  },
  {
    name: "integrity",
    tokens: [..."-?=+/_ \n", "sha256-", "sha384-", "sha512-", "md5-", "SHA256-", "A".repeat(43), "b".repeat(64), "9".repeat(86), "=="],
    samples: [`sha384-${"b".repeat(64)} sha256-${"A".repeat(43)}=?ct=x`, `sha512-${"9".repeat(86)}==`],
    functions: {
      parseIntegrity: integrity.parseIntegrity,
      hasUsableHash: integrity.hasUsableHash,
      hasSignatureKey: (text) => integrity.hasSignatureKey(integrity.parseIntegrity(text)),
      withoutFragment: integrity.withoutFragment,
      strongestHashes: (text) => integrity.strongestHashes(integrity.parseIntegrity(text)),
    },
    properties: {
      "each word is a hash or skipped": (text) => {
        const { hashes, skipped } = integrity.parseIntegrity(text);
        return hashes.length + skipped.length === text.split(/[\t\n\f\r ]+/).filter((word) => word !== "").length;
      },
      "one more weak hash changes nothing": (text) => {
        const strongest = integrity.strongestHashes(integrity.parseIntegrity(text));
        const isWeakest = strongest.length === 0 || strongest.some(({ algorithm }) => algorithm === "sha256");
        return isWeakest || same(integrity.strongestHashes(integrity.parseIntegrity(`${text} sha256-x`)), strongest);
      },
    },
  },
  {
    name: "products",
    tokens: [..."()\\,/ .;", "nginx", "/1.18.0", "(Ubuntu)", "mod_ssl", "1.1 "],
    samples: ["Apache/2.4.1 (Unix (x)) OpenSSL/1.1", "1.1 varnish (Varnish/6.0), 1.1 google"],
    functions: { parseProducts: products.parseProducts },
    properties: {
      "a word contains neither blank nor comma": (text) =>
        !products.parseProducts(text).words.some((word) => word === "" || /[\s,]/.test(word)),
      "without a parenthesis there is no comment": (text) => text.includes("(") || products.parseProducts(text).comments.length === 0,
    },
  },
  {
    name: "product-version",
    tokens: [..."/.,; ()+~-", "WildFly", "/26.1", "squid/3.5.20", "10.0.0.1", "Mozilla/5.0", "v1.2"],
    heads: ["squid/3.", "squid/3", "(a/1.1", "squid/10."],
    samples: ["MISS from proxy:3128 (squid/3.5.20)", "WildFly/26.1"],
    functions: {
      namesVersion: products.namesVersion,
      productVersionFields: (text) =>
        ["x-a", "x-a-version", "x-jenkins"].map((name) => products.productVersionFields([{ name, value: text, truncated: false }])),
    },
  },
  {
    name: "referrer-policy",
    tokens: [...'\n," ;-', "no-referrer", "strict-origin", "UNSAFE-URL", "never", "default"],
    samples: ["no-referrer, strict-origin-when-cross-origin", "always"],
    functions: {
      parseReferrerPolicyHeader: (text) => headerValues.parseReferrerPolicyHeader(lines(text)),
      parseReferrerPolicyMeta: headerValues.parseReferrerPolicyMeta,
    },
    properties: {
      "a parsed policy parses to itself": (text) => {
        const policy = headerValues.parseReferrerPolicyHeader(lines(text));
        return policy === null || headerValues.parseReferrerPolicyMeta(policy) === policy;
      },
    },
  },
  {
    name: "set-cookie",
    tokens: [
      ..."=; \t.:-/,09",
      "sid",
      "Secure",
      "HttpOnly",
      "SameSite=",
      "none",
      "Expires=",
      "Max-Age=",
      "Domain=",
      "Path=/",
      "Partitioned",
      "__Host-",
      "__HTTP-",
      "1 Jan ",
      "70 ",
      "00:00:00",
      "GMT",
      "\u00fc",
      "; ",
    ],
    samples: [
      "__Host-sid=1; Secure; HttpOnly; SameSite=Lax; Path=/; Partitioned",
      "a=b; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=-1; Domain=.site.example",
      "Sunday, 06-Nov-94 08:49:37 GMT",
    ],
    functions: {
      cookiePrefixes: setCookie.cookiePrefixes,
      parseCookieDate: setCookie.parseCookieDate,
      parseSetCookie: setCookie.parseSetCookie,
    },
    properties: {
      "a name contains neither equals sign nor semicolon": (text) => !/[=;]/.test(setCookie.parseSetCookie(text)?.name ?? ""),
      "an empty attribute changes nothing": (text) => same(setCookie.parseSetCookie(`${text};`), setCookie.parseSetCookie(text)),
      "a formatted instant parses to the same instant": (text) => {
        const at = setCookie.parseCookieDate(text);
        return at === null || setCookie.parseCookieDate(new Date(at).toUTCString()) === at;
      },
    },
  },
  {
    name: "structured-field",
    tokens: [
      ..."=(),;*?:@%\"\\'-._ \t01aZ\n",
      "camera",
      "self",
      "=(",
      ") ",
      ", ",
      ";x=1",
      ":aGk=:",
      '%"',
      "%c3%bc",
      "@1659578233",
      "?1",
      "1.5",
      '"a\\"b"',
    ],
    samples: [
      'camera=(), usb=(self "https://a.example" 7);x=?1, *=@1659578233;y',
      'same-origin; report-to="coop"',
      'a=%"%c3%bc", b=:aGk=:, c=-1.5',
    ],
    functions: {
      parseStructuredDictionary: (text) => headerSyntax.parseStructuredDictionary(lines(text)),
      isolatesDocument: (text) => headerValues.isolatesDocument(lines(text)),
      parseStructuredItem: (text) => headerSyntax.parseStructuredItem(lines(text)),
      parseStructuredToken: (text) => headerSyntax.parseStructuredToken(lines(text)),
    },
    properties: {
      "a parsed token parses to itself": (text) => {
        const token = headerSyntax.parseStructuredToken(lines(text));
        return token === null || headerSyntax.parseStructuredToken([token]) === token;
      },
      "a serialized dictionary parses to the same dictionary": (text) => {
        const dictionary = headerSyntax.parseStructuredDictionary(lines(text));
        if (dictionary === null) return true;
        const serialized = [...dictionary].map(([key, values]) => `${key}=(${values.map(serializeValue).join(" ")})`).join(",");
        return same(headerSyntax.parseStructuredDictionary([serialized]), dictionary);
      },
    },
  },
  {
    name: "reporting-endpoints",
    tokens: [...'=(),;{}[]"\\:/ \t\n', "r", "group", "max_age", "endpoints", "url", "https://a.example/", "/r", "0", "1", "null"],
    samples: ['r="https://a.example/r", q="/q"', '{"group":"r","max_age":1,"endpoints":[{"url":"https://a.example/r"}]}, {"max_age":0}'],
    functions: {
      declaredEndpoints: (text) => declaredEndpoints(lines(text), lines(text), "https://site.example/"),
    },
    properties: {
      "every declared URL is absolute": (text) =>
        [...declaredEndpoints(lines(text), lines(text), "https://site.example/").values()].flat().every((url) => URL.canParse(url)),
    },
  },
];
