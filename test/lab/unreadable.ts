/** Laboratory cases for unreadable sites: rows without evidence are `notChecked`. */

import { connect, type Socket } from "node:net";
import type { ScanDeadlines } from "../../src/scan/task.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { type Answer, egressTo, type Route, startHttp, startHttps, startTcp } from "../support/servers.ts";
import type { LabCase, LabSite } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";
import { cspHeaderKeys, notChecked, passed } from "./states.ts";

/** A public-looking name, so that all checks apply. No query leaves the machine. */
const host = "assay-unreadable-site.org";

/** A short settle time, because the pages load nothing. Silent servers wait for the whole probe deadline. */
const deadlines: Partial<ScanDeadlines> = { settleMs: 50, settleMaxMs: 500, probeMs: 2_000 };

const cspKeys = [...cspHeaderKeys, "csp-report-only"];
const hstsKeys = ["strict-transport-security", "hsts-effective", "hsts-include-subdomains", "hsts-preload-eligible"];
const otherHeaderKeys = [
  "content-type-charset",
  "cross-origin-embedder-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "information-disclosure",
  "permissions-policy",
  "referrer-policy",
  "x-content-type-options",
  "x-frame-options",
  "x-xss-protection",
];
const cookieKeys = ["cookie-domain", "cookie-httponly", "cookie-prefix", "cookie-samesite", "cookie-samesite-none", "cookie-secure"];
const documentKeys = [
  "csp-meta-delivery",
  "form-security",
  "mixed-content",
  "script-libraries",
  "subresource-integrity",
  "subresource-integrity-valid",
  "third-party-scripts",
];
/** Rows that need the response of the page. */
const pageKeys = [...cspKeys, ...hstsKeys, ...otherHeaderKeys, ...cookieKeys, ...documentKeys, "deprecated-headers"];
/** Rows that need our own TLS handshake, without those for public authorities. */
const tlsKeys = [
  "tls-certificate-expiry",
  "tls-certificate-lifetime",
  "tls-certificate-transparency",
  "tls-certificate-validity",
  "tls-hostname-match",
  "tls-key-strength",
  "tls-legacy-protocols",
  "tls-modern-protocol",
  "tls-signature-algorithm",
  "tls-trust-chain",
];

const html = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title></head><body><h1>Page</h1></body></html>\n';
const soundHeaders: NonNullable<Answer["headers"]> = {
  "strict-transport-security": "max-age=63072000; includeSubDomains; preload",
  "content-security-policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
};
const pad = "x".repeat(600);

/** Its script keeps one core busy. On a machine without time for the browser, the rows of the response are not checked either. */
export const endlessScriptCase: LabCase = {
  name: "a page with an endless script: the response is read, the document is not",
  expected: { ...notChecked(...documentKeys), ...passed("strict-transport-security", "content-security-policy", "x-frame-options") },
  serve: () => serve({ headers: soundHeaders, body: html.replace("<h1>", "<script src='/endless.js'></script><h1>") }),
};

export const unreadableCases: readonly LabCase[] = [
  {
    name: "status 503 without headers of the site",
    expected: { ...notChecked(...pageKeys), ...passed("https-available", "https-redirect", "tls-trust-chain") },
    serve: () => serve({ status: 503, body: html }),
  },
  {
    name: "status 429 of a rate limiter, with sound headers",
    expected: notChecked(...pageKeys),
    serve: () => serve({ status: 429, headers: soundHeaders, body: html }),
  },
  {
    name: "status 404 with sound headers: what the server does is judged, the page is not",
    expected: {
      ...notChecked(...cspKeys, ...otherHeaderKeys, ...cookieKeys, ...documentKeys, "deprecated-headers", "cors-configuration"),
      ...passed("strict-transport-security", "hsts-effective", "hsts-include-subdomains"),
      ...passed("https-available", "https-redirect", "redirect-chain-secure", "tls-trust-chain", "tls-cipher-negotiated"),
    },
    serve: () => serve({ status: 404, headers: soundHeaders, body: html }),
  },
  {
    name: "status 401 that requires a sign-in, without headers of the site",
    expected: { ...notChecked(...pageKeys, "cors-configuration"), ...passed("https-available", "https-redirect", "tls-trust-chain") },
    serve: () => serve({ status: 401, headers: { "www-authenticate": 'Basic realm="site"' }, body: html }),
  },
  {
    name: "a bot challenge of Cloudflare",
    expected: notChecked(...pageKeys),
    serve: () =>
      serve({ status: 403, headers: { ...soundHeaders, "cf-mitigated": "challenge" }, body: html.replace("Page", "Just a moment...") }),
  },
  {
    name: "a bot challenge of Anubis, with status 200",
    expected: notChecked(...pageKeys),
    serve: () => serve({ body: html.replace("Page", "Making sure you&#39;re not a bot!") }),
  },
  {
    name: "every header and cookie is longer than the limit",
    expected: {
      ...notChecked(...cspKeys, ...hstsKeys, ...cookieKeys),
      ...notChecked("cross-origin-embedder-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"),
      ...notChecked("information-disclosure", "permissions-policy", "referrer-policy", "x-content-type-options", "x-xss-protection"),
      ...notChecked("x-frame-options", "cors-configuration"),
    },
    serve: () => serve({ headers: longHeaders, body: html }),
  },
  {
    name: "more headers than the limit",
    expected: {
      ...notChecked(...cspKeys, ...hstsKeys),
      ...notChecked("cross-origin-opener-policy", "permissions-policy", "referrer-policy", "x-content-type-options", "x-frame-options"),
    },
    serve: () => serve({ headers: { ...Object.fromEntries(fillers.map((name) => [name, "1"])), ...soundHeaders }, body: html }),
  },
  {
    name: "a firewall that allows only browsers: the page is read, our own client is blocked",
    expected: {
      ...notChecked(...tlsKeys, "cors-configuration", "security-txt", "security-txt-valid"),
      ...passed("https-available", "tls-cipher-negotiated", "strict-transport-security", "content-security-policy"),
    },
    serve: () => serve({ headers: soundHeaders, body: html }, { browsersOnly: true }),
  },
  {
    name: "port 80 accepts connections and never answers",
    expected: {
      ...notChecked("https-redirect", "redirect-chain-secure", "hsts-preload-eligible"),
      ...passed("https-available", "strict-transport-security", "hsts-effective"),
    },
    serve: () => serve({ headers: soundHeaders, body: html }, { silentPlain: true }),
  },
];

/** Headers that are truncated before their end. */
const longHeaders: NonNullable<Answer["headers"]> = {
  "strict-transport-security": `max-age=63072000; includeSubDomains; preload; ${pad}`,
  "content-security-policy": `default-src 'self' https://${pad}.example`,
  "content-security-policy-report-only": `default-src 'self' https://${pad}.example; report-uri /r`,
  "x-content-type-options": `nosniff, ${pad}`,
  "referrer-policy": `no-referrer, ${pad}`,
  "permissions-policy": `camera=(), ${pad}=()`,
  "cross-origin-opener-policy": `same-origin; report-to="${pad}"`,
  "cross-origin-embedder-policy": `require-corp; report-to="${pad}"`,
  "cross-origin-resource-policy": `same-origin ${pad}`,
  "access-control-allow-origin": `https://${pad}.example`,
  server: `web ${pad}`,
  "x-xss-protection": `0; report=/${pad}`,
  "set-cookie": [`__Host-session=1; Path=/${pad}; Secure; HttpOnly; SameSite=None`],
};
const fillers = Array.from({ length: 210 }, (_, at) => `x-filler-${at}`);

interface Obstacles {
  readonly browsersOnly?: boolean;
  readonly silentPlain?: boolean;
}

async function serve(page: Answer, { browsersOnly = false, silentPlain = false }: Obstacles = {}): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const endlessScript: Route = (_request, response) => {
      response.setHeader("content-type", "text/javascript");
      // Starts after the load event, so that the page counts as loaded.
      response.end("addEventListener('load', () => setTimeout(() => { for (;;); }));");
    };
    const site = track(await startHttps(siteIdentity(host), { "/": page, "/endless.js": endlessScript }));
    const entry = browsersOnly ? track(await startFirewall(site.port)) : site;
    const redirect: Answer = { status: 301, headers: { location: `https://${host}/` } };
    const plain = track(silentPlain ? await startTcp(() => {}) : await startHttp({ "*": redirect }));
    const closedResolver = `127.0.0.1:${portWithoutListener()}`;
    return { egress: egressTo({ [`${host}:443`]: entry, [`${host}:80`]: plain }, { dnsServers: [closedResolver] }) };
  });
  return { url: `https://${host}/`, egress, caPems: [testAuthority().root.pem], deadlines, stop };
}

/** Recognises browsers by their ClientHello: Chromium sends application settings for HTTP/2 (draft-vvv-tls-alps). */
function startFirewall(sitePort: number) {
  const settingsForHttp2 = "\x00\x05\x00\x03\x02h2";
  return startTcp((client) => {
    client.once("data", (hello: Buffer) => {
      if (!hello.includes(settingsForHttp2)) return void client.destroy();
      const site: Socket = connect(sitePort, "127.0.0.1");
      site.on("error", () => client.destroy());
      site.write(hello);
      client.pipe(site).pipe(client);
    });
  });
}
