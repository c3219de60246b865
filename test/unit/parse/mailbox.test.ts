/** Senders of mails: an address, or a name and an address. */
import { expect, test } from "vitest";
import { mailboxText, parseMailbox } from "../../../src/parse/mailbox.ts";

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
