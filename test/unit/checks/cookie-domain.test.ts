/** Domains of cookies: those that browsers refuse, and those that other owners share. */
import check from "../../../checks/cookie-domain.ts";
import { testCheck } from "../../support/check-tester.ts";
import { cookieLine, cookieLines, cutCookieLine } from "../../support/cookies.ts";

const from = (host: string, ...lines: readonly string[]) => cookieLines(...lines.map((line) => cookieLine(line, { host })));

testCheck(check, {
  passed: [
    ["the host itself", cookieLines("sid=<redacted>; Domain=site.example")],
    ["with a leading dot, in capitals", cookieLines("sid=<redacted>; Domain=.SITE.example")],
    ["the domain above the host", from("www.shop.co.uk", "sid=<redacted>; Domain=shop.co.uk")],
    ["the name of a tenant", from("www.acme.github.io", "sid=<redacted>; Domain=acme.github.io")],
    ["a public suffix that sets it for itself", from("github.io", "sid=<redacted>; Domain=github.io")],
    ["a local name", from("intranet", "sid=<redacted>; Domain=intranet")],
    ["an address", from("192.0.2.1", "sid=<redacted>; Domain=192.0.2.1")],
    ["an exception of a wildcard suffix", from("www.city.kawasaki.jp", "sid=<redacted>; Domain=city.kawasaki.jp")],
    ["one tenant of a shared domain that the list lacks", from("acme.b-cdn.net", "sid=<redacted>; Domain=acme.b-cdn.net")],
    ["the domain of an operator that also serves anyone's files", from("www.jsdelivr.net", "sid=<redacted>; Domain=jsdelivr.net")],
  ],
  notApplicable: [
    ["no cookie", {}],
    ["no Domain", cookieLines("sid=<redacted>; Path=/", "a=<redacted>; Domain=")],
    ["a prefix that forbids Domain", cookieLines("__Host-sid=<redacted>; Domain=other.example")],
    ["a deleted cookie", cookieLines("sid=<redacted>; Domain=other.example; Max-Age=0")],
  ],
  notChecked: [
    ["a cut line", cookieLines(cutCookieLine("sid=<redacted>; Path=/very-long"))],
    ["lines were dropped", { page: { setCookiesDropped: 1 } }],
  ],
  violated: {
    "security.cookie.domain-refused": [
      [
        "a private public suffix",
        from("acme.github.io", "sid=<redacted>; Domain=github.io"),
        { values: { names: "sid (Domain=github.io)", total: 1 } },
      ],
      ["a registry suffix", from("shop.co.uk", "sid=<redacted>; Domain=co.uk")],
      ["a wildcard suffix", from("shop.city2.kawasaki.jp", "a=<redacted>; Domain=kawasaki.jp")],
      ["a suffix of no list", from("shop.intranet", "a=<redacted>; Domain=intranet")],
      ["another host", cookieLines("a=<redacted>; Domain=other.example")],
      ["a name below the host", cookieLines("a=<redacted>; Domain=www.site.example")],
      ["a name that only ends alike", from("my-site.example", "a=<redacted>; Domain=site.example")],
      ["a part of an address", from("192.0.2.1", "a=<redacted>; Domain=0.2.1")],
      ["a URL", cookieLines("a=<redacted>; Domain=https://site.example")],
      ["beside a sound one", cookieLines("a=<redacted>; Domain=site.example", "b=<redacted>; Domain=example"), { values: { total: 1 } }],
    ],
    "security.cookie.session-shared-with-tenants": [
      [
        "a shared domain that the list lacks",
        from("acme.b-cdn.net", "sid=<redacted>; Domain=b-cdn.net"),
        { values: { names: "sid (Domain=b-cdn.net)" } },
      ],
      ["a domain above a shared one", from("acme.cloudapp.azure.com", "JSESSIONID=<redacted>; Domain=azure.com")],
      [
        "beside a setting",
        from("acme.b-cdn.net", "sid=<redacted>; Domain=b-cdn.net", "look=<redacted>; Domain=b-cdn.net"),
        { also: ["security.cookie.shared-with-tenants"] },
      ],
    ],
    "security.cookie.shared-with-tenants": [
      ["a setting", from("acme.b-cdn.net", "look=<redacted>; Domain=.b-cdn.net"), { values: { names: "look (Domain=b-cdn.net)" } }],
      ["of a prefix that allows Domain", from("acme.cloudapp.azure.com", "__Secure-look=<redacted>; Secure; Domain=cloudapp.azure.com")],
    ],
  },
});
