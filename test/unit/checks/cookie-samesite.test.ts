/** Session cookies and CSRF tokens without a valid SameSite attribute. */
import check from "../../../checks/cookie-samesite.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLines, cutCookieLine, randomCookieLine } from "../../support/cookies.ts";

testCheck(check, {
  passed: [
    ["Lax", cookieLines("sid=<redacted>; SameSite=Lax")],
    ["Strict in any letter case", cookieLines("csrftoken=<redacted>; samesite=STRICT")],
    ["None is a valid value; another check judges it", cookieLines("sid=<redacted>; Secure; SameSite=None")],
    ["the last attribute counts", cookieLines("sid=<redacted>; SameSite=junk; SameSite=Lax")],
    ["a random value without a lifetime", cookieLines(randomCookieLine("box=<redacted>; SameSite=None; Secure"))],
  ],
  notApplicable: [
    ["no cookie", {}],
    ["preferences", cookieLines("theme=<redacted>")],
    ["a random value that lasts", cookieLines(randomCookieLine("box=<redacted>; Max-Age=86400"))],
  ],
  notChecked: [
    ["a cut line", cookieLines(cutCookieLine("sid=<redacted>; Path=/very-long"))],
    ["lines were dropped", { page: { setCookiesDropped: 1 } }],
  ],
  violated: {
    "security.cookie.missing-samesite": [
      ["a session", cookieLines("sid=<redacted>; Secure; HttpOnly"), { values: { names: "sid" } }],
      ["a CSRF token", cookieLines("XSRF-TOKEN=<redacted>")],
    ],
    "security.cookie.invalid-samesite": [
      ["an unknown value", cookieLines("sid=<redacted>; SameSite=Strickt"), { values: { names: "sid (SameSite=strickt)" } }],
      ["no value", cookieLines("sid=<redacted>; SameSite")],
      ["the last attribute counts", cookieLines("sid=<redacted>; SameSite=Lax; SameSite=junk")],
      [
        "beside a cookie without SameSite",
        cookieLines("sid=<redacted>; SameSite=Yes", "auth=<redacted>"),
        { also: ["security.cookie.missing-samesite"], values: { names: "sid (SameSite=yes)", total: 1 } },
      ],
    ],
    "security.cookie.random-value-without-samesite": [
      ["a random value without a lifetime", cookieLines(randomCookieLine("box=<redacted>; HttpOnly")), { values: { names: "box" } }],
      ["an unknown value", cookieLines(randomCookieLine("box=<redacted>; SameSite=Yes")), { values: { names: "box (SameSite=yes)" } }],
    ],
  },
});
