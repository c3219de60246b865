/** Examples of the Fetch standard for "get, decode, and split", and hostile input. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitHeaderList } from "../../../src/parse/header-list.ts";
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
