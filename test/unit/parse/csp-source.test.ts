/** Source expressions as browsers read them (CSP3 section 6.7.2), and hostile input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allowsAllInline,
  allowsNoUrl,
  hasKeyword,
  isSchemeSource,
  matchesAnyHost,
  matchesUrl,
  parseCspSource,
  schemeNamed,
  scriptUrlSources,
  trustsHashes,
  trustsNonces,
} from "../../../src/parse/csp-source.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

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

describe("hostile input", () => {
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
