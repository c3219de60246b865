/** Session cookies that scripts can read. */
import check from "../../../checks/cookie-httponly.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLines, cutCookieLine } from "../../support/cookies.ts";

testCheck(check, {
  passed: [
    ["HttpOnly", cookieLines("PHPSESSID=<redacted>; Path=/; HttpOnly")],
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
    ],
  },
});
