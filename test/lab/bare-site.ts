/**
 * Landmarks: four sites that together violate every check that a laboratory can. One violation can rule out another on the same site.
 * The bare site sends wrong values, the silent site sends none.
 * The plain site has no https, the old site only TLS versions that browsers reject.
 */
import { dayMs } from "../../src/base/units.ts";
import { type ServerIdentity, siteIdentity, testAuthority, untrustedAuthority } from "../support/certificates.ts";
import { type Answer, egressTo, type Routes, startHttp } from "../support/servers.ts";
import { type DnsZone, startDnsTree } from "./dns-tree.ts";
import type { LabSite } from "./laboratory.ts";
import { startLandmarkNginx } from "./landmark-nginx.ts";
import { startGroup } from "./server-group.ts";

const bareHost = "assay-bare-site.org";
const silentHost = "assay-silent-site.org";
const plainHost = "assay-plain-site.org";
const oldHost = "assay-old-site.org";
/** A third party: another registrable domain. */
const libraryHost = "library.assay-library-site.net";
const mailProvider = "assay-mail-site.net";

const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

interface BareSite {
  readonly host: string;
  readonly scheme: "http" | "https";
  readonly identity: ServerIdentity;
  readonly routes: Routes;
  /** Lines of nginx.conf for all servers. */
  readonly tls: string;
  /** Lines of the servers for https and for http, with the application's address. */
  secure(application: string): string;
  plain(application: string): string;
  readonly zones: readonly DnsZone[];
}

async function start({ host, scheme, identity, routes, tls, secure, plain, zones }: BareSite): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const { port } = track(await startHttp(routes));
    const application = `http://127.0.0.1:${port}`;
    const tree = track(await startDnsTree(zones));
    const servers = { secure: [secure(application)], plain: [plain(application)] };
    const nginx = track(await startLandmarkNginx({ identity, general: tls, ...servers }));
    const targets = { [`${host}:443`]: nginx.tls, [`${libraryHost}:443`]: nginx.tls, [`${host}:80`]: nginx.plain };
    return { egress: egressTo(targets, { dnsServers: [tree.resolver] }) };
  });
  return { url: `${scheme}://${host}/`, egress, caPems: [testAuthority().root.pem], stop };
}

const proxied = (application: string) => `location / { proxy_pass ${application}; proxy_set_header Host $host; }`;
const silentPage: Answer = {
  headers: { "content-type": "text/html" },
  body: "<!doctype html><html><head><title>A silent site</title></head><body><h1>Nothing</h1></body></html>\n",
};
const modernTls = "ssl_protocols TLSv1.2 TLSv1.3;";

/** Sends every header, record and file with a wrong value. */
export function startBareSite(): Promise<LabSite> {
  return start({
    host: bareHost,
    scheme: "https",
    identity: bareIdentity(),
    routes: {
      "/": { status: 302, headers: { location: `http://${bareHost}/start`, ...bareHeaders } },
      "/page": { headers: bareHeaders, body: barePage },
      "/.well-known/security.txt": {
        headers: { "content-type": "text/plain" },
        body: "Expires: 2020-01-01T00:00:00Z\r\nPolicy: http://assay-bare-site.org/policy\r\n",
      },
      "*": { headers: { "content-type": "text/javascript" }, body: "" },
    },
    tls: "ssl_protocols TLSv1 TLSv1.1 TLSv1.2;\nssl_ciphers AES128-SHA:@SECLEVEL=0;",
    // nginx would otherwise replace the application's Server header by its own.
    secure: (application) => `proxy_pass_header Server;\n${proxied(application)}`,
    plain: (application) => `location = /start { return 302 https://${bareHost}/page; }\n${proxied(application)}`,
    zones: bareZones,
  });
}

/** Expired, for another host, from an unknown authority, with a short key and SHA-1. */
function bareIdentity(): ServerIdentity {
  const { intermediate } = untrustedAuthority();
  const leaf = intermediate.issue({
    names: ["elsewhere.example"],
    key: "rsa-1024",
    hash: "sha1",
    validFrom: daysFromNow(-800),
    validTo: daysFromNow(-70),
  });
  return { certificateChainPem: leaf.pem + intermediate.pem, privateKeyPem: leaf.privateKeyPem };
}

const bareHeaders: NonNullable<Answer["headers"]> = {
  "content-type": "text/html",
  server: "Apache/2.2.8 (Ubuntu) mod_ssl/2.2.8 OpenSSL/0.9.8g",
  "x-powered-by": "PHP/5.2.4",
  "strict-transport-security": "max-age=300",
  "content-security-policy": [
    "default-src * data: blob:",
    "script-src * http: data: blob: 'unsafe-inline' 'unsafe-eval' https://ajax.googleapis.com",
    "script-src-elem * http: data: blob: https://ajax.googleapis.com 'nonce-again1234'",
    "script-src-attr 'unsafe-inline'",
    "style-src * 'unsafe-inline'",
    "form-action *",
    "frame-ancestors *",
    "frame-ancestor 'none'",
  ].join("; "),
  "content-security-policy-report-only": "script-src 'self'",
  "x-content-type-options": "sniff",
  "x-frame-options": "ALLOW-FROM https://partner.example",
  "referrer-policy": "unsafe-url",
  "permissions-policy": "camera=*, microphone=*, geolocation=*",
  "cross-origin-opener-policy": "unsafe-none",
  "cross-origin-embedder-policy": '"require-corp"',
  "cross-origin-resource-policy": "everybody",
  "access-control-allow-origin": "null",
  "access-control-allow-credentials": "true",
  "x-xss-protection": "1; mode=block",
  "public-key-pins": "max-age=0",
  "set-cookie": [
    "PHPSESSID=0123456789abcdef; Path=/; SameSite=None",
    "csrf_token=0123456789abcdef; Path=/; SameSite=Sometimes",
    `__Host-basket=0123; Path=/; Domain=${bareHost}`,
  ],
};

const barePage = `<!doctype html>
<html>
<head>
<meta http-equiv="Content-Security-Policy" content="frame-ancestors 'none'; img-src *">
<title>A bare site</title>
<script src="https://${libraryHost}/jquery-1.8.3.js"></script>
<script src="https://${libraryHost}/other.js" integrity="sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" crossorigin></script>
<script src="http://${bareHost}/mixed.js"></script>
</head>
<body>
<h1>A bare site</h1>
<form action="http://${bareHost}/in" method="get"><input name="password" type="password"></form>
</body>
</html>
`;

/** One lookup over the limit of SPF, followed by `+all`. */
const senders = Array.from({ length: 11 }, (_, at) => `sender${at}`);

const bareZones: readonly DnsZone[] = [
  {
    name: bareHost,
    delegation: "unsigned",
    records: `
      @          IN A   127.0.0.1
      @          IN MX  10 mail.${mailProvider}.
      @          IN TXT "v=spf1 " ${senders.map((name) => `"include:${name}.${bareHost} "`).join(" ")} "+all"
      ${senders.map((name, at) => `${name} IN TXT "v=spf1 ip4:192.0.2.${at} ?all"`).join("\n")}
      _dmarc     IN TXT "v=DMARC1; p=none"
      _mta-sts   IN TXT "v=STSv1; id="
      _smtp._tls IN TXT "v=TLSRPTv1; rua=nobody"`,
  },
  // Only hosts in signed zones can have DANE.
  { name: mailProvider, records: "mail IN A 127.0.0.1" },
];

/** Sends no optional header or record; its certificate expires in two days. */
export function startSilentSite(): Promise<LabSite> {
  return start({
    host: silentHost,
    scheme: "https",
    identity: siteIdentity(silentHost, { validFrom: daysFromNow(-88), validTo: daysFromNow(2) }),
    routes: { "/": silentPage },
    tls: modernTls,
    secure: proxied,
    plain: proxied,
    zones: [
      {
        name: silentHost,
        delegation: "unsigned",
        records: "@ IN A 127.0.0.1\n@ IN MX 10 mail\nmail IN A 127.0.0.1",
      },
    ],
  });
}

/** Answers only on port 80. */
export function startPlainSite(): Promise<LabSite> {
  return start({
    host: plainHost,
    scheme: "http",
    identity: siteIdentity(plainHost),
    routes: { "/": silentPage },
    tls: modernTls,
    secure: () => "return 444;",
    plain: proxied,
    zones: [{ name: plainHost, delegation: "unsigned", records: "@ IN A 127.0.0.1" }],
  });
}

/** Supports only TLS 1.0 and 1.1: browsers cannot connect, so that there is no page to judge. */
export function startOldSite(): Promise<LabSite> {
  return start({
    host: oldHost,
    scheme: "https",
    identity: siteIdentity(oldHost, { key: "rsa-2048" }),
    routes: { "/": silentPage },
    tls: "ssl_protocols TLSv1 TLSv1.1;\nssl_ciphers AES128-SHA:@SECLEVEL=0;",
    secure: proxied,
    plain: proxied,
    zones: [{ name: oldHost, delegation: "unsigned", records: "@ IN A 127.0.0.1" }],
  });
}
