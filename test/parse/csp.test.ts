/** Policies as browsers read them, CSP3 section by section, and input made to hurt. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allowsAllInlineScript,
  governing,
  isSchemeSource,
  matchesAnyHost,
  parseCspHeader,
  parseCspMeta,
  parseCspSource,
  restrictsAnything,
  sandboxesScripts,
  scriptAttributeDirectives,
  scriptElementDirectives,
  scriptUrlSources,
} from "../../src/parse/csp.ts";

const words = (text: string) => text.split(" ");
const plain = (values: readonly string[]) => parseCspHeader(values).map((policy) => Object.fromEntries(policy));
const only = (text: string) => {
  const [policy] = parseCspHeader([text]);
  if (policy === undefined) throw new Error(`no policy in ${text}`);
  return policy;
};

describe("header fields", () => {
  test.each<[string, readonly string[], readonly Record<string, readonly string[]>[]]>([
    ["a policy", ["default-src 'self'; img-src * data:"], [{ "default-src": ["'self'"], "img-src": ["*", "data:"] }]],
    ["names are lower-cased, sources are not", ["Script-SRC https://A.example/B"], [{ "script-src": ["https://A.example/B"] }]],
    ["the first of a repeated directive counts", ["script-src 'self'; SCRIPT-SRC *"], [{ "script-src": ["'self'"] }]],
    ["a comma parts policies", ["img-src a, img-src b"], [{ "img-src": ["a"] }, { "img-src": ["b"] }]],
    ["fields are policies of their own", ["img-src a", "img-src b"], [{ "img-src": ["a"] }, { "img-src": ["b"] }]],
    ["a directive without sources", ["upgrade-insecure-requests"], [{ "upgrade-insecure-requests": [] }]],
    ["empty parts are skipped", [" ;; img-src a ;\t; ,, ,"], [{ "img-src": ["a"] }]],
    ["tab, line feed and form feed are space", ["img-src\ta\fb\n c"], [{ "img-src": ["a", "b", "c"] }]],
    ["a directive that is not ASCII is skipped", ["script-src \u00e9; img-src a"], [{ "img-src": ["a"] }]],
    ["a no-break space is not ASCII", ["script-src\u00a0*; img-src a"], [{ "img-src": ["a"] }]],
    ["nothing", ["", " ", ";"], []],
  ])("%s", (_words, values, expected) => {
    expect(plain(values)).toEqual([...expected]);
  });

  test("a meta element holds a single policy, comma or not", () => {
    expect(Object.fromEntries(parseCspMeta("img-src a, script-src b") ?? [])).toEqual({ "img-src": ["a,", "script-src", "b"] });
    expect(parseCspMeta(" ; ")).toBeNull();
  });

  test("names like those of every object are names like any other", () => {
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

test.each<[string, readonly string[], string | null]>([
  ["default-src a; script-src b; script-src-elem c", scriptElementDirectives, "script-src-elem"],
  ["default-src a; script-src b; script-src-elem c", scriptAttributeDirectives, "script-src"],
  ["script-src-attr b; default-src a", scriptElementDirectives, "default-src"],
  ["img-src a", scriptElementDirectives, null],
])("%s is governed by the first of %j", (text, directives, expected) => {
  expect(governing(only(text), directives)?.directive ?? null).toBe(expected);
});

test.each([
  ["sandbox", true],
  ["sandbox allow-forms", true],
  ["sandbox Allow-Scripts", false],
  ["script-src 'none'", false],
])("%s sandboxes scripts: %s", (text, expected) => {
  expect(sandboxesScripts(only(text))).toBe(expected);
});

test.each<[string, object]>([
  ["'self'", { kind: "keyword", keyword: "self" }],
  ["'Unsafe-Inline'", { kind: "keyword", keyword: "unsafe-inline" }],
  ["'nonce-aGVsbG8='", { kind: "nonce" }],
  ["'NONCE-abc'", { kind: "nonce" }],
  ["'nonce-'", { kind: "keyword", keyword: "nonce-" }],
  ["'nonce-a b'", { kind: "invalid" }],
  ["'sha256-AbC+/_-=='", { kind: "hash" }],
  ["'sha1-abc'", { kind: "keyword", keyword: "sha1-abc" }],
  ["self", { kind: "host", scheme: null, host: "self", port: null }],
  ["HTTPS:", { kind: "scheme", scheme: "https" }],
  ["*", { kind: "host", scheme: null, host: "*", port: null }],
  ["https://*.Example.com:*/a/b", { kind: "host", scheme: "https", host: "*.example.com", port: "*" }],
  ["example.com:8443", { kind: "host", scheme: null, host: "example.com", port: "8443" }],
  ["a.*.example", { kind: "invalid" }],
  ["", { kind: "invalid" }],
])("source %s", (text, expected) => {
  expect(parseCspSource(text)).toEqual(expected as never);
});

test.each([
  ["'unsafe-inline'", true],
  ["'self' 'UNSAFE-INLINE' https:", true],
  ["'unsafe-inline' 'nonce-abc'", false],
  ["'unsafe-inline' 'sha256-abc'", false],
  ["'unsafe-inline' 'strict-dynamic'", false],
  ["'unsafe-inline' 'nonce-'", true],
  ["'unsafe-inline' 'none'", true],
  ["unsafe-inline", false],
  ["'self'", false],
])("%s allows all inline script: %s", (text, expected) => {
  expect(allowsAllInlineScript(words(text))).toBe(expected);
});

test("strict-dynamic makes hosts and schemes idle", () => {
  expect(scriptUrlSources(words("'nonce-a' 'strict-dynamic' https: *"))).toEqual([]);
  expect(scriptUrlSources(words("'nonce-a' https: a.example 'self'"))).toEqual(["https:", "a.example"]);
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

test("a scheme source is the scheme and its colon", () => {
  expect(isSchemeSource("Data:", "data")).toBe(true);
  expect(isSchemeSource("data://x", "data")).toBe(false);
});

describe("input made to hurt", () => {
  const readAll = (text: string) => {
    for (const policy of parseCspHeader([text])) {
      for (const sources of policy.values()) {
        allowsAllInlineScript(sources);
        scriptUrlSources(sources).map(matchesAnyHost);
      }
    }
    parseCspMeta(text);
    parseCspSource(text);
  };

  test("never throws", () => {
    const pieces = fc.constantFrom(..."'-;:, */.\t\\\"".split(""), "nonce-", "script-src ", "sha256-", "'unsafe-inline'", "https://", "*.");
    fc.assert(fc.property(fc.string({ unit: "binary" }), readAll));
    fc.assert(fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => readAll(parts.join(""))));
  });

  test.each(["a", " ", ";", ",", "a ", "a;", "'", "a.", "*.", "'nonce-", "a-", "/", "https://", "script-src 'nonce-a' *;"])(
    "64 KiB of %j in linear time",
    (piece) => {
      const text = piece.repeat(65_536 / piece.length);
      const start = performance.now();
      for (const tail of ["", "!", "'"]) readAll(`${text}${tail}`);
      for (const head of ["'nonce-", "script-src ", "x://", "'"]) readAll(`${head}${text}!`);
      // A quadratic reader would take minutes.
      expect(performance.now() - start).toBeLessThan(3_000);
    },
  );
});
