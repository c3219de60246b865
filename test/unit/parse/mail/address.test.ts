/** Mail addresses: the form that accounts, channels and settings accept. */
import { expect, test } from "vitest";
import { emailCharsMax, isEmail } from "../../../../src/parse/mail/address.ts";

test.each([
  ...[
    "a@example.org",
    "a+b@mail.example.org",
    "o'neil@xn--bcher-kva.example",
    "a@b\u00fccher.example",
    "root@localhost",
    "a@my_host.example",
  ],
  ...["a@[192.0.2.1]", "a@[IPv6:2001:db8::1]", "a@1.example", "me@a-b.example"],
])("%s is one", (address) => {
  expect(isEmail(address)).toBe(true);
});

test.each([
  ...["", "a", "@example.org", "a@", "a b@example.org", "a@b@c", "a@example..net", "a@.example.net", "a@example.net.", "a@-example.net"],
  ...["a@example-.net", "a@exa mple.net", "a@exa%mple.net", "a@[]", "a@[x]", `a@${"b".repeat(64)}.example`, "a@example.net\u200b"],
  `a@${"b.".repeat(emailCharsMax / 2)}example`,
])("%j is none", (address) => {
  expect(isEmail(address)).toBe(false);
});
