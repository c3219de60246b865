/** A shop with many faults of every severity: a typical report of an old site, in which every header has a wrong value. */
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { closedPort, egressTo, startHttps } from "../support/servers.ts";
import type { LabSite } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";

const shopHost = "shop-muster.org";

const shopPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop Muster - fine leather goods</title>
<meta name="generator" content="WordPress 5.2.1">
<link rel="stylesheet" href="http://www.muster-agentur.example/style.css">
<script src="http://www.muster-agentur.example/jquery-1.8.3.js"></script>
<script src="https://cdn.example/jquery-1.12.4.min.js"></script>
<script>window.cart = [];</script></head>
<body onload="cart.push(1)"><h1>Shop Muster</h1>
<img src="http://images.muster-agentur.example/bag.jpg" alt="Bag">
<form action="http://www.muster-agentur.example/login" method="get"><label>Password <input type="password" name="p"></label><button>Sign in</button></form>
<iframe src="http://maps.example/embed"></iframe></body></html>
`;

const shopHeaders = {
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
};

/** Reflects every origin; port 80 is closed, and no resolver answers, so that rows stay unread. */
export async function startShopSite(): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const site = track(
      await startHttps(siteIdentity(shopHost, { flaw: "self-signed" }), {
        "/": ({ headers: { origin } }, response) => {
          const cors = origin === undefined ? {} : { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
          response.writeHead(200, { ...shopHeaders, ...cors }).end(shopPage);
        },
      }),
    );
    const closed = { port: await closedPort() };
    return {
      egress: egressTo({ [`${shopHost}:443`]: site, [`${shopHost}:80`]: closed }, { dnsServers: [`127.0.0.1:${closed.port}`] }),
    };
  });
  return { url: `https://${shopHost}/`, egress, caPems: [testAuthority().root.pem], stop };
}
