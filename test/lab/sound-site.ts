/** A landmark: a site that passes every check that a laboratory can pass, with as many features as possible. */
import { createHash, randomBytes } from "node:crypto";
import { dayMs } from "../../src/base/units.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { egressTo, type Route, type Routes, startHttp } from "../support/servers.ts";
import { type DnsZone, startDnsTree } from "./dns-tree.ts";
import type { LabSite } from "./laboratory.ts";
import { startLandmarkNginx } from "./landmark-nginx.ts";
import { startGroup } from "./server-group.ts";

const soundSiteHost = "assay-sound-site.org";
const policyHost = `mta-sts.${soundSiteHost}`;
/** A third party: another registrable domain. */
const libraryHost = "library.assay-library-site.net";

/** Only the banner of a library: its name and version are what a scan reads. */
const libraryFile = "jquery-3.7.1.min.js";
const library = '/*! jQuery v3.7.1 | (c) OpenJS Foundation */\ndocument.documentElement.dataset.library = "here";\n';
const script = 'document.documentElement.dataset.script = "here";\n';
const style = "body { font-family: sans-serif }\n";

function integrityOf(text: string): string {
  return `sha384-${createHash("sha384").update(text).digest("base64")}`;
}

export async function startSoundSite(): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const application = track(await startHttp(routes));
    const tree = track(await startDnsTree(zones));
    const proxied = `location / { proxy_pass http://127.0.0.1:${application.port}; proxy_set_header Host $host; }`;
    const hsts = 'add_header Strict-Transport-Security "max-age=63072000; includeSubDomains; preload" always;';
    const nginx = track(
      await startLandmarkNginx({
        identity: siteIdentity(soundSiteHost, { names: [soundSiteHost, policyHost, libraryHost] }),
        general: "server_tokens off;\nssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;",
        plain: [`server_name _;\nreturn 301 https://$host$request_uri;`],
        secure: [soundSiteHost, policyHost, libraryHost].map((name) => `server_name ${name};\n${hsts}\n${proxied}`),
      }),
    );
    const hosts = [soundSiteHost, policyHost, libraryHost];
    const targets = Object.fromEntries([...hosts.map((name) => [`${name}:443`, nginx.tls]), [`${soundSiteHost}:80`, nginx.plain]]);
    return { egress: egressTo(targets, { dnsServers: [tree.resolver] }) };
  });
  return { url: `https://${soundSiteHost}/`, egress, caPems: [testAuthority().root.pem], stop };
}

/** The start page redirects to its language version, so that there is a redirect to judge. */
const page: Route = (_request, response) => {
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' https://${libraryHost}`,
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "upgrade-insecure-requests",
    "report-to reports",
  ];
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "content-security-policy-report-only": "require-trusted-types-for 'script'; report-to reports",
    "reporting-endpoints": `reports="https://${soundSiteHost}/reports"`,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "access-control-allow-origin": `https://partner.${soundSiteHost}`,
    vary: "Origin",
    "set-cookie": [
      `__Host-session=${randomBytes(16).toString("hex")}; Path=/; Secure; HttpOnly; SameSite=Lax`,
      `__Host-csrf=${randomBytes(16).toString("hex")}; Path=/; Secure; SameSite=Strict`,
      "__Secure-embedded=yes; Path=/; Secure; HttpOnly; SameSite=None; Partitioned",
    ],
  });
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="object-src 'none'">
<title>A sound site</title>
<link rel="stylesheet" href="/site.css" integrity="${integrityOf(style)}">
<script src="/site.js" integrity="${integrityOf(script)}" defer></script>
<script src="https://${libraryHost}/${libraryFile}" integrity="${integrityOf(library)}" crossorigin="anonymous" defer></script>
<script nonce="${nonce}">document.documentElement.dataset.inline = "here";</script>
</head>
<body>
<h1>A sound site</h1>
<form action="/search" method="post"><input name="words"><button>Search</button></form>
<form action="/sign-in" method="post"><input name="password" type="password"><button>Sign in</button></form>
</body>
</html>
`);
};

const routes: Routes = {
  "/": { status: 301, headers: { location: "/en/" } },
  "/en/": page,
  "/site.css": { headers: { "content-type": "text/css", "cross-origin-resource-policy": "same-origin" }, body: style },
  "/site.js": { headers: { "content-type": "text/javascript", "cross-origin-resource-policy": "same-origin" }, body: script },
  [`/${libraryFile}`]: {
    headers: { "content-type": "text/javascript", "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" },
    body: library,
  },
  "/.well-known/security.txt": {
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: [
      `Contact: mailto:security@${soundSiteHost}`,
      `Contact: https://${soundSiteHost}/en/report`,
      `Expires: ${new Date(Date.now() + 180 * dayMs).toISOString()}`,
      "Preferred-Languages: en, de",
      `Canonical: https://${soundSiteHost}/.well-known/security.txt`,
      `Policy: https://${soundSiteHost}/en/disclosure`,
      "",
    ].join("\r\n"),
  },
  "/.well-known/mta-sts.txt": {
    headers: { "content-type": "text/plain" },
    body: `version: STSv1\r\nmode: enforce\r\nmx: mail.${soundSiteHost}\r\nmx: *.backup.${soundSiteHost}\r\nmax_age: 2592000\r\n`,
  },
};

const zones: readonly DnsZone[] = [
  {
    name: soundSiteHost,
    records: `
      @                IN A    127.0.0.1
      @                IN AAAA 2001:db8::80
      @                IN NS   ns2
      ns               IN AAAA 2001:db8:0:53::1
      ns2              IN A    127.99.0.1
      ns2              IN AAAA 2001:db8:99:53::1
      _25._tcp.mail    IN TLSA 3 1 1 ${"ab".repeat(32)}
      _25._tcp.first.backup IN TLSA 3 1 1 ${"cd".repeat(32)}
      mta-sts          IN A    127.0.0.1
      mail             IN A    127.0.0.1
      first.backup     IN A    127.0.0.1
      @                IN MX   10 mail
      @                IN MX   20 first.backup
      @                IN CAA  0 issue "authority.example; validationmethods=dns-01"
      @                IN CAA  0 issuewild ";"
      @                IN CAA  0 iodef "mailto:security@${soundSiteHost}"
      @                IN TXT  "v=spf1 mx include:_spf.assay-mailer-site.net -all"
      _dmarc           IN TXT  "v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s; rua=mailto:dmarc@${soundSiteHost},mailto:dmarc@assay-reports-site.net"
      _mta-sts         IN TXT  "v=STSv1; id=20261121T000000"
      _smtp._tls       IN TXT  "v=TLSRPTv1; rua=mailto:tls-reports@${soundSiteHost}"`,
  },
  { name: "assay-mailer-site.net", records: '_spf IN TXT "v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all"' },
  { name: "assay-reports-site.net", records: `${soundSiteHost}._report._dmarc IN TXT "v=DMARC1"` },
];
