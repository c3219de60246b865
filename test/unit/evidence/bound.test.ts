/** Limits for all data from outside. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { count, fields, flag, list, literalOf, orNull, text, withinLimits } from "../../../src/evidence/fields.ts";
import { headerFieldsMax, headerNameCharsMax, headerValueCharsMax } from "../../../src/evidence/limits.ts";
import { boundedHeaders, boundedSetCookie, boundedText } from "../../../src/evidence/redact.ts";
import { unicodeText } from "../../support/unicode-text.ts";

describe("boundedText", () => {
  const rows: readonly [words: string, text: string, kept: string, truncated: boolean][] = [
    ["a text within the limit is unchanged", "12345", "12345", false],
    ["a longer text is cut and marked", "123456", "12345", true],
    ["control characters are replaced", "a\u0000\r\n\u007f", "a\ufffd\ufffd\ufffd\ufffd", false],
    ["a tab is kept", "a\tb", "a\tb", false],
    ["half a character is replaced", "1234\u{1f600}", "1234\ufffd", true],
    ["an unpaired surrogate is replaced", "a\udc00", "a\ufffd", false],
  ];
  for (const [words, text, kept, truncated] of rows) {
    test(words, () => expect(boundedText(text, 5)).toEqual({ text: kept, truncated }));
  }

  test("any result is within the limit, encodable and without control characters", () => {
    fc.assert(
      fc.property(unicodeText(), fc.nat(20), (text, max) => {
        const kept = boundedText(text, max);
        expect(kept.text.length).toBeLessThanOrEqual(max);
        expect(kept.text.isWellFormed()).toBe(true);
        expect([...kept.text].every((char) => char === "\t" || (char >= " " && char !== "\u007f"))).toBe(true);
        expect(kept.truncated).toBe(text.length > max);
      }),
    );
  });
});

describe("boundedHeaders", () => {
  test("keeps order, spelling and duplicates", () => {
    const pairs = [
      ["B", "1"],
      ["a", "2"],
      ["b", "3"],
    ] as const;
    expect(boundedHeaders(pairs)).toEqual({
      headers: pairs.map(([name, value]) => ({ name, value, truncated: false })),
      headersDropped: 0,
    });
  });

  test("cuts names and values, and counts dropped fields", () => {
    const pairs = Array.from({ length: headerFieldsMax + 7 }, () => ["n".repeat(1_000), "v".repeat(1_000)] as const);
    const { headers, headersDropped } = boundedHeaders(pairs);
    expect(headersDropped).toBe(7);
    expect(headers).toHaveLength(headerFieldsMax);
    expect(headers[0]).toEqual({ name: "n".repeat(headerNameCharsMax), value: "v".repeat(headerValueCharsMax), truncated: true });
  });

  test("keeps more of a value under a higher limit", () => {
    const value = "v".repeat(2_000);
    expect(boundedHeaders([["a", value]], 2_000).headers).toEqual([{ name: "a", value, truncated: false }]);
    expect(boundedHeaders([["a", value]], 1_999).headers[0]).toMatchObject({ value: value.slice(1), truncated: true });
  });
});

describe("boundedSetCookie", () => {
  test("has the random bits of a value in its place", () => {
    expect(boundedSetCookie("sid=9f86d081884c7d659a2feaa0c55ad015; Path=/", 512)).toEqual({
      line: "sid=<redacted>; Path=/",
      truncated: false,
      valueRandomBits: 128,
    });
    expect(boundedSetCookie("theme=dark", 512)).toEqual({ line: "theme=<redacted>", truncated: false });
  });

  test("says nothing about the value of a cut line", () => {
    expect(boundedSetCookie(`sid=${"9f86d081884c7d65".repeat(40)}; Secure`, 512)).toEqual({ line: "sid=<redacted>", truncated: true });
  });
});

describe("a value within the limits of a schema", () => {
  const schema = fields({ name: text(3), sizes: list(count, 2), kind: literalOf("script", "other"), link: orNull(text(3)), isCut: flag });
  const cut = (given: string, charsMax: number) => given.slice(0, charsMax);

  test("has shorter texts and lists, and no member that the schema lacks", () => {
    const given = { name: "abcd", sizes: [1, 2, 3], kind: "script", link: "abcd", isCut: true, more: 1 };
    expect(withinLimits(schema, given, cut)).toEqual({ name: "abc", sizes: [1, 2], kind: "script", link: "abc", isCut: true });
  });

  test("has 0, false and the last word in place of values of another type", () => {
    const given = { name: "", sizes: ["1", Number.NaN], kind: "frame", link: null, isCut: "yes" };
    expect(withinLimits(schema, given, cut)).toEqual({ name: "", sizes: [0, 0], kind: "other", link: null, isCut: false });
  });

  test.each([null, {}, { name: null, sizes: [], kind: "", link: null }, { name: "", sizes: 1, kind: "", link: null }])(
    "does not exist for %j",
    (given) => expect(() => withinLimits(schema, given, cut)).toThrow(TypeError),
  );
});
