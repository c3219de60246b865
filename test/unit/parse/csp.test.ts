/** Policies as browsers read them, by section of CSP3, and hostile input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { governing, parseCsp, parseCspDirectives, restrictsAnything, sandboxes } from "../../../src/parse/csp.ts";
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

describe("hostile input", () => {
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
