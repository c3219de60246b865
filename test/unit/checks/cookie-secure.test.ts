/** Cookies of an https site that browsers may send over plain http. */
import check from "../../../checks/cookie-secure.ts";
import type { SetCookieLine } from "../../../src/evidence/page-facts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLine, cookieLines, cutCookieLine, randomCookieLine } from "../../support/cookies.ts";
import type { EvidenceGiven } from "../../support/evidence.ts";

const hsts = "max-age=31536000; includeSubDomains";

/** Cookies of a page with that HSTS policy. */
function guarded(line: string, policy = hsts, ...more: readonly string[]): EvidenceGiven {
  return { ...cookieLines(line, ...more), headers: { "strict-transport-security": policy } };
}

function guardedAt(url: string, line: string | SetCookieLine): EvidenceGiven {
  const host = new URL(url).hostname;
  return {
    url,
    ...cookieLines(typeof line === "string" ? cookieLine(line, { host }) : line),
    headers: { "strict-transport-security": hsts },
  };
}

testCheck(check, {
  passed: [
    ["Secure", cookieLines("a=<redacted>; Secure")],
    ["Secure in any letter case and position", cookieLines("a=<redacted>; path=/; SECURE ;HttpOnly")],
    ["several cookies, all Secure", cookieLines("a=<redacted>; Secure", "b=<redacted>; Secure; Partitioned")],
    [
      "a line that deletes an old cookie",
      cookieLines("a=<redacted>; Secure", "old=<redacted>; Max-Age=0", "older=<redacted>; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
    ],
    ["a cookie from an http redirect is not judged", cookieLines("a=<redacted>; Secure", cookieLine("b=<redacted>", { overHttps: false }))],
  ],
  notApplicable: [
    [
      "cookies that browsers refuse without Secure",
      cookieLines("__Host-sid=<redacted>; Path=/", "__secure-a=<redacted>", "__Host-Http-b=<redacted>"),
    ],
    ["no cookie", {}],
    ["a page over http", { url: "http://site.example/", ...cookieLines(cookieLine("a=<redacted>", { overHttps: false })) }],
    ["only lines that delete cookies", cookieLines("a=<redacted>; Max-Age=-1")],
    ["a line that browsers ignore", cookieLines("; Path=/")],
  ],
  notChecked: [
    ["a cut line beside a refused cookie", cookieLines("__Host-a=<redacted>", cutCookieLine("b=<redacted>; Path=/very-long"))],
    ["a cut line", cookieLines("a=<redacted>; Secure", cutCookieLine("b=<redacted>; Path=/very-long"))],
    ["lines were dropped", { page: { setCookiesDropped: 2 } }],
  ],
  violated: {
    "security.cookie.missing-secure": [
      ["no Secure", cookieLines("a=<redacted>; Path=/; HttpOnly"), { values: { names: "a" } }],
      ["a prefix that not every browser knows", cookieLines("__Http-a=<redacted>; HttpOnly"), { values: { names: "__Http-a" } }],
      ["beside a cookie that browsers refuse", cookieLines("a=<redacted>", "__Host-b=<redacted>"), { values: { names: "a", total: 1 } }],
      [
        "names that only resemble a prefix",
        cookieLines("Host-a=<redacted>", "__Hostb=<redacted>"),
        { values: { names: "Host-a, __Hostb" } },
      ],
      ["the word in another attribute", cookieLines("a=<redacted>; Path=/secure")],
      ["the word in the name", cookieLines("secure=<redacted>")],
      ["the word in the value", cookieLines("a=secure")],
      [
        "several cookies, each named once",
        cookieLines("a=<redacted>", "b=<redacted>; Secure", "c=<redacted>", "a=<redacted>"),
        { values: { names: "a, c" } },
      ],
      ["a cookie without a name", cookieLines("<redacted>"), { values: { names: '""' } }],
      ["beside a cut line", cookieLines("a=<redacted>", cutCookieLine("b=<redacted>; Path=/very-long")), { values: { names: "a" } }],
      ["Max-Age takes precedence over Expires", cookieLines("a=<redacted>; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT")],
      ["a session cookie under HSTS with subdomains", guarded("sid=<redacted>"), { values: { names: "sid" } }],
      ["a CSRF token under HSTS with subdomains", guarded("XSRF-TOKEN=<redacted>")],
      [
        "a random value without a lifetime under HSTS with subdomains",
        { ...guarded(""), ...cookieLines(randomCookieLine("box=<redacted>")) },
        { values: { names: "box" } },
      ],
      ["a cookie of the parent domain", guardedAt("https://www.site.example/", "theme=<redacted>; Domain=site.example")],
      ["HSTS without subdomains", guarded("theme=<redacted>", "max-age=31536000")],
      ["HSTS for a day", guarded("theme=<redacted>", "max-age=86400; includeSubDomains")],
      ["HSTS that browsers ignore", guarded("theme=<redacted>", "max-age=x; includeSubDomains")],
      ["HSTS with a certificate that browsers refuse", { ...guarded("theme=<redacted>"), tls: { trusted: false } }],
      [
        "a session and a setting",
        guarded("sid=<redacted>", hsts, "theme=<redacted>"),
        { values: { names: "sid" }, also: ["security.cookie.missing-secure-under-hsts"] },
      ],
      ["not yet expired", cookieLines("a=<redacted>; Expires=Sun, 22 Nov 2026 00:00:00 GMT")],
    ],
    "security.cookie.missing-secure-under-hsts": [
      ["a setting", guarded("theme=<redacted>; Path=/"), { values: { names: "theme", total: 1 } }],
      ["a setting for all subdomains", guarded("theme=<redacted>; Domain=site.example")],
      ["a name below", guardedAt("https://site.example/", cookieLine("theme=<redacted>", { host: "cdn.site.example" }))],
    ],
  },
});
