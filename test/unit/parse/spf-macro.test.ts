/** Examples of RFC 7208 section 7.4 that do not depend on a mail, and edge cases of the grammar. */
import { describe, expect, test } from "vitest";
import { expandSpfDomain, isSpfMacroString, spfDomainDefect } from "../../../src/parse/spf-macro.ts";

const scope = { domain: "email.example.com", senderDomain: "mail-out.sender.example.com" };

describe("names that do not depend on a mail", () => {
  test.each([
    ["%{d}", "email.example.com"],
    ["%{d4}", "email.example.com"],
    ["%{d3}", "email.example.com"],
    ["%{d2}", "example.com"],
    ["%{d1}", "com"],
    ["%{dr}", "com.example.email"],
    ["%{d2r}", "example.email"],
    ["%{D}", "email.example.com"],
    ["%{o}", "mail-out.sender.example.com"],
    ["%{o2}", "example.com"],
    ["%{o1-}", "out.sender.example.com"],
    ["%{or-}", "out.sender.example.com.mail"],
    ["%{o2.-}", "example.com"],
    ["_spf.%{d2}.", "_spf.example.com"],
    ["%{d}._spf.%{o}", "email.example.com._spf.mail-out.sender.example.com"],
    ["MAIL.Example.ORG.", "mail.example.org"],
    ["a%%b.example.org", "a%b.example.org"],
    ["a%_b.example.org", "a b.example.org"],
    ["a%-b.example.org", "a%20b.example.org"],
    ["%{d999}.org", "email.example.com.org"],
  ])("%p is %p", (text, name) => {
    expect(expandSpfDomain(text, scope)).toBe(name);
  });
});

describe("names that depend on a mail", () => {
  test.each(["%{s}", "%{l}.x.org", "%{i}", "%{ir}.%{v}._spf.%{d2}", "%{p}", "%{h}", "x.%{lr-}", "%{S}"])("%p", (text) => {
    expect(expandSpfDomain(text, scope)).toBeNull();
    expect(spfDomainDefect(text)).toBeNull();
  });
});

describe("lengths (section 7.3)", () => {
  const long = Array.from({ length: 30 }, (_, at) => `label-${at}`.padEnd(9, "x")).join(".");
  test("labels are dropped from the left until the name fits", () => {
    const name = expandSpfDomain("%{d}.example.org", { ...scope, domain: long }) ?? "";
    expect(name.length).toBeLessThanOrEqual(253);
    expect(name.length).toBeGreaterThan(253 - 11);
    expect(`${long}.example.org`.endsWith(`.${name}`)).toBe(true);
  });
  test("null for names that DNS cannot query", () => {
    expect(expandSpfDomain(`${"x".repeat(40)}%{d}.org`, { ...scope, domain: "y".repeat(40) })).toBeNull();
    expect(expandSpfDomain("a..%{d}", scope)).toBeNull();
    expect(expandSpfDomain("%{d}", { ...scope, domain: "" })).toBeNull();
  });
});

describe("invalid macro-strings", () => {
  test.each([
    "%",
    "a%",
    "%a",
    "%{",
    "%{d",
    "%{}",
    "%{d0}",
    "%{d00}",
    "%{0d}",
    "%{rd}",
    "%{dr2}",
    "%{d!}",
    "%{d1234}",
    "%{c}",
    "%{r}",
    "%{t}",
    "a b",
    "a\tb",
    "\u00fc",
    "\u0000",
  ])("%p", (text) => {
    expect(isSpfMacroString(text)).toBe(false);
    expect(spfDomainDefect(text)).not.toBeNull();
    expect(expandSpfDomain(text, scope)).toBeNull();
  });
});

test.each(["", "%%", "%_%-", "%{d}", "%{L2r+-.,/_=}", "plain", "!#$&'()*+,-./:;<=>?@[]^_`{|}~"])("%p is a macro-string", (text) => {
  expect(isSpfMacroString(text)).toBe(true);
});

test("a domain may end in any macro, percent signs included", () => {
  expect(["%{d}", "x.%{d}", "x.org%%", "%_", "%%"].map(spfDomainDefect)).toEqual([null, null, null, null, null]);
  expect(["", "%{d}x", "%%-", "x%_org", "%{d}."].map(spfDomainDefect)).toEqual(Array(5).fill("bad-domain"));
});

test("delimiters are literal characters, not a regular expression", () => {
  expect(expandSpfDomain("%{d=/}", { ...scope, domain: "a.b=c/d" })).toBe("a.b.c.d");
  expect(expandSpfDomain("%{d+-_}", { ...scope, domain: "a+b-c_d,e.f" })).toBe("a.b.c.d,e.f");
});
