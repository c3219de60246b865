/** Which cookies behind logins and forms leave it to the browser whether they go along. */
import check from "../../../checks/cookie-samesite.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLines, cutCookieLine } from "../../support/cookies.ts";

testCheck(check, {
  passed: [
    ["Lax", cookieLines("sid=<redacted>; SameSite=Lax")],
    ["Strict in any case", cookieLines("csrftoken=<redacted>; samesite=STRICT")],
    ["None is an answer, and another check's matter", cookieLines("sid=<redacted>; Secure; SameSite=None")],
    ["the last attribute counts", cookieLines("sid=<redacted>; SameSite=junk; SameSite=Lax")],
  ],
  notApplicable: [
    ["no cookie", {}],
    ["preferences", cookieLines("theme=<redacted>")],
  ],
  notChecked: [
    ["a cut line", cookieLines(cutCookieLine("sid=<redacted>; Path=/very-long"))],
    ["lines were dropped", { page: { setCookiesDropped: 1 } }],
  ],
  violated: {
    "security.cookie.missing-samesite": [
      ["a session", cookieLines("sid=<redacted>; Secure; HttpOnly"), { values: { names: "sid" } }],
      ["a token against forgery", cookieLines("XSRF-TOKEN=<redacted>")],
    ],
    "security.cookie.invalid-samesite": [
      ["a word that nobody knows", cookieLines("sid=<redacted>; SameSite=Strickt"), { values: { names: "sid (SameSite=strickt)" } }],
      ["no value", cookieLines("sid=<redacted>; SameSite")],
      ["the last attribute counts", cookieLines("sid=<redacted>; SameSite=Lax; SameSite=junk")],
      [
        "beside one without",
        cookieLines("sid=<redacted>; SameSite=Yes", "auth=<redacted>"),
        { also: ["security.cookie.missing-samesite"], values: { names: "sid (SameSite=yes)", total: 1 } },
      ],
    ],
  },
});
