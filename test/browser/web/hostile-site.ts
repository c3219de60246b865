/** A hostile site: attack strings in headers, document, cookies, URLs, files, DNS records and certificate. */

import { createServer } from "node:tls";
import { siteIdentity } from "../../support/certificates.ts";
import type { Zones } from "../../support/dns-server.ts";
import { listening, type TestServer } from "../../support/servers.ts";

export const hostileHost = "assay-hostile-site.org";
/** Host with a certificate for other names. */
export const strayHost = `stray.${hostileHost}`;

/** Calls a function that no page of ours calls, and requests a forbidden host. */
const markup = `<x-injected></x-injected><script>sentinel()</script><img src=//leak.invalid/ onerror=sentinel()>`;
/** Right-to-left override (Unicode UAX 9). */
const bidi = "\u202egnp.exe\u2066\u200f";
const long = "W".repeat(10_000);

/** Attack strings, placed one after the other into each place. */
export const attacks: Readonly<Record<string, string>> = {
  markup: `">'></title></textarea></pre></script>${markup}`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the tests search for this literal text.
  template: "{{constructor.constructor('sentinel()')()}} {{host}} ${sentinel()} $t(pages.home.title) <%= 7*7 %> {{7*7}}",
  address: "javascript:sentinel()//",
  handler: `x" onmouseover="sentinel()" autofocus onfocus="sentinel()" style="position:fixed;inset:0" x="`,
  comment: `--><!--]]>${markup}<!--`,
  bidi: `invoice${bidi}`,
  long,
};

const { markup: breakOut = "", template = "", handler = "" } = attacks;
/** Shorter than the stored header limit, so that all of it is kept. */
const attack = `${breakOut} ${template}`;
/** A blank or a semicolon would end it where values are tokens. */
const token = attack.replaceAll(/[\s;,]/g, "/");

/** URL as a user would paste it into the form. */
export const hostileUrl = `https://${hostileHost}/${encodeURI(`'><svg/onload=sentinel()>{{7*7}}`)}?q=%22%3E${encodeURIComponent(markup)}%E2%80%AE`;

export interface HostileSite {
  readonly sites: Readonly<Record<string, TestServer>>;
  readonly zones: Zones;
  stop(): Promise<void>;
}

export async function startHostileSite(): Promise<HostileSite> {
  const names = [hostileHost, `"><x-injected>.${hostileHost}`, `${"w".repeat(60)}.${hostileHost}`, "{{7*7}}.example"];
  const good = await startRaw(siteIdentity(hostileHost, { commonName: `">${markup}`, names }), answerTo);
  const stray = await startRaw(
    siteIdentity(strayHost, { commonName: `">${markup}`, names: [`"><x-injected>${bidi}`, `*.{{7*7}}`] }),
    answerTo,
  );
  return {
    sites: { [`${hostileHost}:443`]: good, [`${strayHost}:443`]: stray, [`mta-sts.${hostileHost}:443`]: good },
    zones: zones(),
    stop: async () => {
      await good.stop();
      await stray.stop();
    },
  };
}

/** Raw bytes: HTTP libraries refuse such headers. */
function startRaw(identity: ReturnType<typeof siteIdentity>, answer: (path: string) => string): Promise<TestServer> {
  const server = createServer({ cert: identity.certificateChainPem, key: identity.privateKeyPem }, (socket) => {
    let said = "";
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      said += bytes.toString("latin1");
      if (!said.includes("\r\n\r\n")) return;
      socket.end(Buffer.from(answer(said.split(" ")[1] ?? "/")));
    });
  });
  return listening(server);
}

function answerTo(path: string): string {
  if (path === "/.well-known/security.txt") return text("text/plain", securityTxt);
  if (path === "/.well-known/mta-sts.txt")
    return text("text/plain", `version: STSv1\r\nmode: ${attack}\r\nmx: ${token}\r\nmax_age: \0${attack}\r\n`);
  if (path.startsWith("/asset")) return text("text/javascript", "1");
  return page;
}

function text(type: string, body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

const securityTxt = [
  `Contact: mailto:${token}@${hostileHost}`,
  `Contact: javascript:sentinel()`,
  `Contact: https://${hostileHost}/"><x-injected>`,
  `Expires: ${attack}`,
  `Canonical: https://leak.invalid/${bidi}`,
  `${attack}: ${attack}`,
  `Policy: \0${long}`,
  "",
].join("\r\n");

const document = `<!doctype html>
<html><head><meta charset="utf-8">
<title>${escaped(`${attack} ${bidi}`)}</title>
<meta http-equiv="Content-Security-Policy" content="${escaped(`script-src ${token} 'unsafe-hashes'; ${token} ${handler}`)}">
<meta name="referrer" content="${escaped(attack)}">
<meta name="generator" content="${escaped(`WordPress 6.1 ${attack}`)}">
<link rel="stylesheet" href="http://${hostileHost}/asset.css?${escaped(encodeURIComponent(attack))}">
<script src="/asset.js?${escaped(attack)}" integrity="sha256-${escaped(token)}"></script>
<script src="https://cdn.${hostileHost}/asset.js?'><x-injected>{{7*7}}"></script>
<script src="http://${hostileHost}/asset-${"w".repeat(3_000)}.js"></script>
</head><body>
<form action="javascript:sentinel()" method="post"><input name="${escaped(token)}"></form>
<form action="http://${hostileHost}/?${escaped(attack)}"><input type="password" name="p"></form>
<p>${long}</p>
</body></html>`;

/** Escaped for the attacker's own document, which must contain the strings without being affected. */
function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const headers = [
  `Content-Type: text/html; charset=${token}`,
  `Server: Apache/2.2.8 ${attack}`,
  `X-Powered-By: PHP/5.2.4 ${bidi} ${attack}`,
  `Via: 1.1 ${token}`,
  `Content-Security-Policy: default-src ${token}; script-src 'unsafe-inline' 'nonse-${token}' ${token}; ${token} x; report-uri ${token}`,
  `Content-Security-Policy-Report-Only: ${attack}`,
  `Strict-Transport-Security: max-age=${token}`,
  `X-Frame-Options: ${attack}`,
  `X-Content-Type-Options: ${attack}`,
  `X-XSS-Protection: 1; report=${token}`,
  `Referrer-Policy: ${attack}`,
  `Permissions-Policy: ${attack}`,
  `Cross-Origin-Opener-Policy: ${attack}`,
  `Cross-Origin-Embedder-Policy: ${attack}`,
  `Cross-Origin-Resource-Policy: ${attack}`,
  `Access-Control-Allow-Origin: ${token}`,
  `Access-Control-Allow-Credentials: ${attack}`,
  `Expect-CT: ${attack}`,
  `Public-Key-Pins: ${attack}`,
  `Feature-Policy: ${attack}`,
  `Set-Cookie: __Host-"><x-injected>{{7*7}}=${token}; Path=/; SameSite=${token}`,
  `Set-Cookie: session'><svg/onload=sentinel()>=${token}; Domain=${token}`,
  `Set-Cookie: ${bidi}=1; SameSite=None`,
  `Set-Cookie: ${"w".repeat(1_000)}=1`,
  `X-<x-injected>: ${attack}`,
  `X-Long: ${long}`,
];

const page = `HTTP/1.1 200 ${attack}\r\n${headers.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(document)}\r\nConnection: close\r\n\r\n${document}`;

function zones(): Zones {
  const A = ["127.0.0.1"];
  return {
    [hostileHost]: {
      A,
      TXT: [`v=spf1 include:${token} a:"><x-injected> ${template} +all`, `v=spf1 ${long.slice(0, 200)} \0`, attack],
      MX: [{ preference: 10, exchange: `"><x-injected>{{7*7}}.${hostileHost}` }],
      CAA: [
        { flags: 0, tag: "issue", value: attack, issuerCritical: false },
        { flags: 0, tag: "iodef", value: `javascript:sentinel()`, issuerCritical: false },
        { flags: 128, tag: "xinjected", value: `${bidi}\0`, issuerCritical: true },
      ],
    },
    [strayHost]: { A },
    [`mta-sts.${hostileHost}`]: { A },
    [`_dmarc.${hostileHost}`]: {
      TXT: [`v=DMARC1; p=${token}; sp=${token}; rua=mailto:${token}@leak.invalid,javascript:sentinel(); ruf=${bidi}`],
    },
    [`_mta-sts.${hostileHost}`]: { TXT: [`v=STSv1; id=${token}`] },
    [`_smtp._tls.${hostileHost}`]: { TXT: [`v=TLSRPTv1; rua=${token},mailto:"><x-injected>`] },
  };
}
