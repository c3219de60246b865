/** Set-Cookie lines by the algorithms of RFC 6265bis, and hostile input. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cookiePrefixes, parseCookieDate, parseSetCookie, type SetCookie } from "../../../src/parse/set-cookie.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { unicodeText } from "../../support/unicode-text.ts";

const cookie = (given: Partial<SetCookie>): SetCookie => ({
  name: "a",
  secure: false,
  httpOnly: false,
  partitioned: false,
  sameSite: null,
  domain: null,
  path: null,
  maxAgeSeconds: null,
  expiresAtMs: null,
  ...given,
});

test.each<[string, string, Partial<SetCookie>]>([
  ["a bare cookie", "a=b", {}],
  ["flags in any letter case", "a=b; SECURE;httponly ; Partitioned", { secure: true, httpOnly: true, partitioned: true }],
  ["flags with a value are flags", "a=b; Secure=false; HttpOnly=0", { secure: true, httpOnly: true }],
  ["the word in the value is not a flag", "a=secure httponly", {}],
  ["the word in the name is not a flag", "secure=1", { name: "secure" }],
  ["the word in another attribute is not a flag", "a=b; Path=/secure; Comment=HttpOnly", { path: "/secure" }],
  ["quotes do not protect a semicolon", 'a="b; Secure"', {}],
  ["SameSite in any letter case", "a=b; samesite=LAX", { sameSite: "lax" }],
  ["an unknown SameSite", "a=b; SameSite=Strickt", { sameSite: "strickt" }],
  ["an empty SameSite", "a=b; SameSite", { sameSite: "" }],
  ["the last attribute counts", "a=b; SameSite=Strict; Path=/x; SameSite=None; Path=/", { sameSite: "none", path: "/" }],
  ["a domain", "a=b; Domain=.Example.COM", { domain: "example.com" }],
  ["an empty domain limits the cookie to its host", "a=b; Domain=", {}],
  ["only a dot as domain", "a=b; Domain=.", {}],
  ["a path without a slash", "a=b; Path=x", {}],
  ["a path that the last attribute removes", "a=b; Path=/; Path=x", {}],
  ["Max-Age", "a=b; Max-Age=60", { maxAgeSeconds: 60 }],
  ["a negative Max-Age", "a=b; Max-Age=-1", { maxAgeSeconds: -1 }],
  ["an invalid Max-Age", "a=b; Max-Age=1h", {}],
  ["an invalid Max-Age does not remove an earlier one", "a=b; Max-Age=60; Max-Age=; Max-Age=+5; Max-Age=1.5", { maxAgeSeconds: 60 }],
  ["the last Max-Age", "a=b; Max-Age=60; max-age=0", { maxAgeSeconds: 0 }],
  ["an invalid date does not remove an earlier one", "a=b; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Expires=never", { expiresAtMs: 1_000 }],
  ["an attribute of maximum length", `a=b; Path=/${"x".repeat(1_023)}; Secure`, { path: `/${"x".repeat(1_023)}`, secure: true }],
  ["an attribute that is too long", `a=b; Path=/; Path=/${"x".repeat(1_024)}; Secure=${"x".repeat(1_025)}`, { path: "/" }],
  ["name and value of maximum length", `a=${"x".repeat(4_095)}; Secure`, { secure: true }],
  ["a value without a name and without a prefix", "__Hos=t; Secure", { name: "__Hos", secure: true }],
  ["a prefix as the name", "__Host-=b", { name: "__Host-" }],
  ["Expires", "a=b; Expires=Thu, 01 Jan 1970 00:00:01 GMT", { expiresAtMs: 1_000 }],
  ["an equals sign in the value", "a=b=c; Secure", { secure: true }],
  ["no name", "=b; Secure", { name: "", secure: true }],
  ["no equals sign", "b; Secure", { name: "", secure: true }],
  ["no value", "a=", {}],
  ["blanks", " \ta = b ;  Secure ", { secure: true }],
])("%s", (_words, line, expected) => {
  expect(parseSetCookie(line)).toEqual(cookie(expected));
});

test.each([
  [""],
  ["; Secure"],
  ["="],
  [" = ;Secure"],
  ["a=b\0; Secure"],
  ["a=b\n"],
  ["a\x7f=b"],
  ["a=b; Path=/\r"],
  [`a=${"x".repeat(4_096)}`],
  [`${"x".repeat(4_097)}`],
  ["__Host-sid"],
  ["=__secure-sid=1; Secure"],
  [" __HTTP-sid"],
  ["a=b; Domain=b\u00fccher.example"],
])("a browser ignores %j", (line) => {
  expect(parseSetCookie(line)).toBeNull();
});

test.each([
  ["sid", []],
  ["__Secure-sid", ["__secure-"]],
  ["__SECURE-sid", ["__secure-"]],
  ["__Host-sid", ["__host-"]],
  ["__http-sid", ["__http-"]],
  ["__Host-Http-sid", ["__host-", "__http-"]],
  ["__Host-Httpd", ["__host-"]],
  ["_Host-sid", []],
  [" __Host-sid", []],
  ["__Host", []],
])("the name %s has the prefixes %j", (name, expected) => {
  expect(cookiePrefixes(name)).toEqual(expected as never);
});

test("a tab does not invalidate a line", () => {
  expect(parseSetCookie("a=b\tc")).not.toBeNull();
});

test.each<[string, string | null]>([
  ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"],
  ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"],
  ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37.000Z"],
  ["08:49:37 6 november 2026", "2026-11-06T08:49:37.000Z"],
  ["1-Jan-00 0:0:0", "2000-01-01T00:00:00.000Z"],
  ["29 Feb 2028 00:00:00", "2028-02-29T00:00:00.000Z"],
  ["29 Feb 2027 00:00:00", null],
  ["31 Apr 2027 00:00:00", null],
  ["00 Jan 2027 00:00:00", null],
  ["06 Nov 1600 08:49:37", null],
  ["06 Nov 1994 24:00:00", null],
  ["06 Nov 1994 08:60:00", null],
  ["06 Nov 1994", null],
  ["08:49:37", null],
  ["0", null],
  ["Session", null],
  ["", null],
])("the date %j is %j", (text, expected) => {
  expect(parseCookieDate(text)).toBe(expected === null ? null : Date.parse(expected));
});

describe("hostile input", () => {
  test("never throws, and a name is never longer than its line", () => {
    const pieces = fc.constantFrom(
      "a",
      "=",
      ";",
      " ",
      "\t",
      "Secure",
      "SameSite=",
      "Expires=",
      "Max-Age=9",
      "1 Jan",
      "00:00:00",
      "\0",
      "\u00e4",
    );
    const lines = fc.oneof(
      unicodeText(),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(lines, (line) => {
        expect(parseSetCookie(line)?.name.length ?? 0).toBeLessThanOrEqual(line.length);
        parseCookieDate(line);
      }),
    );
  });

  test("every instant from 1970 to 2069 survives formatting and parsing", () => {
    const seconds = fc.integer({ min: 0, max: Date.parse("2070-01-01T00:00:00Z") / 1_000 - 1 });
    fc.assert(
      fc.property(seconds, (at) => {
        expect(parseCookieDate(new Date(at * 1_000).toUTCString())).toBe(at * 1_000);
      }),
    );
  });

  test.each(["a", " ", ";", "=", "a;", "a=b;", "Secure;", "1", "1 ", ":", "1:", "jan ", ";Domain=.", "00:00:00 "])(
    "64 KiB of %j in linear time",
    (piece) => {
      const fromMs = cpuMs();
      const text = piece.repeat(65_536 / piece.length);
      for (const head of ["", "a=b;", "a=b; Expires="]) parseSetCookie(`${head}${text}`);
      parseCookieDate(text);
      // A quadratic algorithm would take minutes.
      expect(cpuMs() - fromMs).toBeLessThan(3_000);
    },
  );
});
