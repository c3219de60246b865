/** Applications with faulty headers, and the findings that these cause. */
import type { Answer } from "../support/servers.ts";
import type { ServerName } from "./remediation.ts";

export const applicationHost = "pasted.test";
export const applicationHtml =
  '<!doctype html><html lang="en"><head><title>Laboratory</title></head><body><h1>It works</h1></body></html>\n';

/** An application with faults and their findings. Its session cookie has the name from the remediations. */
export interface FaultyApplication {
  readonly name: string;
  readonly headers: NonNullable<Answer["headers"]>;
  readonly codes: readonly string[];
  /** Outdated settings for all sites of a server. */
  readonly outdated?: Readonly<Partial<Record<ServerName, readonly string[]>>>;
}

export const applications: readonly FaultyApplication[] = [
  {
    name: "an application without headers",
    headers: { "content-type": "text/html", "set-cookie": "sid=1; Path=/; HttpOnly; SameSite=Lax" },
    codes: [
      "security.content.charset-missing",
      "security.cookie.missing-secure",
      "security.missing-header.content-security-policy",
      "security.missing-header.cross-origin-opener-policy",
      "security.missing-header.permissions-policy",
      "security.missing-header.referrer-policy",
      "security.missing-header.strict-transport-security",
      "security.missing-header.x-content-type-options",
      "security.missing-header.x-frame-options",
      "security.transport.no-https-redirect",
    ],
  },
  {
    name: "an application with wrong headers",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "set-cookie": ["sid=1; Path=/; Secure; SameSite=Lax", "theme=dark; Path=/; Secure"],
      "content-security-policy": "report-uri /csp",
      "strict-transport-security": "max-age=soon",
      "x-content-type-options": "sniff",
      "x-frame-options": "ALLOW-FROM https://partner.example",
      "referrer-policy": "whatever",
      "permissions-policy": "camera 'none'",
      "cross-origin-opener-policy": '"same-origin"',
      "cross-origin-embedder-policy": '"require-corp"',
      "cross-origin-resource-policy": "SAME-ORIGIN",
      "access-control-allow-origin": "null",
      "access-control-allow-credentials": "true",
      "x-powered-by": "PHP/5.6.40",
      "x-aspnet-version": "4.0.30319",
      "x-aspnetmvc-version": "5.2",
      "x-generator": "Drupal 7",
      "x-runtime": "0.012",
      "x-version": "1.2.3",
      "public-key-pins": "max-age=0",
      "public-key-pins-report-only": "max-age=0",
      "expect-ct": "max-age=0",
      "x-content-security-policy": "default-src 'self'",
      "x-webkit-csp": "default-src 'self'",
      p3p: 'CP="NON"',
      "x-ua-compatible": "IE=edge",
      "x-xss-protection": "1; mode=block",
    },
    codes: [
      "security.cookie.missing-httponly",
      "security.cors.null-origin-with-credentials",
      "security.csp.no-effective-directive",
      "security.deprecated-header.expect-ct",
      "security.deprecated-header.p3p",
      "security.deprecated-header.public-key-pins",
      "security.deprecated-header.public-key-pins-report-only",
      "security.deprecated-header.x-content-security-policy",
      "security.deprecated-header.x-ua-compatible",
      "security.deprecated-header.x-webkit-csp",
      "security.deprecated-header.x-xss-protection",
      // The server in front of the application sends the header.
      "security.disclosure.server",
      "security.disclosure.x-aspnet-version",
      "security.disclosure.x-aspnetmvc-version",
      "security.disclosure.x-generator",
      "security.disclosure.x-powered-by",
      "security.disclosure.x-runtime",
      "security.disclosure.x-version",
      "security.hsts.unparseable",
      "security.invalid-header.cross-origin-embedder-policy",
      "security.invalid-header.cross-origin-opener-policy",
      "security.invalid-header.cross-origin-resource-policy",
      "security.invalid-header.permissions-policy",
      "security.invalid-header.referrer-policy",
      "security.invalid-header.x-content-type-options",
      "security.invalid-header.x-frame-options",
    ],
  },
  {
    name: "an application with weak headers",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "set-cookie": "sid=1; Path=/; Secure; HttpOnly",
      "content-security-policy": "frame-ancestors *; script-src-elem 'self'",
      "strict-transport-security": "max-age=31536000",
      "referrer-policy": "unsafe-url",
      "permissions-policy": "camera=*",
      "cross-origin-opener-policy": "unsafe-none",
      "access-control-allow-origin": "*",
      "access-control-allow-credentials": "true",
      "feature-policy": "camera 'none'",
    },
    codes: [
      "security.cookie.missing-samesite",
      "security.cors.wildcard-with-credentials",
      "security.csp.frame-ancestors-any-host",
      "security.csp.object-src-missing",
      "security.csp.script-inline-unrestricted",
      "security.hsts.subdomains-not-included",
      "security.weak-header.cross-origin-opener-policy",
      "security.weak-header.permissions-policy",
      "security.weak-header.referrer-policy",
    ],
  },
  {
    name: "an application on an outdated server",
    headers: { "content-type": "text/html; charset=utf-8" },
    codes: [
      "security.tls.legacy-protocol-accepted",
      "security.tls.forward-secrecy-missing",
      "security.tls.authenticated-encryption-missing",
    ],
    // Caddy does not support such old versions.
    outdated: {
      nginx: ["ssl_protocols TLSv1 TLSv1.1 TLSv1.2;", "ssl_ciphers AES128-SHA:@SECLEVEL=0;"],
      Apache: ["SSLProtocol all", "SSLCipherSuite AES128-SHA:@SECLEVEL=0"],
    },
  },
];

/** A shop with faults in its page as well; it allows every origin to read with credentials. */
export const faultyShop = {
  name: "the faulty shop",
  headers: {
    "content-type": "text/html",
    server: "Apache/2.4.1 (Unix) PHP/5.4.1 OpenSSL/1.0.1e",
    "x-powered-by": "PHP/5.4.1",
    "x-aspnet-version": "4.0.30319",
    "x-xss-protection": "1; mode=block",
    "public-key-pins": 'max-age=10; pin-sha256="AAAA"',
    "expect-ct": "max-age=10",
    "content-security-policy": "script-src * 'unsafe-inline' 'unsafe-eval' data:; img-src http:; foo bar",
    "referrer-policy": "unsafe-url",
    "x-frame-options": "ALLOW-FROM https://partner.example",
    "set-cookie": ["PHPSESSID=2f9c1de07a4b4c7f9d2e; Path=/", "cart=1; Path=/; SameSite=None", "__Host-pref=1; Path=/shop"],
  },
  html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop Muster - fine leather goods</title>
<meta name="generator" content="WordPress 5.2.1">
<link rel="stylesheet" href="http://www.muster-agentur.example/style.css">
<script src="http://www.muster-agentur.example/jquery-1.8.3.js"></script>
<script src="https://cdn.example/jquery-1.12.4.min.js"></script>
<script>window.cart = [];</script></head>
<body onload="cart.push(1)"><h1>Shop Muster</h1>
<img src="http://images.muster-agentur.example/bag.jpg" alt="Bag">
<form action="http://www.muster-agentur.example/login" method="get"><label>Password <input type="password" name="p"></label><button>Sign in</button></form>
<iframe src="http://maps.example/embed"></iframe></body></html>`,
} as const;
