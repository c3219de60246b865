/** Sites of which something cannot be read: what was not seen is told as not checked, whatever the rest of the site is like. */
import { connect, type Socket } from "node:net";
import type { ScanDeadlines } from "../../src/scan/task.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { type Answer, closedPort, egressTo, type Route, startHttp, startHttps, startTcp } from "../support/servers.ts";
import type { LabCase, LabSite } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";
import { notChecked, passed } from "./states.ts";

/** Public in form, so that all checks apply; nobody is asked for it. */
const host = "assay-unreadable-site.org";

/** Nothing here is quiet later than at once, and what never answers has to be waited for. */
const deadlines: Partial<ScanDeadlines> = { settleMs: 50, settleMaxMs: 500, probeMs: 2_000 };

const ofCsp = [
  "content-security-policy",
  "csp-base-uri",
  "csp-bypassable-hosts",
  "csp-form-action",
  "csp-insecure-sources",
  "csp-object-src",
  "csp-report-only",
  "csp-script-eval",
  "csp-script-inline",
  "csp-script-sources",
  "csp-style-inline",
  "csp-syntax",
];
const ofHsts = ["strict-transport-security", "hsts-effective", "hsts-include-subdomains", "hsts-preload-eligible"];
const ofOtherHeaders = [
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
const ofCookies = ["cookie-httponly", "cookie-prefix", "cookie-samesite", "cookie-samesite-none", "cookie-secure"];
const ofDocument = ["csp-meta-delivery", "mixed-content", "subresource-integrity", "subresource-integrity-valid"];
/** Everything that is read off the answer with the page. */
const ofPage = [...ofCsp, ...ofHsts, ...ofOtherHeaders, ...ofCookies, ...ofDocument, "deprecated-headers"];
/** Everything that our own client reads in a handshake, but for what only public authorities have. */
const ofTls = [
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
const sound: NonNullable<Answer["headers"]> = {
  "strict-transport-security": "max-age=63072000; includeSubDomains; preload",
  "content-security-policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
};
const pad = "x".repeat(600);

export const unreadableCases: readonly LabCase[] = [
  {
    name: "a server in trouble answers with status 503 and no headers of the site",
    expected: { ...notChecked(...ofPage), ...passed("https-available", "https-redirect", "tls-trust-chain") },
    serve: () => serve({ status: 503, body: html }),
  },
  {
    name: "a limit of requests answers with status 429 and the best of headers",
    expected: notChecked(...ofPage),
    serve: () => serve({ status: 429, headers: sound, body: html }),
  },
  {
    name: "a bot challenge of Cloudflare stands before the site",
    expected: notChecked(...ofPage),
    serve: () => serve({ status: 403, headers: { ...sound, "cf-mitigated": "challenge" }, body: html.replace("Page", "Just a moment...") }),
  },
  {
    name: "a bot challenge of Anubis stands before the site, with status 200",
    expected: notChecked(...ofPage),
    serve: () => serve({ body: html.replace("Page", "Making sure you&#39;re not a bot!") }),
  },
  {
    name: "every header and cookie is longer than what is kept",
    expected: {
      ...notChecked(...ofCsp, ...ofHsts, ...ofCookies),
      ...notChecked("cross-origin-embedder-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"),
      ...notChecked("information-disclosure", "permissions-policy", "referrer-policy", "x-content-type-options", "x-xss-protection"),
      ...notChecked("x-frame-options", "cors-configuration"),
    },
    serve: () => serve({ headers: tooLong, body: html }),
  },
  {
    name: "more headers come than are kept",
    expected: {
      ...notChecked(...ofCsp, ...ofHsts),
      ...notChecked("cross-origin-opener-policy", "permissions-policy", "referrer-policy", "x-content-type-options", "x-frame-options"),
    },
    serve: () => serve({ headers: { ...Object.fromEntries(fillers.map((name) => [name, "1"])), ...sound }, body: html }),
  },
  {
    name: "a page whose script never rests: its answer is read, its document is not",
    expected: { ...notChecked(...ofDocument), ...passed("strict-transport-security", "content-security-policy", "x-frame-options") },
    serve: () => serve({ headers: sound, body: html.replace("<h1>", "<script src='/never-rests.js'></script><h1>") }),
  },
  {
    name: "a firewall lets in nothing but browsers: the page is read, what our own client asks is not",
    expected: {
      ...notChecked(...ofTls, "cors-configuration", "security-txt", "security-txt-valid"),
      ...passed("https-available", "tls-cipher-negotiated", "strict-transport-security", "content-security-policy"),
    },
    serve: () => serve({ headers: sound, body: html }, { browsersOnly: true }),
  },
  {
    name: "port 80 takes connections and never answers",
    expected: {
      ...notChecked("https-redirect", "redirect-chain-secure", "hsts-preload-eligible"),
      ...passed("https-available", "strict-transport-security", "hsts-effective"),
    },
    serve: () => serve({ headers: sound, body: html }, { silentPlain: true }),
  },
];

/** What could decide stands behind the limit. */
const tooLong: NonNullable<Answer["headers"]> = {
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

interface Hindrance {
  readonly browsersOnly?: boolean;
  readonly silentPlain?: boolean;
}

async function serve(page: Answer, { browsersOnly = false, silentPlain = false }: Hindrance = {}): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const neverRests: Route = (_request, response) => {
      response.setHeader("content-type", "text/javascript");
      // Once the document is complete, so that the page counts as loaded.
      response.end("addEventListener('load', () => setTimeout(() => { for (;;); }));");
    };
    const site = track(await startHttps(siteIdentity(host), { "/": page, "/never-rests.js": neverRests }));
    const door = browsersOnly ? track(await startFirewall(site.port)) : site;
    const redirect: Answer = { status: 301, headers: { location: `https://${host}/` } };
    const plain = track(silentPlain ? await startTcp(() => {}) : await startHttp({ "*": redirect }));
    const nobody = `127.0.0.1:${await closedPort()}`;
    return { egress: egressTo({ [`${host}:443`]: door, [`${host}:80`]: plain }, { dnsServers: [nobody] }) };
  });
  return { url: `https://${host}/`, egress, caPems: [testAuthority().root.pem], deadlines, stop };
}

/** Tells browsers by their ClientHello, as such firewalls do: Chromium brings application settings for HTTP/2 (draft-vvv-tls-alps). */
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
