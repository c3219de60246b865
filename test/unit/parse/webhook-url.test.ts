/** URLs of webhooks: what is stored, and what is refused. */
import { expect, test } from "vitest";
import { parseWebhookUrl, webhookUrlCharsMax } from "../../../src/parse/webhook-url.ts";

const longest = `https://site.test/${"a".repeat(webhookUrlCharsMax - "https://site.test/".length)}`;

test.each([
  ["https://site.test/hook?key=1", "https://site.test/hook?key=1"],
  ["HTTPS://Site.test:443", "https://site.test/"],
  ["https://[::1]:8443/", "https://[::1]:8443/"],
  [longest, longest],
])("%s is stored as %s", (text, url) => expect(parseWebhookUrl(text, { allowHttp: false })).toBe(url));

test.each([
  "",
  "site.test",
  "http://site.test/",
  "ftp://site.test/",
  "https://user@site.test/",
  "https://user:secret@site.test/",
  "https://site.test/#part",
  "https://site.test/#",
  "https://site.test:0/",
  "https:///site.test/",
  "https://site.test/a b",
  "https://site.test/\r\nx: y",
  `${longest}a`,
  // Longer in ASCII.
  `https://site.test/${"\u00fc".repeat(webhookUrlCharsMax / 3)}`,
])("%s is refused", (text) => expect(parseWebhookUrl(text, { allowHttp: false })).toBeNull());

test("http needs the setting, which allows no other scheme", () => {
  expect(parseWebhookUrl("http://site.test/", { allowHttp: true })).toBe("http://site.test/");
  expect(parseWebhookUrl("ftp://site.test/", { allowHttp: true })).toBeNull();
});
