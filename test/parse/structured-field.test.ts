/** Tokens and dictionaries of RFC 9651 as the security headers use them, and input made to hurt. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStructuredDictionary, parseStructuredToken } from "../../src/parse/structured-field.ts";

test.each<[readonly string[], string | null]>([
  [["same-origin"], "same-origin"],
  [[" same-origin\t"], "same-origin"],
  [['same-origin; report-to="coop"'], "same-origin"],
  [["require-corp;a;b=1;c=?0"], "require-corp"],
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

test("never throws", () => {
  const pieces = fc.constantFrom(..."=(),;*?:@%\"\\'-._ \t01aZ\0".split(""), "camera", "self", "https://", ":aGk=:", '%"', "\u00e4");
  const strings = fc.oneof(
    fc.string({ unit: "binary" }),
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
    const start = performance.now();
    const text = piece.repeat(65_536 / piece.length);
    for (const head of ["", "a=(", 'a="', "a=:", "a;"]) {
      parseStructuredToken([`${head}${text}`]);
      parseStructuredDictionary([`${head}${text}`]);
    }
    // A quadratic reader would take minutes.
    expect(performance.now() - start).toBeLessThan(3_000);
  },
);
