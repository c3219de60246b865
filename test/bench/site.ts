/** The scanned site, in a child process: a page with 30 subresources over TLS, a redirect on port 80, and its DNS server. */
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { startDnsServer, type Zones } from "../support/dns-server.ts";
import { type Routes, startHttp, startHttps } from "../support/servers.ts";
import { sendReady } from "./child.ts";

export interface SiteReady {
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly dns: string;
  readonly rootPem: string;
}

/** A public-looking name, so that every DNS and mail probe runs. No query leaves the machine. */
export const siteHost = "assay-bench-site.org";
export const policyHost = `mta-sts.${siteHost}`;

const zones: Zones = {
  [siteHost]: {
    A: ["127.0.0.1"],
    NS: [`ns.${siteHost}`],
    SOA: [{ mname: `ns.${siteHost}`, rname: `hostmaster.${siteHost}`, serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }],
    MX: [{ preference: 10, exchange: `mail.${siteHost}` }],
    TXT: [`v=spf1 mx include:_spf.${siteHost} -all`],
    CAA: [{ flags: 0, tag: "issue", value: "authority.example" }],
  },
  [`ns.${siteHost}`]: { A: ["127.0.0.1"] },
  [`mail.${siteHost}`]: { A: ["127.0.0.1"] },
  [policyHost]: { A: ["127.0.0.1"] },
  [`_spf.${siteHost}`]: { TXT: ["v=spf1 ip4:192.0.2.0/24 -all"] },
  [`_dmarc.${siteHost}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:dmarc@${siteHost}`] },
  [`_mta-sts.${siteHost}`]: { TXT: ["v=STSv1; id=1"] },
  [`_smtp._tls.${siteHost}`]: { TXT: [`v=TLSRPTv1; rua=mailto:tls@${siteHost}`] },
};

const scripts = names("js", 10);
const styles = names("css", 5);
const images = names("svg", 15);
/** Size of an ordinary script or style sheet. */
const filler = "abcdefghij".repeat(1_500);

function names(extension: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_one, at) => `/asset-${at}.${extension}`);
}

const page = `<!doctype html><html lang="en"><title>A page</title>
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join("\n")}
${scripts.map((path) => `<script src="${path}" defer></script>`).join("\n")}
${images.map((path) => `<img src="${path}" alt="" width="20" height="20">`).join("\n")}
<p>${"Some words of text. ".repeat(500)}</p></html>`;

const routes: Routes = {
  "/": { body: page, headers: { "strict-transport-security": "max-age=31536000", "set-cookie": "id=1; Secure; HttpOnly; SameSite=Lax" } },
  "/.well-known/mta-sts.txt": {
    body: `version: STSv1\nmode: enforce\nmx: mail.${siteHost}\nmax_age: 604800\n`,
    headers: { "content-type": "text/plain" },
  },
  ...routesOf(scripts, "text/javascript", `/* ${filler} */`),
  ...routesOf(styles, "text/css", `/* ${filler} */`),
  ...routesOf(images, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><!-- ${filler} --></svg>`),
};

function routesOf(paths: readonly string[], type: string, body: string): Routes {
  return Object.fromEntries(paths.map((path) => [path, { body, headers: { "content-type": type, "cache-control": "no-store" } }]));
}

if (import.meta.main) {
  const https = await startHttps(siteIdentity(siteHost, { names: [siteHost, policyHost] }), routes);
  const http = await startHttp({ "*": { status: 301, headers: { location: `https://${siteHost}/` } } });
  const dns = await startDnsServer(zones);
  const ready: SiteReady = { httpsPort: https.port, httpPort: http.port, dns: dns.address, rootPem: testAuthority().root.pem };
  sendReady(ready);
}
