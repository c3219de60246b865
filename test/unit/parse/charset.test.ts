/** Encodings in media types and meta elements, and hostile input. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { charsetOfMediaType, charsetOfMetaContent, isEncodingLabel } from "../../../src/parse/charset.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each<[string, string | null]>([
  ["text/html; charset=utf-8", "utf-8"],
  ["text/html;charset=UTF-8", "UTF-8"],
  ['text/html; a="; charset=x"; CHARSET="utf-8"', "utf-8"],
  ["text/html; charset=utf-8; charset=latin1", "utf-8"],
  ["text/html; charset=; charset=latin1", "latin1"],
  ["text/html; charset", null],
  ["text/html; mycharset=utf-8", null],
  ["text/html", null],
  ["text/html; charset= utf-8 ;", "utf-8"],
  ["text/html ; \t charset=utf-8", "utf-8"],
  ["text/html;;charset=utf-8", "utf-8"],
  ['text/html; a=x"; charset=utf-8', "utf-8"],
  ['text/html; a="x\\"; charset=x"; charset=utf-8', "utf-8"],
  ['text/html; charset="utf-8', "utf-8"],
  ['text/html; charset="ut\\f-8" x', "utf-8"],
  ['text/html; charset=""; charset=utf-8', "utf-8"],
  ['text/html; charset= "utf-8"', '"utf-8"'],
  ["text/html; charset =utf-8", null],
  ["text; charset=utf-8", null],
  ["/html; charset=utf-8", null],
  ["text/html x; charset=utf-8", null],
  ["charset=utf-8", null],
  ["", null],
])("the media type %j names %j", (value, expected) => {
  expect(charsetOfMediaType(value)).toBe(expected);
});

test.each<[string, string | null]>([
  ["text/html; charset=utf-8", "utf-8"],
  ["text/html; CharSet = 'utf-8'", "utf-8"],
  ['charset="utf-8"', "utf-8"],
  ["text/html; charset utf-8", null],
  ["charset charset=utf-8", "utf-8"],
  ["mycharset=utf-8", "utf-8"],
  ['charset=utf-8"', 'utf-8"'],
  ["charset='utf-8", null],
  ["charset=\"utf-8'; charset=latin1", null],
  ['charset="" charset=latin1', null],
  ["charset=;", null],
  ["charset\u00a0=utf-8", null],
  ["text/html", null],
])("the meta content %j names %j", (content, expected) => {
  expect(charsetOfMetaContent(content)).toBe(expected);
});

test.each<[string, boolean]>([
  ["utf8", true],
  ["ISO-8859-1", true],
  ["shift_jis", true],
  ["utf-7", false],
  ["unicode-of-mine", false],
])("%s is a label of the Encoding standard: %s", (label, expected) => {
  expect(isEncodingLabel(label)).toBe(expected);
});

const readAll = (text: string) => {
  charsetOfMediaType(text);
  charsetOfMetaContent(text);
  isEncodingLabel(text);
};

test("never throws", () => {
  fc.assert(fc.property(unicodeText(), readAll));
});

test.each(["a", ";", "=", '"', "\\", "charset", "charset=", "charset ", ";charset=", "charset='", 'charset="', " "])(
  "64 KiB of %j in linear time",
  (piece) => {
    const fromMs = cpuMs();
    const text = piece.repeat(65_536 / piece.length);
    for (const head of ["", "text/html;", "charset", "charset=", 'charset="'])
      for (const tail of ["", ";", "'"]) readAll(`${head}${text}${tail}`);
    // A quadratic algorithm would take minutes.
    expect(cpuMs() - fromMs).toBeLessThan(3_000);
  },
);
