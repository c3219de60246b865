/** Senders of mails: an address, or a name and an address. Addresses of mail servers, with and without credentials. */
import { expect, test } from "vitest";
import { mailboxText, parseMailbox, parseSmtpUrl, smtpUrlText } from "../../../../src/parse/mail/smtp-settings.ts";

test.each([
  ["assay@site.test", { name: null, email: "assay@site.test" }, "assay@site.test"],
  ["<assay@site.test>", { name: null, email: "assay@site.test" }, "assay@site.test"],
  ["Assay <assay@site.test>", { name: "Assay", email: "assay@site.test" }, "Assay <assay@site.test>"],
  ['"Scans, daily"<assay@site.test>', { name: "Scans, daily", email: "assay@site.test" }, "Scans, daily <assay@site.test>"],
  ["Pr\u00fcfung <assay@site.test>", { name: "Pr\u00fcfung", email: "assay@site.test" }, "Pr\u00fcfung <assay@site.test>"],
])("%s", (text, mailbox, shown) => {
  expect(parseMailbox(text)).toEqual(mailbox);
  expect(mailboxText(mailbox)).toBe(shown);
});

test.each([
  "",
  "assay",
  "a@b@c",
  "Assay assay@site.test",
  "<assay@site.test",
  "assay@site.test, other@site.test",
  "Assay <assay@site.test> <other@site.test>",
  "Assay\r\nBcc: x@y.test <assay@site.test>",
  "A\u202eB <assay@site.test>",
  'A"B <assay@site.test>',
  `${"a".repeat(101)} <assay@site.test>`,
  `${"a".repeat(250)}@site.test`,
])("%j is refused", (text) => expect(parseMailbox(text)).toBeNull());

const plain = { scheme: "smtp", host: "mail.test", port: 587, user: null, password: null };

test.each([
  ["smtp://mail.test", plain, "smtp://mail.test:587"],
  ["SMTP://Mail.Test:25/", { ...plain, port: 25 }, "smtp://mail.test:25"],
  ["smtp://mail.test:80", { ...plain, port: 80 }, "smtp://mail.test:80"],
  ["smtps://mail.test", { ...plain, scheme: "smtps", port: 465 }, "smtps://mail.test:465"],
  ["smtp://[::1]:2525", { ...plain, host: "::1", port: 2525 }, "smtp://[::1]:2525"],
  ["smtp://user@mail.test", { ...plain, user: "user" }, "smtp://user@mail.test:587"],
  ["smtp://user:p%40ss%2F@mail.test", { ...plain, user: "user", password: "p@ss/" }, "smtp://user:***@mail.test:587"],
  ["smtp://a@b.test:x@mail.test", { ...plain, user: "a@b.test", password: "x" }, "smtp://a%40b.test:***@mail.test:587"],
])("%s", (text, parsed, shown) => {
  const url = parseSmtpUrl(text);
  expect(url).toEqual(parsed as typeof url);
  expect(url === null ? null : smtpUrlText(url)).toBe(shown);
});

test.each([
  "",
  "mail.test",
  "smtp://",
  "http://mail.test",
  "smtp://mail.test:0",
  "smtp://mail.test:65536",
  "smtp://mail.test/path",
  "smtp://mail.test?tls=off",
  "smtp://mail.test#a",
  "smtp://:secret@mail.test",
  "smtp://user:%zz@mail.test",
  "smtp://user:a%0d%0ab@mail.test",
  "smtp://user%00:a@mail.test",
  `smtp://${"a".repeat(1_000)}.test`,
])("%s is refused", (text) => expect(parseSmtpUrl(text)).toBeNull());
