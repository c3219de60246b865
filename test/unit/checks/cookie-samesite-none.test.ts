/** Cross-site cookies that browsers may send over plain http. */
import check from "../../../checks/cookie-samesite-none.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLine, cookieLines, cutCookieLine } from "../../support/cookies.ts";

testCheck(check, {
  passed: [
    ["None and Secure", cookieLines("a=<redacted>; SameSite=None; Secure")],
    [
      "the last SameSite counts",
      cookieLines("a=<redacted>; SameSite=None; SameSite=Lax", "b=<redacted>; Secure; SameSite=none; Partitioned"),
    ],
  ],
  notApplicable: [
    ["no cookie", {}],
    [
      "cookies that browsers refuse without Secure",
      cookieLines("__Host-sid=<redacted>; SameSite=None", "__SECURE-a=<redacted>; SameSite=None"),
    ],
    ["no SameSite=None", cookieLines("a=<redacted>; SameSite=Lax", "b=<redacted>; Path=/SameSite=None")],
  ],
  notChecked: [
    ["a cut line", cookieLines(cutCookieLine("a=<redacted>; SameSite=None; Path=/very-long"))],
    ["lines were dropped", { page: { setCookiesDropped: 1 } }],
  ],
  violated: {
    "security.cookie.samesite-none-without-secure": [
      ["no Secure", cookieLines("prefs=<redacted>; SameSite=None"), { values: { names: "prefs" } }],
      [
        "on a page over http",
        { url: "http://site.example/", ...cookieLines(cookieLine("prefs=<redacted>; samesite=none", { overHttps: false })) },
      ],
    ],
    "security.cookie.session-samesite-none-without-secure": [
      ["a session", cookieLines("sid=<redacted>; SameSite=None; HttpOnly"), { values: { names: "sid" } }],
      ["a prefix that not every browser knows", cookieLines("__Http-sid=<redacted>; SameSite=None; HttpOnly")],
      [
        "a session and another",
        cookieLines("sid=<redacted>; SameSite=None", "prefs=<redacted>; SameSite=None"),
        { also: ["security.cookie.samesite-none-without-secure"], values: { names: "sid" } },
      ],
    ],
  },
});
