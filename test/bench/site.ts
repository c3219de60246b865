/** A site to scan, in a process of its own: one page with 30 subresources over TLS, its redirect on port 80, and the DNS that knows it. */
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { type Routes, startHttp, startHttps } from "../support/servers.ts";
import { say } from "./child.ts";

export interface SiteSaid {
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly dns: string;
  readonly rootPem: string;
}

export const siteHost = "site.test";

const scripts = names("js", 10);
const styles = names("css", 5);
const images = names("svg", 15);
/** As much as a script or style of an ordinary page. */
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
  ...routesOf(scripts, "text/javascript", `/* ${filler} */`),
  ...routesOf(styles, "text/css", `/* ${filler} */`),
  ...routesOf(images, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><!-- ${filler} --></svg>`),
};

function routesOf(paths: readonly string[], type: string, body: string): Routes {
  return Object.fromEntries(paths.map((path) => [path, { body, headers: { "content-type": type, "cache-control": "no-store" } }]));
}

if (import.meta.main) {
  const https = await startHttps(siteIdentity(siteHost), routes);
  const http = await startHttp({ "*": { status: 301, headers: { location: `https://${siteHost}/` } } });
  const dns = await startDnsServer({ [siteHost]: { A: ["127.0.0.1"] } });
  const said: SiteSaid = { httpsPort: https.port, httpPort: http.port, dns: dns.address, rootPem: testAuthority().root.pem };
  say(said);
}
