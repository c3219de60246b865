/**
 * Examples of the Fetch standard for "get, decode, and split", and hostile input. Tokens and dictionaries of RFC 9651 as security
 * headers use them, and hostile input.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStructuredDictionary, parseStructuredItem, parseStructuredToken, splitHeaderList } from "../../../src/parse/header-syntax.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each<[readonly string[], readonly string[]]>([
  [[], []],
  [[""], [""]],
  [["nosniff"], ["nosniff"]],
  [["nosniff,"], ["nosniff", ""]],
  [
    ["nosniff", ""],
    ["nosniff", ""],
  ],
  [[' text/html;",x/x'], ['text/html;",x/x']],
  [['text/html;"', "x/x"], ['text/html;", x/x']],
  [
    ['x/x;test="hi"', "y/y"],
    ['x/x;test="hi"', "y/y"],
  ],
  [['x/x;test="hi', "y/y"], ['x/x;test="hi, y/y']],
  [["x / x,,,1"], ["x / x", "", "", "1"]],
  [['"1,2", 3'], ['"1,2"', "3"]],
  [['"a\\",b" ,\tc\t'], ['"a\\",b"', "c"]],
])("%j", (fields, expected) => {
  expect(splitHeaderList(fields)).toEqual(expected);
});

test("never throws, and drops only commas and blanks", () => {
  const bare = (text: string) => text.replaceAll(/[, \t]/g, "");
  fc.assert(
    fc.property(fc.array(unicodeText(), { minLength: 1 }), (fields) => {
      expect(bare(splitHeaderList(fields).join(""))).toBe(bare(fields.join("")));
    }),
  );
});

test.each(["a", " ", ",", '"', "\\", '"\\', ' ,"'])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  const text = piece.repeat(65_536 / piece.length);
  splitHeaderList([text]);
  splitHeaderList([`"${text}`, text]);
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});

test.each<[readonly string[], string | null]>([
  [["same-origin"], "same-origin"],
  [[" same-origin\t"], "same-origin"],
  [['same-origin; report-to="coop"'], "same-origin"],
  [["require-corp;a;b=1;c=?0"], "require-corp"],
  [['require-corp;a=@1659578233;b=-1.5;c=:aGk=:;  d=%"f%c3%bc"'], "require-corp"],
  [["require-corp ;a"], null],
  [["require-corp;A"], null],
  [["require-corp;a="], null],
  [["Same-Origin"], "Same-Origin"],
  [['"same-origin"'], null],
  [["same-origin, same-origin"], null],
  [["same-origin", "same-origin"], null],
  [["same-origin;"], null],
  [["same origin"], null],
  [["'same-origin'"], null],
  [["(same-origin)"], null],
  [["1"], null],
  [[""], null],
  [[], null],
])("the token of %j is %j", (fields, expected) => {
  expect(parseStructuredToken(fields)).toBe(expected);
});

const token = (name: string) => ({ kind: "token", token: name });

test.each<[readonly string[], Record<string, unknown> | null]>([
  [["camera=()"], { camera: [] }],
  [["camera=(), geolocation=*"], { camera: [], geolocation: [token("*")] }],
  [['usb=(self "https://a.example" 7)'], { usb: [token("self"), { kind: "string", text: "https://a.example" }, { kind: "other" }] }],
  [["camera=()", "usb=self"], { camera: [], usb: [token("self")] }],
  [["*a-b_c.d=self"], { "*a-b_c.d": [token("self")] }],
  [["a=(  self   *  );x;y=1\t,\tb=?1"], { a: [token("self"), token("*")], b: [{ kind: "other" }] }],
  [['a=(self;x=1 "b";y)'], { a: [token("self"), { kind: "string", text: "b" }] }],
  [['a="\\"b\\\\"'], { a: [{ kind: "string", text: '"b\\' }] }],
  [["camera=(), camera=*"], { camera: [token("*")] }],
  [["camera=*;report-to=x"], { camera: [token("*")] }],
  [["camera"], { camera: [{ kind: "other" }] }],
  [[""], {}],
  [["camera 'none'"], null],
  [["camera=();"], null],
  [["camera=(),"], null],
  [["camera=('self')"], null],
  [["camera=(self"], null],
  [["Camera=()"], null],
  [["camera=(); geolocation=()"], null],
])("the dictionary of %j", (fields, expected) => {
  const parsed = parseStructuredDictionary(fields);
  expect(parsed === null ? null : Object.fromEntries(parsed)).toEqual(expected as never);
});

/** Sections 4.2.4 to 4.2.10; the later types are new in RFC 9651. */
const formOf = (text: string) => parseStructuredDictionary([`a=${text}, b`])?.get("a")?.[0]?.kind ?? null;

test.each([
  ["0", "other"],
  ["-0", "other"],
  ["999999999999999", "other"],
  ["1000000000000000", null],
  ["1.5", "other"],
  ["123456789012.123", "other"],
  ["1234567890123.1", null],
  ["1.1234", null],
  ["1.", null],
  [".5", null],
  ["+1", null],
  ["--1", null],
  ['""', "string"],
  ['"a', null],
  ['"a\\n"', null],
  ['"a\tb"', null],
  ['"\u00fc"', null],
  ["*", "token"],
  ["a:/b'c", "token"],
  ["a{", null],
  [":aGVsbG8=:", "other"],
  [":aGVsbG8:", "other"],
  ["::", "other"],
  [":a:", null],
  [":aGVs bG8=:", null],
  [":aGVsbG8", null],
  ["?1", "other"],
  ["?2", null],
  ["?", null],
  ["@1659578233", "other"],
  ["@-1659578233", "other"],
  ["@1659578233.5", null],
  ["@", null],
  ['%"f%c3%bc%c3%bc"', "other"],
  ['%"50%25"', "other"],
  ['%"%C3%BC"', null],
  ['%"%c3"', null],
  ['%"%zz"', null],
  ['%"\u00fc"', null],
  ["%a", null],
  ["((a))", null],
])("the bare item %s is of the kind %s", (text, kind) => {
  expect(formOf(text)).toBe(kind);
});

test("never throws", () => {
  const pieces = fc.constantFrom(..."=(),;*?:@%\"\\'-._ \t01aZ\0".split(""), "camera", "self", "https://", ":aGk=:", '%"', "\u00e4");
  const strings = fc.oneof(
    unicodeText(),
    fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(strings, (text) => {
      parseStructuredToken([text]);
      parseStructuredDictionary([text]);
    }),
  );
});

test.each(["a", " ", "\t", ",", "a,", "(", "a=(", "a ", ";a", "=", '"', "\\", ":", "@1", "1", "?", '%"', "a=b,", "a=(b c),"])(
  "64 KiB of %j in linear time",
  (piece) => {
    const fromMs = cpuMs();
    const text = piece.repeat(65_536 / piece.length);
    for (const head of ["", "a=(", 'a="', "a=:", "a;"]) {
      parseStructuredToken([`${head}${text}`]);
      parseStructuredDictionary([`${head}${text}`]);
    }
    // A quadratic algorithm would take minutes.
    expect(cpuMs() - fromMs).toBeLessThan(3_000);
  },
);

test.each<[string, Readonly<Record<string, unknown>> | null]>([
  ["same-origin", {}],
  ['same-origin; report-to="coop";a', { "report-to": { kind: "string", text: "coop" }, a: { kind: "other" } }],
  ["same-origin;a=1;a=b", { a: { kind: "token", token: "b" } }],
  ['"same-origin";a=b', null],
  ["same-origin;a=b, c", null],
  ["same-origin;A=b", null],
])("parameters of %j", (field, expected) => {
  const item = parseStructuredItem([field]);
  expect(item === null ? null : Object.fromEntries(item.parameters)).toEqual(expected);
});
