/** Cookies that a scan counts as set, and their classification by name. */
import { describe, expect, test } from "vitest";
import {
  foundInCookies,
  hasSessionValue,
  isAntiForgeryName,
  isSessionName,
  otherCookieNames,
  type SeenCookies,
  seenCookies,
  sessionCookieNames,
} from "../../../src/check/cookies.ts";
import type { SetCookieLine } from "../../../src/evidence/page-facts.ts";
import { cookieLine, cookieLines, cutCookieLine } from "../../support/cookies.ts";
import { evidence } from "../../support/evidence.ts";

function seen(...lines: readonly (string | SetCookieLine)[]): SeenCookies {
  const { subject, page } = evidence({ scannedAt: "2026-11-21T12:00:00.000Z", ...cookieLines(...lines) });
  if (page.status === "failed") throw new Error("the page was given");
  return seenCookies(subject, page.facts);
}

describe("collected cookies", () => {
  test("record whether they came over https", () => {
    const { cookies, complete } = seen("a=<redacted>; Secure", cookieLine("b=<redacted>", { overHttps: false }));
    expect(cookies.map(({ name, secure, overHttps }) => [name, secure, overHttps])).toEqual([
      ["a", true, true],
      ["b", false, false],
    ]);
    expect(complete).toBe(true);
  });

  test("a cut line is skipped, and marks the list incomplete", () => {
    expect(seen("a=<redacted>", cutCookieLine("b=<redacted>; Path=/"))).toMatchObject({ cookies: [{ name: "a" }], complete: false });
  });

  test.each([
    ["a=<redacted>; Max-Age=0"],
    ["a=<redacted>; Max-Age=-1; Expires=Sun, 21 Nov 2027 12:00:00 GMT"],
    ["a=<redacted>; Expires=Sat, 21 Nov 2026 12:00:00 GMT"],
    ["a=<redacted>; Expires=Thu, 01-Jan-1970 00:00:10 GMT"],
    ["; Path=/"],
  ])("%s sets nothing", (line) => {
    expect(seen(line).cookies).toEqual([]);
  });

  test.each([
    ["a=<redacted>; Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
    ["a=<redacted>; Expires=Sat, 21 Nov 2026 12:00:01 GMT"],
    ["a=<redacted>; Expires=0"],
  ])("%s sets a cookie", (line) => {
    expect(seen(line).cookies).toHaveLength(1);
  });
});

test("a finding names each cookie once, without values", () => {
  const { cookies } = seen("a=secret1", "b=secret2", "a=secret3", "secret4");
  expect(foundInCookies("security.cookie.missing-secure", cookies)).toEqual([
    { code: "security.cookie.missing-secure", values: { names: 'a, b, ""', total: 3 } },
  ]);
  expect(foundInCookies("security.cookie.missing-secure", [])).toEqual([]);
});

test("a finding quotes ten names, counts all, and adds the requested attribute", () => {
  const { cookies } = seen(...Array.from({ length: 11 }, (_, at) => `c${at}=secret; Path=/p${at}`));
  expect(foundInCookies("security.cookie.missing-secure", cookies)).toMatchObject([
    { values: { names: "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, ...", total: 11 } },
  ]);
  expect(foundInCookies("security.cookie.missing-secure", cookies.slice(0, 1), ({ path }) => path)).toMatchObject([
    { values: { names: "c0 (/p0)", total: 1 } },
  ]);
});

const hash = "0123456789abcdef0123456789abcdef";

test.each([...sessionCookieNames, ...otherCookieNames].map(([, software, source]) => ({ software, source })))(
  "the names of $software have a source",
  ({ source }) => {
    expect(source).toMatch(/\w{4,}/);
  },
);

describe("a random value", () => {
  const [name, bits, lifetime] = ["box", 64, ""];
  test.each([
    ["without a lifetime is a session", { name, bits, lifetime }, true],
    ["is one with HttpOnly too", { name, bits, lifetime: "; HttpOnly" }, true],
    ["of too few bits is not", { name, bits: 63, lifetime }, false],
    ["that lasts is not", { name, bits, lifetime: "; Max-Age=60" }, false],
    ["that lasts until a date is not", { name, bits, lifetime: "; Expires=Sun, 21 Nov 2027 12:00:00 GMT" }, false],
    ["of a session by name is told by its name", { name: "sid", bits, lifetime }, false],
    ["of a load balancer is not", { name: "AWSALB", bits, lifetime }, false],
    ["of a visitor is not", { name: "visitorId", bits, lifetime }, false],
    ["of a CSRF token is not", { name: "XSRF-TOKEN", bits, lifetime }, false],
    ["of statistics is not", { name: "_ga", bits, lifetime }, false],
  ])("%s", (_words, given, expected) => {
    const { cookies } = seen(cookieLine(`${given.name}=<redacted>${given.lifetime}`, { valueRandomBits: given.bits }));
    expect(cookies.map(hasSessionValue)).toEqual([expected]);
  });

  test("is unknown in evidence of older versions", () => {
    expect(seen("box=<redacted>").cookies.map(hasSessionValue)).toEqual([false]);
  });
});

test.each(
  [
    ["PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "ASPSESSIONIDCQTQBRTA", "connect.sid", "SID", "__Secure-sid", "laravel_session"],
    ["_myapp_session", "sessionid", "session-id", "userSession", "sess", "wordpress_logged_in_0a1b", "autologin", "login_token"],
    [".ASPXAUTH", ".AspNetCore.Identity.Application", "oauth", "auth", "authToken", "x-authorization", "jwt", "sso"],
    ["token", "access_token", "__Host-refreshToken", "id_token", "api-token", "remember_web_59ba36", "remember_user_token"],
    ["fe_typo_user", "be_typo_user", "session-1", "sw-context-token", `SESS${hash}`, `SSESS${hash}`, hash, "oc7x2k9q1m4z", "nc_token"],
    ["frontend", "adminhtml", "CAKEPHP", "DokuWiki", `DW${hash}`, "phpMyAdmin", "phpMyAdmin_https", "pmaAuth-1", "pmaUser-1_https"],
    ["cpsession", "whostmgrsession", "webmailsession", "SimpleSAML", "SimpleSAMLSessionID", "SimpleSAMLAuthToken", "mellon-cookie"],
    [
      `_shibsession_${hash}`,
      "_idp_session",
      "shib_idp_session",
      "MoodleSession",
      "MoodleSessionlearn",
      "session_id",
      "__ac",
      "__Secure-__ac",
    ],
    ["KEYCLOAK_SESSION", "KEYCLOAK_IDENTITY", "AUTH_SESSION_ID", "KC_RESTART", "shop_front_session", `wordpress_sec_${hash}`, "REMEMBERME"],
    ["_oauth2_proxy", "_oauth2_proxy_1"],
  ].flat(),
)("%s is a session cookie", (name) => {
  expect(isSessionName(name)).toBe(true);
});

test.each(
  [
    ["theme", "lang", "consent", "author", "authors", "assessment", "obsession", "side", "resident", "tokenizer"],
    ["visitor_token", "device_token", "_ga", "_gid", "_hjSessionUser_1", "ai_session", "_uetsid", "__utma", "_pk_ses.1.1fff", ""],
    ["AWSALB", "AWSALBCORS", "__cf_bm", "_cfuvid", "ARRAffinity", "BIGipServerpool_http", "incap_ses_1_2", "datadome", "mage-cache-sessid"],
    ["ApplicationGatewayAffinity", "TS01a2b3c4", "f5avraaaaaaaaaaaaaaaa_session_", "NSC_portal", "INGRESSCOOKIE", "_1d52e", "dtCookie"],
    ["frontends", "administration", "oct", "cpsessions", "0123456789abcdef", "october_sale_2026", "grafana_session_expiry", "form_key"],
    ["XSRF-TOKEN", "csrftoken", "_csrf", "__RequestVerificationToken", ".AspNetCore.Antiforgery.x"],
  ].flat(),
)("%s is not a session cookie", (name) => {
  expect(isSessionName(name)).toBe(false);
});

test.each([
  ["XSRF-TOKEN", true],
  ["csrftoken", true],
  ["__RequestVerificationToken", true],
  [".AspNetCore.Antiforgery.VyLW6ORzMgk", true],
  ["PHPSESSID", false],
])("%s is a CSRF token: %s", (name, expected) => {
  expect(isAntiForgeryName(name)).toBe(expected);
});
