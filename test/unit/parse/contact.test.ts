/** Contacts as operators write them, and as RFC 9116 takes them. */
import { expect, test } from "vitest";
import { parseContact } from "../../../src/parse/address.ts";
import { parseSecurityTxt } from "../../../src/parse/security-txt.ts";

test.each([
  ["security@assay.test", "mailto:security@assay.test"],
  ["MAILTO:security@assay.test", "mailto:security@assay.test"],
  ["https://assay.test/report?to=us", "https://assay.test/report?to=us"],
  ["HTTPS://assay.test", "https://assay.test/"],
])("%s", (text, uri) => {
  expect(parseContact(text)).toBe(uri);
  expect(parseSecurityTxt(`Contact: ${uri}\n`).defects).toEqual([]);
});

test.each([
  "",
  "security",
  "@assay.test",
  "a@b@c",
  "security@assay.test?subject=x",
  "tel:+49-30-1",
  "http://assay.test/",
  "https://",
  "javascript:alert(1)//@x",
  "security@assay.test\nContact: mailto:other@assay.test",
  "security @assay.test",
  `${"a".repeat(500)}@assay.test`,
])("%j is none", (text) => {
  expect(parseContact(text)).toBeNull();
});
