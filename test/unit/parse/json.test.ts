/** The position agrees with `JSON.parse` on what is JSON, and points at the first fault. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonFaultPosition, jsonValuePosition } from "../../../src/parse/json.ts";

test.each([
  ["", 1, 1],
  ['{\n "a": 1,\n  x }', 3, 3],
  ['{"a" 1}', 1, 6],
  ["[1,]", 1, 4],
  ['{"a":1,}', 1, 8],
  ["[1 2]", 1, 4],
  ['{"a":1', 1, 7],
  ["01", 1, 1],
  ["[]]", 1, 3],
  ['["a\n"]', 1, 2],
])("%j", (json, line, column) => expect(jsonFaultPosition(json)).toEqual({ line, column }));

test("agrees with JSON.parse", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    "1",
    "-0.5e3",
    "true",
    "null",
    " ",
    "\n",
    '"',
    "\\",
    "x",
    '"\\u00e4\u0085"',
  );
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const pieces = fc.array(piece, { maxLength: 9 }).map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(pieces, fc.json()), (text) => {
      expect(jsonFaultPosition(text) === null).toBe(isJson(text));
    }),
    { numRuns: 3_000 },
  );
});

test("reads strings of any length", () => {
  const long = "a]\\n\u{1f600}".repeat(2_000_000);
  expect(jsonFaultPosition(`{"a":"${long}"}`)).toBeNull();
  expect(jsonFaultPosition(`{"a":"${long}"\nx`)).toEqual({ line: 2, column: 1 });
  expect(jsonValuePosition(`{"a":["${long}"],\n"${long}":{},"b":[1]}`, ["b", "0"])).toEqual({
    line: 2,
    column: long.length + '"":{},"b":['.length + 1,
  });
});
