/** Scans real servers of the calibration sites, prints the table of docs/scoring.md, and compares targets and scores. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dayMs } from "../../src/base/units.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { egressTo, type Route, type Routes, startHttp } from "../support/servers.ts";
import { type CalibrationSite, calibrationSites } from "../unit/judge/site-laws/calibration.ts";
import { lineOf, host as modelHost, type Site, urlOf } from "../unit/judge/site-laws/site.ts";
import { judgedSite } from "../unit/judge/site-laws/site-law.ts";
import { type DnsZone, startDnsTree } from "./dns-tree.ts";
import type { LabSite } from "./laboratory.ts";
import { startLandmarkNginx } from "./landmark-nginx.ts";
import { openLaboratory } from "./open-laboratory.ts";
import { startGroup } from "./server-group.ts";

/** A public-looking name, so that all checks apply. No query leaves the machine. */
const host = "assay-calibration-site.org";
const policyHost = `mta-sts.${host}`;
const scanMsMax = 90_000;

/** Texts of a model name another host. */
const renamed = (text: string): string => text.replaceAll(modelHost, host);

describe("calibration by real scans", () => {
  const laboratory = openLaboratory();
  const rows: string[] = [];
  beforeAll(laboratory.ready, scanMsMax);
  afterAll(async () => {
    await laboratory.close();
    console.log(["| site | target | score |", "| --- | --- | --- |", ...rows].join("\n"));
  });

  test.each(calibrationSites.map((one) => [one.name, one] as const))(
    "%s",
    async (name, { site, target: [min, max] }: CalibrationSite) => {
      const { result } = await laboratory.scan({ serve: () => startModel(site) });
      rows.push(`| ${name} | ${min} to ${max} | ${result.score} |`);
      expect(result.score).toBeGreaterThanOrEqual(min);
      expect(result.score).toBeLessThanOrEqual(max);
      expect(result.score).toBe(judgedSite(site).score);
    },
    scanMsMax,
  );
});

/** Serves a modelled site: nginx with the certificate, the application behind it, and the DNS records. */
async function startModel(site: Site): Promise<LabSite> {
  const { egress, stop } = await startGroup(async (track) => {
    const application = track(await startHttp(routesOf(site)));
    const tree = track(await startDnsTree([zoneOf(site)]));
    const flaw = site.tls.validity === "expired" ? { validFrom: daysFromNow(-90), validTo: daysFromNow(-2) } : {};
    const proxied = `location / { proxy_pass http://127.0.0.1:${application.port}; proxy_set_header Host $host; }`;
    const nginx = track(
      await startLandmarkNginx({
        identity: siteIdentity(host, { names: [host, policyHost], ...flaw }),
        general: "server_tokens off;\nssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;",
        plain: ["server_name _;\nreturn 301 https://$host$request_uri;"],
        // nginx would otherwise replace the application's Server header by its own.
        secure: [host, policyHost].map((name) => `server_name ${name};\nproxy_pass_header Server;\n${proxied}`),
      }),
    );
    const plain = site.plainHttp === "refused" ? { port: portWithoutListener() } : nginx.plain;
    const targets = { [`${host}:443`]: nginx.tls, [`${policyHost}:443`]: nginx.tls, [`${host}:80`]: plain };
    return { egress: egressTo(targets, { dnsServers: [tree.resolver] }) };
  });
  return { url: `https://${host}/`, egress, caPems: [testAuthority().root.pem], deadlines: { settleMs: 100, settleMaxMs: 1_000 }, stop };
}

function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * dayMs);
}

function routesOf(site: Site): Routes {
  const { securityTxt, mtaStsPolicy } = site;
  const file = (contentType: string, body: string): Route => ({ headers: { "content-type": contentType }, body });
  const expires = `Expires: ${daysFromNow(180).toISOString()}`;
  return {
    "/": pageOf(site),
    ...(securityTxt !== null && {
      "/.well-known/security.txt": file(securityTxt.contentType, renamed(securityTxt.body).replace(/Expires: .*/, expires)),
    }),
    ...(mtaStsPolicy !== null && { "/.well-known/mta-sts.txt": file("text/plain", renamed(mtaStsPolicy)) }),
  };
}

/** Each response has a new nonce, as a sound site sends. */
function pageOf(site: Site): Route {
  return (request, response) => {
    const nonce = `'nonce-${randomBytes(16).toString("base64")}'`;
    for (const [name, values] of Object.entries(site.headers))
      response.setHeader(
        name,
        values.map((value) => value.replaceAll(/'nonce-[^']*'/g, nonce)),
      );
    const { origin } = request.headers;
    if (origin !== undefined) {
      for (const [name, values] of Object.entries(site.cors))
        response.setHeader(name, name === "access-control-allow-origin" ? origin : [...values]);
    }
    response.setHeader(
      "set-cookie",
      site.cookies.map((cookie) => lineOf(cookie).replace("<redacted>", randomBytes(16).toString("hex"))),
    );
    response.end(documentOf(site));
  };
}

function documentOf({ resources, forms, passwordForm }: Site): string {
  const elements = resources.map((resource) => {
    const [url, { kind }] = [urlOf(resource), resource];
    if (kind === "script") return `<script src="${url}"></script>`;
    return kind === "style" ? `<link rel="stylesheet" href="${url}">` : `<img src="${url}" alt="">`;
  });
  const actions = forms.map((scheme) => `<form action="${scheme}://${host}/in" method="post"><input name="words"></form>`);
  if (passwordForm !== null)
    actions.push(`<form action="https://${host}/in" method="${passwordForm}"><input name="p" type="password"></form>`);
  return `<!doctype html><html lang="en"><head><title>Page</title></head><body>${[...elements, ...actions].join("")}</body></html>\n`;
}

function zoneOf({ texts, caa, dnssec, dane, mtaStsPolicy }: Site): DnsZone {
  const owners = Object.entries(texts).flatMap(([owner, records]) => records.map((record) => `${owner} IN TXT "${renamed(record)}"`));
  const records = [
    "@ IN A 127.0.0.1",
    "@ IN MX 10 mail",
    "mail IN A 127.0.0.1",
    ...(mtaStsPolicy === null ? [] : ["mta-sts IN A 127.0.0.1"]),
    ...(dane ? [`_25._tcp.mail IN TLSA 3 1 1 ${"ab".repeat(32)}`] : []),
    ...caa.map(([tag, value]) => `@ IN CAA 0 ${tag} "${value}"`),
    ...owners,
  ];
  return { name: host, records: records.join("\n"), delegation: dnssec === "secure" ? "secure" : "unsigned" };
}
