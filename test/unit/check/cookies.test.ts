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
    ["_oauth2_proxy", "_oauth2_proxy_1", "asid", "fossil-1c7c148c3cce86ef"],
    [
      "koa.sess",
      "koa.sess.sig",
      "ci_session",
      "beaker.session.id",
      "rack.session",
      "OCSESSID",
      "connect.sess",
      "sails.sid",
      "PLAY_SESSION",
    ],
    [".AspNetCore.Session", ".AspNetCore.Cookies", ".AspNetCore.CookiesC1", ".AspNet.ApplicationCookie", ".AspNet.Cookies", ".DOTNETNUKE"],
    [`PrestaShop-${hash}`, "osCsid", "zenid", "XTCsid", "dwsid", `dwsecuretoken_${hash}`, "acceleratorSecureGUID", "secure_customer_sig"],
    [
      "phpbb3_abc12_sid",
      "phpbb3_abc12_k",
      "bb_sessionhash",
      "bbsessionhash",
      "bb_password",
      "xf_session",
      "xf_user",
      "mybbuser",
      "adminsid",
    ],
    ["SMFCookie11", "wcf21_cookieHash", "wsc_1_user_session", "ips4_IPSSessionFront", "ips4_login_key", "_t", "_forum_session", "Horde"],
    [
      "next-auth.session-token",
      "__Secure-next-auth.session-token",
      "authjs.session-token",
      "better-auth.session_token",
      "auth0",
      "appSession",
    ],
    [
      "sb-abc-auth-token",
      "sb-abc-auth-token.0",
      "sb-access-token",
      "__session",
      "__client",
      "directus_refresh_token",
      "immich_access_token",
    ],
    [
      "AWSELBAuthSessionCookie-0",
      "CF_Authorization",
      "authelia_session",
      "authentik_session",
      "VouchCookie",
      "_pomerium",
      "ory_kratos_session",
    ],
    [
      "CFID",
      "CFTOKEN",
      "cftoken",
      "CFAUTHORIZATION_shop",
      "ORA_WWV_APP_100",
      "wire",
      "wires",
      "CONCRETE",
      "BITRIX_SM_UIDH",
      "UMB_UCONTEXT",
    ],
    ["MRHSession", "LastMRH_Session", "NSC_AAAC", "NSC_TMAS", "NSC_TMAA", "webvpn", "SVPNCOOKIE", "SVPNNETWORKCOOKIE", "DSID"],
    [
      "grafana_session",
      "_gitlab_session",
      "user_session",
      "i_like_gitea",
      "i_like_gogs",
      "gitea_incredible",
      "crowd.token_key",
      "seraph.jira",
    ],
    [
      "oc_sessionPassphrase",
      "roundcube_sessid",
      "roundcube_sessauth",
      "0xHIGHFLYxSOGo",
      "cadata",
      "cadataKey",
      "ZM_AUTH_TOKEN",
      "MMAUTHTOKEN",
    ],
    [
      "iPlanetDirectoryPro",
      "SMSESSION",
      "SMIDENTITY",
      "LtpaToken",
      "LtpaToken2",
      "OAMAuthnCookie_shop.example:443",
      "ObSSOCookie",
      "OAM_ID",
    ],
    [
      "MSISAuth",
      "MSISAuth1",
      "FedAuth",
      "FedAuth1",
      "rtFa",
      "ESTSAUTH",
      "ESTSAUTHPERSISTENT",
      "MYSAPSSO2",
      "SAP_SESSIONID_PRD_100",
      "PS_TOKEN",
    ],
    ["TGC", "CASTGC", "idx", "DS", "DSR", "fe_refresh_0a1b", "idsrv", "idsrv.session", "PF", "PF.PERSISTENT", "PA.shop"],
    [
      "OTRSAgentInterface",
      "OTRSCustomerInterface",
      `glpi_${hash}`,
      "MANTIS_STRING_COOKIE",
      "rc_token",
      "VW_ADMIN",
      "portainer_api_key",
      "argocd.token",
    ],
    [
      "FreshRSS",
      "pwg_id",
      "Cacti",
      "phpipam",
      "Icingaweb2",
      "sentrysid",
      "unifises",
      "PVEAuthCookie",
      "zbx_session",
      "username-localhost-8888",
    ],
    ["__Host-LtpaToken2", "__Secure-i_like_gitea", "__Host-Http-MMAUTHTOKEN"],
  ].flat(),
)("%s is a session cookie", (name) => {
  expect(isSessionName(name)).toBe(true);
});

test.each(
  [
    ["theme", "lang", "consent", "author", "authors", "basid", "fossil-theme", "assessment", "obsession", "side", "resident", "tokenizer"],
    ["visitor_token", "device_token", "_ga", "_gid", "_hjSessionUser_1", "ai_session", "_uetsid", "__utma", "_pk_ses.1.1fff", ""],
    ["AWSALB", "AWSALBCORS", "__cf_bm", "_cfuvid", "ARRAffinity", "BIGipServerpool_http", "incap_ses_1_2", "datadome", "mage-cache-sessid"],
    ["ApplicationGatewayAffinity", "TS01a2b3c4", "f5avraaaaaaaaaaaaaaaa_session_", "NSC_portal", "INGRESSCOOKIE", "_1d52e", "dtCookie"],
    ["frontends", "administration", "oct", "cpsessions", "0123456789abcdef", "october_sale_2026", "grafana_session_expiry", "form_key"],
    ["XSRF-TOKEN", "csrftoken", "_csrf", "__RequestVerificationToken", ".AspNetCore.Antiforgery.x"],
    ["_ga_session", "_hjSession_123", "_hjSessionUser_123", "_hjSessionTooLarge", "s_sess", "_gd_session", "rl_session", "lo_session_in"],
    ["session-depth", "session_count", "sessionExpires", "session_start", "session-timeout", "session_duration", "visit", "_sp_ses.1fff"],
    ["visitor_access_token", "anonymous_refresh_token", "UMB-XSRF-TOKEN", "sfcsrftoken", "csrf_access_token", "NSC_pool", "NSC_AAAC2"],
    [".AspNetCore.Mvc.CookieTempDataProvider", ".AspNetCore.Culture", ".AspNet.Consent", "CFGLOBALS", "ORA_WWV_RAC_INSTANCE", "amlbcookie"],
    [
      "phpbb3_abc12_u",
      "mybb",
      "_tt",
      "idxs",
      "DSX",
      "PFX",
      "wired",
      "wireless",
      "dwanonymous_0a1b",
      "gitea_awesome",
      "MMUSERID",
      "MSISAuthenticated",
    ],
    [
      "secure_customer",
      "Cactis",
      "PrestaShop",
      "username",
      "username-",
      "ESTSAUTHLIGHT",
      "session-depths-count",
      "ltpa",
      "sm_theme",
      "cadatas",
    ],
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
