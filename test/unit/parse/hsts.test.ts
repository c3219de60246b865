/** Grammar and examples of RFC 6797 section 6.1, and hostile input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HstsDefect, type HstsPolicy, parseHsts } from "../../../src/parse/hsts.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

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
