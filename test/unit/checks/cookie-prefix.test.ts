/** Requirements of browsers for prefixed cookies. */
import check from "../../../checks/cookie-prefix.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLine, cookieLines, cutCookieLine } from "../../support/cookies.ts";

testCheck(check, {
  passed: [
    ["__Host-", cookieLines("__Host-sid=<redacted>; Secure; Path=/; HttpOnly")],
    ["__Secure-", cookieLines("__Secure-sid=<redacted>; Secure; Domain=site.example; Path=/app")],
    ["an empty domain counts as absent", cookieLines("__Host-sid=<redacted>; Secure; Path=/; Domain=")],
    ["__Http-", cookieLines("__Http-sid=<redacted>; Secure; HttpOnly; Domain=site.example; Path=/app")],
    ["__Host-Http-", cookieLines("__Host-Http-sid=<redacted>; Secure; HttpOnly; Path=/")],
    ["the last path counts", cookieLines("__Host-sid=<redacted>; Secure; Path=/app; Path=/")],
  ],
  notApplicable: [
    ["no cookie", {}],
    ["no prefix", cookieLines("sid=<redacted>", "Host-sid=<redacted>", "__HostSid=<redacted>")],
  ],
  notChecked: [
    ["a cut line", cookieLines(cutCookieLine("__Host-sid=<redacted>; Path=/"))],
    ["lines were dropped", { page: { setCookiesDropped: 1 } }],
  ],
  violated: {
    "security.cookie.prefix-without-secure": [
      ["__Http- without Secure and HttpOnly", cookieLines("__http-sid=<redacted>"), { values: { names: "__http-sid (HttpOnly)" } }],
      ["__Secure- without Secure", cookieLines("__Secure-sid=<redacted>; Path=/"), { values: { names: "__Secure-sid" } }],
      ["__Host- without Secure", cookieLines("__Host-sid=<redacted>; Path=/")],
      ["prefixes are case-insensitive", cookieLines("__SECURE-sid=<redacted>")],
      [
        "all faults of __Host-, reported once",
        cookieLines("__host-sid=<redacted>; Domain=.site.example; Path=/app"),
        { values: { names: "__host-sid (Domain=site.example, Path=/app)", total: 1 } },
      ],
      [
        "all faults of __Host-Http-, reported once",
        cookieLines("__Host-Http-sid=<redacted>; Domain=site.example"),
        { values: { names: "__Host-Http-sid (Domain=site.example, Path, HttpOnly)" } },
      ],
      [
        "beside another cookie with another fault",
        cookieLines("__Host-a=<redacted>; Path=/x", "__Host-b=<redacted>; Secure; Path=/x", "__Host-c=<redacted>; Secure; Path=/"),
        { also: ["security.cookie.host-prefix-without-root-path"], values: { names: "__Host-a (Path=/x)", total: 1 } },
      ],
    ],
    "security.cookie.prefix-over-http": [
      [
        "sent by a redirect over http",
        cookieLines(cookieLine("__Secure-sid=<redacted>; Secure", { overHttps: false })),
        { values: { names: "__Secure-sid" } },
      ],
      [
        "and with every other fault, reported once",
        cookieLines(cookieLine("__Host-sid=<redacted>; Domain=site.example", { overHttps: false })),
        { values: { names: "__Host-sid (Secure, Domain=site.example, Path)" } },
      ],
    ],
    "security.cookie.host-prefix-with-domain": [
      [
        "a domain",
        cookieLines("__Host-sid=<redacted>; Secure; Path=/; Domain=site.example"),
        { values: { names: "__Host-sid (Domain=site.example)" } },
      ],
      [
        "a domain and another path, reported once",
        cookieLines("__host-sid=<redacted>; Secure; Domain=.site.example; Path=/app"),
        { values: { names: "__host-sid (Domain=site.example, Path=/app)" } },
      ],
      [
        "a domain and no path",
        cookieLines("__Host-a=<redacted>; Secure; Domain=b.example"),
        { values: { names: "__Host-a (Domain=b.example, Path)" } },
      ],
    ],
    "security.cookie.host-prefix-without-root-path": [
      ["no path", cookieLines("__Host-sid=<redacted>; Secure"), { values: { names: "__Host-sid" } }],
      ["another path", cookieLines("__Host-sid=<redacted>; Secure; Path=/app")],
      ["__Host-Http- has the requirements of __Host-", cookieLines("__Host-Http-sid=<redacted>; Secure; HttpOnly")],
    ],
    "security.cookie.http-prefix-without-httponly": [
      ["__Http-", cookieLines("__Http-sid=<redacted>; Secure; Path=/app"), { values: { names: "__Http-sid" } }],
      ["__Host-Http- has the requirements of __Http-", cookieLines("__HOST-HTTP-sid=<redacted>; Secure; Path=/")],
    ],
  },
});
