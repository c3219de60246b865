/**
 * Policies as browsers read them, by section of CSP3, and hostile input. Source expressions as browsers read them (CSP3 section 6.7.2),
 * and hostile input.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allowsAllInline,
  allowsNoUrl,
  governing,
  hasKeyword,
  isSchemeSource,
  matchesAnyHost,
  matchesUrl,
  parseCsp,
  parseCspDirectives,
  parseCspSource,
  restrictsAnything,
  sandboxes,
  schemeNamed,
  scriptUrlSources,
  trustsHashes,
  trustsNonces,
} from "../../../src/parse/csp.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

const plain = (values: readonly string[]) => parseCsp(values).map((policy) => Object.fromEntries(policy));
const only = (text: string) => {
  const [policy] = parseCsp([text]);
  if (policy === undefined) throw new Error(`no policy in ${text}`);
  return policy;
};

describe("header fields", () => {
  test.each<[string, readonly string[], readonly Record<string, readonly string[]>[]]>([
    ["a policy", ["default-src 'self'; img-src * data:"], [{ "default-src": ["'self'"], "img-src": ["*", "data:"] }]],
    ["names are lower-cased, sources are not", ["Script-SRC https://A.example/B"], [{ "script-src": ["https://A.example/B"] }]],
    ["the first of a repeated directive counts", ["script-src 'self'; SCRIPT-SRC *"], [{ "script-src": ["'self'"] }]],
    ["a comma separates policies", ["img-src a, img-src b"], [{ "img-src": ["a"] }, { "img-src": ["b"] }]],
    ["each field is a separate policy", ["img-src a", "img-src b"], [{ "img-src": ["a"] }, { "img-src": ["b"] }]],
    ["a directive without sources", ["upgrade-insecure-requests"], [{ "upgrade-insecure-requests": [] }]],
    ["empty parts are skipped", [" ;; img-src a ;\t; ,, ,"], [{ "img-src": ["a"] }]],
    ["tab, line feed and form feed are space", ["img-src\ta\fb\n c"], [{ "img-src": ["a", "b", "c"] }]],
    ["a directive that is not ASCII is skipped", ["script-src \u00e9; img-src a"], [{ "img-src": ["a"] }]],
    ["a no-break space is not ASCII", ["script-src\u00a0*; img-src a"], [{ "img-src": ["a"] }]],
    ["nothing", ["", " ", ";"], []],
  ])("%s", (_words, values, expected) => {
    expect(plain(values)).toEqual([...expected]);
  });

  test("names of built-in object properties are ordinary names", () => {
    expect([...only("__proto__ x; constructor y").keys()]).toEqual(["__proto__", "constructor"]);
  });
});

test.each([
  ["default-src 'self'", true],
  ["frame-ancestors 'none'", true],
  ["upgrade-insecure-requests", true],
  ["sandbox", true],
  ["report-uri /r; report-to g", false],
  ["block-all-mixed-content", false],
  ["default-source 'self'", false],
])("%s restricts anything: %s", (text, expected) => {
  expect(restrictsAnything(only(text))).toBe(expected);
});

test.each<[string, string, string | null]>([
  ["default-src a; script-src b; script-src-elem c", "script-src-elem", "script-src-elem"],
  ["default-src a; script-src b; script-src-elem c", "script-src-attr", "script-src"],
  ["script-src-attr b; default-src a", "script-src-elem", "default-src"],
  ["img-src a", "script-src-elem", null],
  ["default-src a; style-src b; style-src-elem c", "style-src-attr", "style-src"],
  ["default-src a; script-src b; child-src c", "worker-src", "child-src"],
  ["default-src a; script-src b", "worker-src", "script-src"],
  ["default-src a; child-src b", "frame-src", "child-src"],
  ["default-src a; child-src b", "fenced-frame-src", "child-src"],
  ["default-src a; child-src b; frame-src c", "fenced-frame-src", "frame-src"],
  ["default-src a", "object-src", "default-src"],
  ["default-src a", "base-uri", null],
  ["default-src a", "form-action", null],
  ["default-src a", "frame-ancestors", null],
])("%s governs %s by %s", (text, directive, expected) => {
  expect(governing(only(text), directive)?.directive ?? null).toBe(expected);
});

test.each([
  ["sandbox", true],
  ["sandbox allow-forms", true],
  ["sandbox Allow-Scripts", false],
  ["script-src 'none'", false],
])("%s sandboxes scripts: %s", (text, expected) => {
  expect(sandboxes(only(text), "allow-scripts")).toBe(expected);
});

test("directives as written keep repetitions and mark non-ASCII text", () => {
  expect(parseCspDirectives("Img-Src A;; img-src \u201cself\u201d;")).toEqual([
    { name: "img-src", values: ["A"], ascii: true },
    { name: "img-src", values: ["\u201cself\u201d"], ascii: false },
  ]);
});

describe("hostile policies", () => {
  const readAll = (text: string) => {
    for (const policy of parseCsp([text])) governing(policy, "worker-src");
    parseCspDirectives(text);
  };

  test("never throws", () => {
    const pieces = fc.constantFrom(..."'-;:, */.\t\\\"".split(""), "nonce-", "script-src ", "sha256-", "'unsafe-inline'", "https://", "*.");
    fc.assert(fc.property(unicodeText(), readAll));
    fc.assert(fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => readAll(parts.join(""))));
  });

  test.each(["a", " ", ";", ",", "a ", "a;", "'", "a.", "*.", "'nonce-", "a-", "/", "https://", "script-src 'nonce-a' *;"])(
    "64 KiB of %j in linear time",
    (piece) => {
      const text = piece.repeat(65_536 / piece.length);
      const fromMs = cpuMs();
      for (const tail of ["", "!", "'"]) readAll(`${text}${tail}`);
      for (const head of ["'nonce-", "script-src ", "x://", "'"]) readAll(`${head}${text}!`);
      // A quadratic algorithm would take minutes.
      expect(cpuMs() - fromMs).toBeLessThan(3_000);
    },
  );
});

const words = (text: string) => text.split(" ").filter((word) => word !== "");

test.each<[string, object]>([
  ["'self'", { kind: "keyword", keyword: "self" }],
  ["'Unsafe-Inline'", { kind: "keyword", keyword: "unsafe-inline" }],
  ["'inline-speculation-rules'", { kind: "keyword", keyword: "inline-speculation-rules" }],
  ["'nonce-aGVsbG8='", { kind: "nonce", nonce: "aGVsbG8=" }],
  ["'NONCE-abC'", { kind: "nonce", nonce: "abC" }],
  ["'nonce-'", { kind: "invalid" }],
  ["'nonce-a b'", { kind: "invalid" }],
  ["'nonce-abc", { kind: "invalid" }],
  ["'sha256-AbC+/_-=='", { kind: "hash" }],
  ["'sha1-abc'", { kind: "invalid" }],
  ["'unsafe-inlin'", { kind: "invalid" }],
  ["self", { kind: "host", scheme: null, host: "self", port: null, path: "" }],
  ["HTTPS:", { kind: "scheme", scheme: "https" }],
  ["*", { kind: "host", scheme: null, host: "*", port: null, path: "" }],
  ["https://*.Example.com:*/A/b", { kind: "host", scheme: "https", host: "*.example.com", port: "*", path: "/A/b" }],
  ["example.com:8443", { kind: "host", scheme: null, host: "example.com", port: "8443", path: "" }],
  ["example.com?q", { kind: "invalid" }],
  ["example.com/a?q#f", { kind: "host", scheme: null, host: "example.com", port: null, path: "/a" }],
  ["a.*.example", { kind: "invalid" }],
  ["//example.com", { kind: "invalid" }],
  ["example.com,", { kind: "invalid" }],
  ["", { kind: "invalid" }],
])("source %s", (text, expected) => {
  expect(parseCspSource(text)).toEqual(expected as never);
});

test.each([
  ["'unsafe-inline'", true, true],
  ["'self' 'UNSAFE-INLINE' https:", true, true],
  ["'unsafe-inline' 'nonce-abc'", false, false],
  ["'unsafe-inline' 'sha256-abc'", false, false],
  ["'unsafe-inline' 'strict-dynamic'", false, true],
  ["'unsafe-inline' 'nonce-'", true, true],
  ["'unsafe-inline' 'none'", true, true],
  ["unsafe-inline", false, false],
  ["'self'", false, false],
])("%s allows all inline script: %s, all inline style: %s", (text, script, style) => {
  expect(allowsAllInline(words(text), "script")).toBe(script);
  expect(allowsAllInline(words(text), "style")).toBe(style);
});

test("nonces and hashes that a list trusts", () => {
  expect(hasKeyword(words("'self' 'Unsafe-Eval'"), "unsafe-eval")).toBe(true);
  expect(hasKeyword(words("'wasm-unsafe-eval' unsafe-eval"), "unsafe-eval")).toBe(false);
  expect([trustsNonces(words("'nonce-a'")), trustsNonces(words("nonce-a 'nonce-'"))]).toEqual([true, false]);
  expect([trustsHashes(words("'sha384-a'")), trustsHashes(words("'sha1-a'"))]).toEqual([true, false]);
});

test("strict-dynamic disables hosts, schemes and 'self'", () => {
  expect(scriptUrlSources(words("'nonce-a' 'strict-dynamic' https: * 'self'"))).toEqual([]);
  expect(scriptUrlSources(words("'nonce-a' https: a.example 'self' 'unsafe-eval'"))).toEqual(["https:", "a.example", "'self'"]);
});

test.each([
  ["'none'", true],
  ["", true],
  ["'unsafe-inline' 'nonce-a' 'sha256-a' ?", true],
  ["'none' 'self'", false],
  ["none", false],
  ["data:", false],
])("no URL matches %s: %s", (text, expected) => {
  expect(allowsNoUrl(words(text))).toBe(expected);
});

test.each([
  ["*", true],
  ["https:", true],
  ["http:", true],
  ["https://*", true],
  ["*:443", true],
  ["https://*/scripts/", true],
  ["*.com", true],
  ["https://*.co.uk", true],
  ["*.CO.UK", true],
  ["*.example.com", false],
  ["*.corp", false],
  ["com", false],
  ["data:", false],
  ["'self'", false],
])("%s matches any host: %s", (text, expected) => {
  expect(matchesAnyHost(text)).toBe(expected);
});

test("a scheme source is the scheme with its colon", () => {
  expect(isSchemeSource("Data:", "data")).toBe(true);
  expect(isSchemeSource("data://x", "data")).toBe(false);
  expect(["WS:", "ftp://a.example", "a.example", "'self'"].map(schemeNamed)).toEqual(["ws", "ftp", null, null]);
});

test.each<[source: string, url: string, matches: boolean, page?: string]>([
  ["*", "https://a.example/", true],
  ["*", "http://a.example/", true],
  ["*", "data:text/plain,x", false],
  ["https:", "https://a.example/x", true],
  ["https:", "http://a.example/x", false],
  ["http:", "https://a.example/x", true],
  ["ws:", "wss://a.example/x", true],
  ["data:", "data:text/plain,x", true],
  ["a.example", "https://a.example/x", true],
  ["a.example", "http://a.example/x", false],
  ["a.example", "http://a.example/x", true, "http://page.example/"],
  ["a.example", "https://a.example/x", true, "http://page.example/"],
  ["http://a.example", "https://a.example/x", true],
  ["https://a.example", "http://a.example/x", false],
  ["A.Example", "https://a.example/", true],
  ["a.example", "https://b.a.example/", false],
  ["*.a.example", "https://b.a.example/", true],
  ["*.a.example", "https://c.b.a.example/", true],
  ["*.a.example", "https://a.example/", false],
  ["*.a.example", "https://xa.example/", false],
  ["a.example:443", "https://a.example/", true],
  ["a.example:80", "https://a.example/", false],
  ["a.example:80", "https://a.example/", true, "http://page.example/"],
  ["http://a.example:80", "https://a.example/", true],
  ["a.example:8443", "https://a.example/", false],
  ["a.example", "https://a.example:8443/", false],
  ["a.example:*", "https://a.example:8443/", true],
  ["a.example/", "https://a.example/x/y", true],
  ["a.example/x", "https://a.example/x", true],
  ["a.example/x", "https://a.example/x/y", false],
  ["a.example/x", "https://a.example/X", false],
  ["a.example/x/", "https://a.example/x/y/z", true],
  ["a.example/x/", "https://a.example/x/", true],
  ["a.example/x/", "https://a.example/x", false],
  ["a.example/x/", "https://a.example/xy/z", false],
  ["a.example/%78", "https://a.example/x?q", true],
  ["a.example/%", "https://a.example/%", true],
  ["'self'", "https://page.example/x", true],
  ["'self'", "https://page.example:8443/x", false],
  ["'self'", "https://other.example/x", false],
  ["'self'", "https://page.example/x", true, "http://page.example/"],
  ["'self'", "http://page.example/x", false],
  ["'self'", "data:text/plain,x", false, "data:text/html,x"],
  ["'none'", "https://a.example/", false],
  ["'nonce-a'", "https://a.example/", false],
])("%s allows %s: %s", (source, url, expected, page = "https://page.example/") => {
  expect(matchesUrl(parseCspSource(source), new URL(url), new URL(page))).toBe(expected);
});

describe("hostile sources", () => {
  const url = new URL("https://a.example/a/a/a");
  const readAll = (text: string) => {
    const sources = words(text);
    allowsAllInline(sources, "script");
    allowsNoUrl(sources);
    for (const source of [text, ...scriptUrlSources(sources)]) {
      matchesAnyHost(source);
      matchesUrl(parseCspSource(source), url, url);
      schemeNamed(source);
    }
  };

  test("never throws", () => {
    const pieces = fc.constantFrom(
      ..."'-:, */.%\t\\\"".split(""),
      "nonce-",
      "sha256-",
      "'unsafe-inline'",
      "https://",
      "*.",
      "%4",
      "a.example",
    );
    fc.assert(fc.property(unicodeText(), readAll));
    fc.assert(fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => readAll(parts.join(""))));
  });

  test.each(["a", " ", ",", "a ", "'", "a.", "*.", "'nonce-", "a-", "/", "%41", "a/", "https://", "a:1 "])(
    "64 KiB of %j in linear time",
    (piece) => {
      const text = piece.repeat(65_536 / piece.length);
      const fromMs = cpuMs();
      for (const tail of ["", "!", "'"]) readAll(`${text}${tail}`);
      for (const head of ["'nonce-", "x://", "'", "a.example/", "'sha256-", "*."]) readAll(`${head}${text}!`);
      // A quadratic algorithm would take minutes.
      expect(cpuMs() - fromMs).toBeLessThan(3_000);
    },
  );
});
