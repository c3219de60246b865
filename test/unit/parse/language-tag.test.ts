/** Language tags of RFC 5646. */
import { expect, test } from "vitest";
import { isLanguageTag } from "../../../src/parse/language-tag.ts";

test.each([
  "en",
  "de-AT",
  "zh-Hant-TW",
  "sr-Latn",
  "es-419",
  "sl-rozaj-biske",
  "de-CH-1996",
  "en-a-bbb-x-a",
  "gsw",
  "x-own",
  "i-klingon",
  "EN-us",
])("%s is a tag", (tag) => expect(isLanguageTag(tag)).toBe(true));

test.each(["", "*", "e", "English", "deutsch", "en_US", "jp", "cz", "us", "en-", "-en", "en--us", "en;q=0.8", "de-a", "x", "en us"])(
  "%j is no tag",
  (tag) => expect(isLanguageTag(tag)).toBe(false),
);
