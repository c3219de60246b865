/** Lines of single fixes for every server, and what a server cannot express. */
import { describe, expect, test } from "vitest";
import type { Fix } from "../../../../src/check/fix.ts";
import * as fixes from "../../../../src/check/fix.ts";
import { guessServer, linesFor, type ServerName, serverNames, withServerLines } from "../../../../src/text/servers/server-lines.ts";
import { fixedFindings } from "../../../support/remediations.ts";

const values = { host: "shop.example", tlsHost: "tls.example", names: "PHPSESSID, ASP.NET_SessionId" };
const nosniff = fixes.replaceHeader("X-Content-Type-Options", "nosniff");
const frames = fixes.sendPolicy("frame-ancestors 'self'");

describe("lines", () => {
  test.each<[string, Fix, Partial<Record<ServerName, string | null>>]>([
    [
      "a header in place of another",
      nosniff,
      {
        nginx:
          'proxy_hide_header X-Content-Type-Options;\nfastcgi_hide_header X-Content-Type-Options;\nadd_header X-Content-Type-Options "nosniff" always;',
        apache: 'Header unset X-Content-Type-Options\nHeader always set X-Content-Type-Options "nosniff"',
        caddy: 'header {\n  defer\n  X-Content-Type-Options "nosniff"\n}',
        wordpress: '<?php\nheader_register_callback( function () {\n  header( "X-Content-Type-Options: nosniff" );\n} );',
        traefik:
          'http:\n  middlewares:\n    assay-headers:\n      headers:\n        customResponseHeaders:\n          X-Content-Type-Options: "nosniff"',
      },
    ],
    [
      "a policy beside another",
      frames,
      {
        nginx: "add_header Content-Security-Policy \"frame-ancestors 'self'\" always;",
        apache: "Header always add Content-Security-Policy \"frame-ancestors 'self'\"",
        caddy: "header +Content-Security-Policy \"frame-ancestors 'self'\"",
        // These can only replace a header.
        iis: null,
        traefik: null,
      },
    ],
    [
      "attributes of named cookies",
      fixes.addToCookies({ names: "{{names}}" }, "HttpOnly"),
      {
        nginx: "proxy_cookie_flags PHPSESSID httponly;\nproxy_cookie_flags ASP.NET_SessionId httponly;",
        caddy: 'header {\n  defer\n  Set-Cookie ^((?:PHPSESSID|ASP[.]NET_SessionId)=.*)$ "$1; HttpOnly"\n}',
        cloudflare: null,
        traefik: null,
      },
    ],
    ["the redirect to https", fixes.redirectToHttps, { apache: "Redirect permanent / https://shop.example/", wordpress: null }],
    [
      "a certificate",
      fixes.useCertificate("{{tlsHost}}", "name"),
      {
        apache:
          "ServerName tls.example\nSSLCertificateFile /etc/letsencrypt/live/tls.example/fullchain.pem\nSSLCertificateKeyFile /etc/letsencrypt/live/tls.example/privkey.pem",
        htaccess: null,
        express: null,
        iis: null,
      },
    ],
    ["suites", fixes.modernCiphers, { caddy: null, iis: null, traefik: expect.stringContaining("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256") }],
  ])("of %s", (_words, fix, expected) => {
    for (const [server, lines] of Object.entries(expected))
      expect([server, linesFor(server as ServerName, [fix], values)]).toEqual([server, lines]);
  });

  test("are left out if the server lacks one of several fixes", () => {
    expect(linesFor("traefik", [nosniff], values)).not.toBeNull();
    expect(linesFor("traefik", [nosniff, frames], values)).toBeNull();
    expect(linesFor("nginx", [], values)).toBeNull();
  });

  test("are left out without a value for a placeholder", () => {
    expect(linesFor("apache", [fixes.redirectToHttps], {})).toBeNull();
  });

  test("name an example where no cookie has a harmless name", () => {
    const lines = (names: string) => linesFor("nginx", [fixes.addToCookies({ names: "{{names}}" }, "HttpOnly")], { names });
    expect(lines("a b, x;y, ...")).toBe("proxy_cookie_flags sid httponly;");
    expect(lines("sid (Domain=a), JSESSIONID, ...")).toBe("proxy_cookie_flags JSESSIONID httponly;");
    // A value of the greatest length was cut, perhaps within a name.
    expect(lines(`a, ${"b".repeat(60)}, ${"c".repeat(60)}, ${"d".repeat(73)}`)).not.toContain("ddd");
  });

  test("exist for every finding with fixes, for the servers of the API", () => {
    const findings = fixedFindings("shop.example").filter((finding) => finding.fixes.some(({ kind }) => kind !== "new-policy"));
    expect(findings.length).toBeGreaterThan(100);
    for (const { code, fixes: own, values: filling } of findings)
      for (const server of ["nginx", "apache", "caddy"] as const)
        expect([code, linesFor(server, own, filling) === null]).toEqual([code, false]);
  });

  test("of no finding hold an unfilled placeholder or an empty line", () => {
    for (const { code, fixes: own, values: filling } of fixedFindings("shop.example"))
      for (const server of serverNames) {
        const lines = linesFor(server, own, filling) ?? "";
        expect([code, server, /\{\{|undefined|\[object/.test(lines)]).toEqual([code, server, false]);
      }
  });
});

test("the API names the server before each line", () => {
  expect(withServerLines("Advice.", [fixes.removeHeader("X-Powered-By")], values)).toBe(
    "Advice.\nnginx: proxy_hide_header X-Powered-By;\nnginx: fastcgi_hide_header X-Powered-By;\nApache: Header unset X-Powered-By\nApache: Header always unset X-Powered-By\nCaddy: header -X-Powered-By",
  );
  expect(withServerLines("Advice.", [], values)).toBe("Advice.");
});

test.each([
  [null, null],
  ["", null],
  ["nginx/1.22.1", "nginx"],
  ["openresty", "nginx"],
  ["Apache/2.4.1 (Unix) PHP/5.4.1", "apache"],
  ["Apache-Coyote/1.1", null],
  ["LiteSpeed", "htaccess"],
  ["Caddy", "caddy"],
  ["Microsoft-IIS/10.0", "iis"],
  ["ASP.NET", "iis"],
  ["Express", "express"],
  ["cloudflare", "cloudflare"],
  ["WP Engine", "wordpress"],
  ["PHP/8.2", null],
  [`${"x".repeat(600)}nginx`, null],
] as const)("%s is guessed as %s", (value, expected) => expect(guessServer(value)).toBe(expected));
