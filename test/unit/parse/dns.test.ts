/** Exact length limits of RFC 1035 section 2.3.4. Grammar of RFC 8659 section 4, with later parameters and tags. */
import { expect, test } from "vitest";
import { type CaaDefect, fitsDns, parseCaaProperty } from "../../../src/parse/dns.ts";

const label = (chars: number) => "a".repeat(chars);

test.each([
  ["a", true],
  ["_dmarc.site.example", true],
  [label(63), true],
  [label(64), false],
  [[label(63), label(63), label(63), label(61)].join("."), true],
  [[label(63), label(63), label(63), label(62)].join("."), false],
  ["", false],
  ["site.example.", false],
  [".example", false],
  ["site..example", false],
])("%s", (name, fits) => {
  expect(fitsDns(name)).toBe(fits);
});

test.each<[string, string, CaaDefect | null]>([
  ["issue", "ca1.example.net", null],
  ["issue", "ca1.example.net; account=230123", null],
  ["issue", ";", null],
  ["issue", "", null],
  ["issue", " \t", null],
  ["issue", "; a=1", null],
  ["issue", "ca.example;", null],
  ["issue", "ca.example; a=1 ; b = 2", null],
  ["issue", "ca.example; accounturi=https://ca.example/acct/1; validationmethods=http-01,ca-foo", null],
  ["issue", "ca--x.example", null],
  ["Issue", "localca", null],
  ["issuemail", "ca.example", null],
  ["issuewild", "%%%%%", "issuer"],
  ["issue", "ca.example.", "issuer"],
  ["issue", "-ca.example", "issuer"],
  ["issue", "ca_x.example", "issuer"],
  ["issue", "c\u00e4.example", "issuer"],
  ["issue", "ca.example a=1", "issuer"],
  ["issue", "ca.example; a", "parameter"],
  ["issue", "ca.example; =1", "parameter"],
  ["issue", "ca.example; a=1 b=2", "parameter"],
  ["issue", "ca.example; a_b=1", "parameter"],
  ["issue", "ca.example;;", "parameter"],
  ["issue", "ca.example; a=1;", "parameter"],
  ["iodef", "mailto:security@example.com", null],
  ["iodef", "https://iodef.example.com/", null],
  ["iodef", "http://iodef.example.com", null],
  ["iodef", "security@example.com", "url"],
  ["iodef", "mailto:security", "url"],
  ["iodef", "https://", "url"],
  ["iodef", "tel:+1", "url"],
  ["tbs", "whatever", null],
  ["tb-s", "whatever", "tag"],
  ["", "whatever", "tag"],
])("%s %j: %s", (tag, value, defect) => {
  expect(parseCaaProperty(tag, value).defect).toBe(defect);
});

test("known tags", () => {
  const isKnown = (tag: string) => parseCaaProperty(tag, "").known;
  expect(["issue", "ISSUEWILD", "iodef", "issuemail", "issuevmc", "contactemail", "contactphone"].every(isKnown)).toBe(true);
  expect(["tbs", "", "issues", "constructor"].some(isKnown)).toBe(false);
});
