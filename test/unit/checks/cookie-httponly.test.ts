/** Session cookies that scripts can read. */
import check from "../../../checks/cookie-httponly.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLines, cutCookieLine, randomCookieLine } from "../../support/cookies.ts";

const hash = "0123456789abcdef0123456789abcdef";

testCheck(check, {
  passed: [
    ["HttpOnly", cookieLines("PHPSESSID=<redacted>; Path=/; HttpOnly")],
    ["a random value without a lifetime", cookieLines(randomCookieLine("box=<redacted>; HttpOnly"))],
    ["in any letter case, beside an irrelevant cookie", cookieLines("sid=<redacted>; httponly", "theme=<redacted>")],
  ],
  notApplicable: [
    ["no cookie", {}],
    [
      "preferences",
      cookieLines("theme=<redacted>", "lang=<redacted>", "author=<redacted>", "assessment=<redacted>", "consent_id=<redacted>"),
    ],
    [
      "statistics",
      cookieLines("_ga=<redacted>", "_hjSession_1=<redacted>", "ai_session=<redacted>", "visitor_token=<redacted>", "_uetsid=<redacted>"),
    ],
    ["CSRF tokens, which scripts read", cookieLines("XSRF-TOKEN=<redacted>", "csrftoken=<redacted>")],
    [
      "random values that last",
      cookieLines(
        randomCookieLine("box=<redacted>; Max-Age=86400"),
        randomCookieLine("old=<redacted>; Expires=Tue, 01 Jan 2030 00:00:00 GMT"),
      ),
    ],
    ["a value with fewer than 64 random bits", cookieLines(randomCookieLine("box=<redacted>", 63))],
    [
      "random values of another purpose",
      cookieLines(
        ...["XSRF-TOKEN", "_ga", "AWSALB", "AWSALBCORS", "__cf_bm", "_cfuvid", "visitor_id", "consentId", "__Host-csrf"].map((name) =>
          randomCookieLine(`${name}=<redacted>`),
        ),
      ),
    ],
    ["a deleted session cookie", cookieLines("sid=<redacted>; Max-Age=0")],
  ],
  notChecked: [
    ["a cut line", cookieLines("sid=<redacted>; HttpOnly", cutCookieLine("session=<redacted>; Path=/very-long"))],
    ["lines were dropped", { page: { setCookiesDropped: 1 } }],
  ],
  violated: {
    "security.cookie.missing-httponly": [
      ["a session", cookieLines("PHPSESSID=<redacted>; Secure"), { values: { names: "PHPSESSID" } }],
      [
        "session names of many frameworks",
        cookieLines(
          ...[
            "JSESSIONID",
            "ASP.NET_SessionId",
            "ASPSESSIONIDQABC",
            "connect.sid",
            "laravel_session",
            "__Host-userSession",
            ".ASPXAUTH",
          ].map((name) => `${name}=<redacted>`),
        ),
        {
          values: {
            names: "JSESSIONID, ASP.NET_SessionId, ASPSESSIONIDQABC, connect.sid, laravel_session, __Host-userSession, .ASPXAUTH",
          },
        },
      ],
      [
        "logins and tokens",
        cookieLines(
          ...["wordpress_logged_in_ab12", "remember_web_59ba", "access_token", "token", "jwt", "authToken", "autologin"].map(
            (name) => `${name}=<redacted>`,
          ),
        ),
        { values: { names: "wordpress_logged_in_ab12, remember_web_59ba, access_token, token, jwt, authToken, autologin" } },
      ],
      ["the word in another attribute", cookieLines("sid=<redacted>; Path=/httponly")],
      [
        "names that software is known to use",
        cookieLines("fe_typo_user=<redacted>", `SSESS${hash}=<redacted>`, `${hash}=<redacted>`, "oc1a2b3c4d5e=<redacted>"),
        { values: { names: `fe_typo_user, SSESS${hash}, ${hash}, oc1a2b3c4d5e` } },
      ],
    ],
    "security.cookie.random-value-without-httponly": [
      [
        "a random value without a lifetime",
        cookieLines(randomCookieLine("box=<redacted>; Secure", 64)),
        { values: { names: "box", total: 1 } },
      ],
      ["a lifetime that browsers ignore", cookieLines(randomCookieLine("box=<redacted>; Max-Age=soon"))],
      [
        "beside a session by name, which is told once",
        cookieLines(randomCookieLine("sid=<redacted>"), randomCookieLine("box=<redacted>")),
        { also: ["security.cookie.missing-httponly"], values: { names: "box", total: 1 } },
      ],
    ],
  },
});
