/** Untrusted text is shown unchanged, except that invisible and bidi characters appear as code points. */
import { describe, expect, test } from "vitest";
import { plainUntrustedLines, plainUntrustedText } from "../../../src/report/components/untrusted-text.tsx";

describe("shows unchanged", () => {
  test.each([
    ["plain text", "max-age=1; \"quoted\" 'too' <b>&amp;"],
    ["other scripts", "\u05e9\u05dc\u05d5\u05dd \u4f60\u597d \u0627\u0644\u0639\u0631\u0628\u064a\u0629"],
    ["letters with a few marks", "Vie\u0302\u0323t Nam"],
    ["an emoji in colour", "\u2764\ufe0f shop"],
    ["a joined emoji", "\u{1f469}\u{1f3fd}\u200d\u{1f680} and \u{1f3f3}\ufe0f\u200d\u{1f308}"],
  ])("%s", (_case, text) => {
    expect(plainUntrustedText(text)).toBe(text);
  });
});

describe("shows by code point", () => {
  test.each([
    ["a bidi override", "abc\u202ecba", "abcU+202Ecba"],
    ["an isolate", "\u2066x\u2069", "U+2066xU+2069"],
    ["a control character", "a\u0000\u001bb", "aU+0000U+001Bb"],
    ["a line break", "a\r\nb", "aU+000DU+000Ab"],
    ["a line separator", "a\u2028b", "aU+2028b"],
    ["a zero width space", "pay\u200bpal", "payU+200Bpal"],
    ["a joiner between letters", "pay\u200dpal", "payU+200Dpal"],
    ["a variation selector after a letter", "a\ufe0f", "aU+FE0F"],
    ["a soft hyphen", "a\u00adb", "aU+00ADb"],
    ["an invisible filler", "a\u3164b", "aU+3164b"],
    ["a tag character", "a\u{e0041}b", "aU+E0041b"],
    ["a private use character", "a\ue000b", "aU+E000b"],
    ["a lone surrogate", "a\ud800b", "aU+D800b"],
    ["a long run of combining marks", `a${"\u0301".repeat(40)}b`, "aU+0301b"],
  ])("%s", (_case, text, expected) => {
    expect(plainUntrustedText(text)).toBe(expected);
  });
});

test("keeps line breaks in multi-line text", () => {
  expect(plainUntrustedLines("a\n  b\u202e")).toBe("a\n  bU+202E");
});
