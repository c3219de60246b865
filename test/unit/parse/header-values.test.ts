/**
 * X-Frame-Options by the HTML standard and the web platform tests, and hostile input. Grammar and examples of RFC 6797 section 6.1, and
 * hostile input. Header lists with fallbacks, legacy values of meta elements, and hostile input. Encodings in media types and meta
 * elements, and hostile input.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  charsetOfMediaType,
  charsetOfMetaContent,
  type FrameOptions,
  type HstsDefect,
  type HstsPolicy,
  isEncodingLabel,
  parseFrameOptions,
  parseHsts,
  parseReferrerPolicyHeader,
  parseReferrerPolicyMeta,
  type ReferrerPolicy,
} from "../../../src/parse/header-values.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

test.each<[readonly string[], FrameOptions | null]>([
  [[], null],
  [["DENY"], "deny"],
  [["deny"], "deny"],
  [["SAMEORIGIN"], "sameorigin"],
  [[" SameOrigin "], "sameorigin"],
  [["DENY", "DENY"], "deny"],
  [["SAMEORIGIN, sameorigin,SAMEORIGIN"], "sameorigin"],
  [["SAMEORIGIN", "DENY"], "conflict"],
  [["DENY, junk"], "conflict"],
  [["ALLOWALL, SAMEORIGIN"], "conflict"],
  [["SAMEORIGIN,"], "conflict"],
  [["ALLOWALL"], "ignored"],
  [["ALLOW-FROM https://a.example/"], "ignored"],
  [["ALLOW-FROM=https://a.example/"], "ignored"],
  [["junk, rubbish"], "ignored"],
  [['"DENY"'], "ignored"],
  [['"SAMEORIGIN,DENY"'], "ignored"],
  [["DENY;"], "ignored"],
  [["DE NY"], "ignored"],
  [[""], "ignored"],
])("%j means %j", (fields, expected) => {
  expect(parseFrameOptions(fields)).toBe(expected);
});

test("X-Frame-Options never throws", () => {
  fc.assert(fc.property(fc.array(unicodeText()), (fields) => void parseFrameOptions(fields)));
});

test.each(["a", ",", "DENY,", '"'])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  parseFrameOptions([piece.repeat(65_536 / piece.length)]);
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});

const policy = (given: Partial<HstsPolicy>): HstsPolicy => ({ maxAgeSeconds: 0, includeSubDomains: false, preload: false, ...given });

test.each<[string, string, Partial<HstsPolicy>]>([
  ["an example of section 6.2", "max-age=31536000", { maxAgeSeconds: 31_536_000 }],
  ["includeSubDomains", "max-age=15768000 ; includeSubDomains", { maxAgeSeconds: 15_768_000, includeSubDomains: true }],
  ["a quoted number", 'max-age="31536000"', { maxAgeSeconds: 31_536_000 }],
  ["a quoted pair", 'max-age="3\\1"', { maxAgeSeconds: 31 }],
  ["any order and letter case", "INCLUDESUBDOMAINS; Max-Age=5", { maxAgeSeconds: 5, includeSubDomains: true }],
  ["zero", "max-age=0; includeSubDomains", { includeSubDomains: true }],
  ["preload", "max-age=5; preload", { maxAgeSeconds: 5, preload: true }],
  ["a preload with a value is another directive", "max-age=5; preload=no", { maxAgeSeconds: 5 }],
  ["unknown directives are ignored", 'max-age=5; x; y=1; z=";max-age=9"', { maxAgeSeconds: 5 }],
  ["empty directives", ";; max-age=5 ; ;", { maxAgeSeconds: 5 }],
  [
    "all characters of a quoted string",
    'max-age=5; x="\\"; \\\\ \u00e4\t"; includeSubDomains',
    { maxAgeSeconds: 5, includeSubDomains: true },
  ],
  ["leading zeros", "max-age=0005", { maxAgeSeconds: 5 }],
  ["spaces around the equals sign", "max-age = 5", { maxAgeSeconds: 5 }],
  ["more seconds than a safe integer", `max-age=${"9".repeat(400)}`, { maxAgeSeconds: Number.MAX_SAFE_INTEGER }],
])("%s", (_words, value, expected) => {
  expect(parseHsts(value)).toEqual(policy(expected));
});

test.each<[string, HstsDefect]>([
  ["", "max-age-missing"],
  ["includeSubDomains", "max-age-missing"],
  ["max-age=abc", "max-age-malformed"],
  ["max-age", "max-age-malformed"],
  ["max-age=-1", "max-age-malformed"],
  ["max-age=1.5", "max-age-malformed"],
  ["max-age=0x10", "max-age-malformed"],
  ['max-age=""', "max-age-malformed"],
  ['max-age=" 5"', "max-age-malformed"],
  ["max-age=", "syntax"],
  ["max-age=5; x=", "syntax"],
  ["max-age=5; =x", "syntax"],
  ['max-age="5"0', "syntax"],
  ["\u00a0max-age=5", "syntax"],
  ["max-age=5\r", "syntax"],
  ['max-age=5; x="\0"', "syntax"],
  ['max-age=5; x="\\\u00e4"', "syntax"],
  ["max-age=\u0665", "syntax"],
  ['max-age="\u0665"', "max-age-malformed"],
  ['max-age=5; includeSubDomains=""', "syntax"],
  ["max-age=5 includeSubDomains", "syntax"],
  ["max-age=5, max-age=6", "syntax"],
  ["max-age:5", "syntax"],
  ["'max-age=5", "max-age-missing"],
  ['"max-age=5"', "syntax"],
  ['max-age="5', "syntax"],
  ["max-age=5; includeSubDomains=true", "syntax"],
  ["max-age=5; max-age=5", "repeated-directive"],
  ["max-age=5; includeSubDomains; IncludeSubdomains", "repeated-directive"],
  ["max-age=5; x; X=1", "repeated-directive"],
])("%s is rejected: %s", (value, defect) => {
  expect(parseHsts(value)).toEqual({ defect });
});

describe("hostile input", () => {
  test("never throws, and the lifetime is always a number of seconds", () => {
    const pieces = fc.constantFrom("max-age", "=", ";", '"', "\\", " ", "\t", "0", "9", "includeSubDomains", "preload", "\0", "\u00e4");
    const strings = fc.oneof(
      unicodeText(),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(strings, (value) => {
        const parsed = parseHsts(value);
        if (!("defect" in parsed)) expect(Number.isSafeInteger(parsed.maxAgeSeconds)).toBe(true);
      }),
    );
  });

  test.each(["a", " ", ";", "a;", "=", '"', "\\", '"\\', "a=", "a ", "9"])("64 KiB of %j in linear time", (piece) => {
    const text = piece.repeat(65_536 / piece.length);
    const fromMs = cpuMs();
    for (const head of ["", "max-age=", 'a="', "a"]) for (const tail of ["", "!", '"', ";"]) parseHsts(`${head}${text}${tail}`);
    // A quadratic algorithm would take minutes.
    expect(cpuMs() - fromMs).toBeLessThan(3_000);
  });
});

test.each<[readonly string[], ReferrerPolicy | null]>([
  [["no-referrer"], "no-referrer"],
  [["Strict-Origin"], "strict-origin"],
  [["no-referrer, strict-origin-when-cross-origin"], "strict-origin-when-cross-origin"],
  [["same-origin", "unsafe-url"], "unsafe-url"],
  [["same-origin, not-known-yet"], "same-origin"],
  [["same-origin,"], "same-origin"],
  [["no-referrer; same-origin"], null],
  [["never"], null],
  [['"no-referrer"'], null],
  [[""], null],
  [[], null],
])("the header %j means %j", (fields, expected) => {
  expect(parseReferrerPolicyHeader(fields)).toBe(expected);
});

test.each<[string, ReferrerPolicy | null]>([
  ["no-referrer", "no-referrer"],
  ["NO-REFERRER", "no-referrer"],
  ["never", "no-referrer"],
  ["default", "strict-origin-when-cross-origin"],
  ["always", "unsafe-url"],
  ["origin-when-crossorigin", "origin-when-cross-origin"],
  ["no-referrer, same-origin", null],
  ["", null],
])("the meta element %j means %j", (content, expected) => {
  expect(parseReferrerPolicyMeta(content)).toBe(expected);
});

test("referrer policies never throw", () => {
  fc.assert(
    fc.property(unicodeText(), (text) => {
      parseReferrerPolicyHeader([text]);
      parseReferrerPolicyMeta(text);
    }),
  );
});

test.each(["a", ",", " ", "origin,", '"'])("64 KiB of %j in linear time", (piece) => {
  const fromMs = cpuMs();
  const text = piece.repeat(65_536 / piece.length);
  parseReferrerPolicyHeader([text]);
  parseReferrerPolicyMeta(text);
  // A quadratic algorithm would take minutes.
  expect(cpuMs() - fromMs).toBeLessThan(3_000);
});

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

test("charsets never throw", () => {
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
