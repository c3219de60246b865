/** The sites of the calibration table in docs/scoring.md, as models. The laboratory serves the same sites. */
import { flawlessSite, soundHeaders, soundTls } from "./any-site.ts";
import type { Headers, Site } from "./site.ts";

export interface CalibrationSite {
  /** As in the table. */
  readonly name: string;
  /** Lowest and highest score. */
  readonly target: readonly [min: number, max: number];
  readonly site: Site;
}

const onlyHeaders = (...names: readonly string[]): Headers =>
  Object.fromEntries(["content-type", ...names].map((name) => [name, soundHeaders[name] ?? []]));
const allBut = (...names: readonly string[]): Headers => onlyHeaders(...Object.keys(soundHeaders).filter((name) => !names.includes(name)));
const withHeaders = (headers: Headers): Site => ({ ...flawlessSite, headers });

const inlinePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** `faulty-shop.mjs`: its headers, its page, and https that browsers accept. Port 80 is closed. */
const shopHeaders: Headers = {
  "content-type": ["text/html; charset=utf-8"],
  server: ["Apache/2.4.1 (Unix) PHP/5.4.1 OpenSSL/1.0.1e"],
  "x-powered-by": ["PHP/5.4.1"],
  "x-aspnet-version": ["4.0.30319"],
  "x-xss-protection": ["1; mode=block"],
  "public-key-pins": ['max-age=10; pin-sha256="AAAA"'],
  "expect-ct": ["max-age=10"],
  "content-security-policy": ["script-src * 'unsafe-inline' 'unsafe-eval' data:; img-src http:; foo bar"],
  "referrer-policy": ["unsafe-url"],
  "x-frame-options": ["ALLOW-FROM https://partner.example"],
};

const faultyShop: Site = {
  ...flawlessSite,
  headers: shopHeaders,
  resources: [
    { scheme: "http", host: "www.muster-agentur.example", kind: "style", integrity: null },
    { scheme: "http", host: "www.muster-agentur.example", kind: "script", integrity: null },
    { scheme: "https", host: "cdn.example", kind: "script", integrity: null },
    { scheme: "http", host: "images.muster-agentur.example", kind: "other", integrity: null },
  ],
  forms: ["http"],
  passwordForm: "get",
  cookies: [
    { name: "PHPSESSID", attributes: ["Path=/"] },
    { name: "cart", attributes: ["Path=/", "SameSite=None"] },
    { name: "__Host-pref", attributes: ["Path=/shop"] },
  ],
  cors: { "access-control-allow-origin": ["https://cross-origin.invalid"], "access-control-allow-credentials": ["true"] },
  plainHttp: "refused",
};

export const calibrationSites: readonly CalibrationSite[] = [
  { name: "no security header at all, otherwise sound", target: [45, 60], site: withHeaders(onlyHeaders()) },
  {
    name: "the same with HSTS, nosniff and protection against framing",
    target: [61, 75],
    site: withHeaders(onlyHeaders("strict-transport-security", "x-content-type-options", "x-frame-options")),
  },
  {
    name: "everything but a policy on scripts",
    target: [0, 79],
    site: withHeaders({ ...allBut(), "content-security-policy": ["frame-ancestors 'none'; upgrade-insecure-requests"] }),
  },
  {
    name: "everything, with a policy that allows `'unsafe-inline'`",
    target: [80, 87],
    site: withHeaders({ ...allBut(), "content-security-policy": [inlinePolicy] }),
  },
  { name: "everything but HSTS", target: [80, 87], site: withHeaders(allBut("strict-transport-security")) },
  {
    name: "a strict policy, and everything but DNSSEC and MTA-STS",
    target: [95, 98],
    site: { ...flawlessSite, dnssec: "insecure", texts: { ...flawlessSite.texts, "_mta-sts": [] }, mtaStsPolicy: null },
  },
  { name: "no violated check", target: [100, 100], site: flawlessSite },
  {
    name: "an expired certificate, otherwise sound",
    target: [0, 20],
    site: { ...flawlessSite, tls: { ...soundTls, validity: "expired" } },
  },
  { name: "a shop with about 30 faults", target: [0, 39], site: faultyShop },
];
