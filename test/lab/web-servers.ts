/** Laboratory cases for Debian's nginx, Apache, Caddy, lighttpd and HAProxy: default and hardened configurations. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { portWithoutListener } from "../support/ports.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { egressTo, startHttp } from "../support/servers.ts";
import type { FinishedScan, LabCase, LabSite, States } from "./laboratory.ts";
import { passed, violated } from "./states.ts";
import { configurations, type Layout, versionCommands, type WebServerName, webServerNames } from "./web-server-configurations.ts";

const page =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laboratory</title></head><body><h1>It works</h1></body></html>\n';

/** Rows that every server violates by default, because they depend on the site. */
const missingByDefault = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "https-redirect",
  "permissions-policy",
  "referrer-policy",
  "strict-transport-security",
  "x-content-type-options",
  "x-frame-options",
];
/** Further default states of each server. */
const furtherByDefault: Readonly<Record<WebServerName, States>> = {
  nginx: { "information-disclosure": "violated", "tls-weak-ciphers": "violated" },
  apache: { "information-disclosure": "violated", "tls-weak-ciphers": "violated" },
  caddy: {},
  lighttpd: { "information-disclosure": "violated" },
  haproxy: {},
};
/** Rows that pass in both configurations. Debian's nginx and Apache enable TLS 1.0 and 1.1, but Debian's OpenSSL rejects them. */
const passedInBoth = [
  "content-type-charset",
  "deprecated-headers",
  "https-available",
  "information-disclosure",
  "mixed-content",
  "tls-certificate-expiry",
  "tls-certificate-validity",
  "tls-cipher-negotiated",
  "tls-hostname-match",
  "tls-key-strength",
  "tls-legacy-protocols",
  "tls-modern-protocol",
  "tls-signature-algorithm",
  "tls-trust-chain",
  "x-xss-protection",
];

/** The TLS libraries of this Debian know no hybrid group. A note without points. */
const noHybridGroup = violated("tls-post-quantum");

export const webServerCases: readonly LabCase[] = webServerNames.flatMap((name) => {
  const byDefault: States = { ...passed(...passedInBoth), ...violated(...missingByDefault), ...noHybridGroup, ...furtherByDefault[name] };
  return [
    {
      name: `${versionOf(name)} by default`,
      expected: byDefault,
      serve: () => serveWebServer(name, false),
      verify: (scan: FinishedScan) => expectOthersPassed(scan, byDefault),
    },
    {
      name: `${versionOf(name)} hardened`,
      expected: { ...passed(...passedInBoth, ...missingByDefault, "hsts-effective", "csp-script-sources"), ...noHybridGroup },
      serve: () => serveWebServer(name, true),
      verify: (scan: FinishedScan) => {
        expect(scan.result.score).toBe(100);
        expectOthersPassed(scan, noHybridGroup);
      },
    },
  ];
});

/** All other rows must pass or not apply. */
function expectOthersPassed({ result }: FinishedScan, expected: States): void {
  const others = result.ledger.filter(({ key, state }) => !(key in expected) && (state === "violated" || state === "notChecked"));
  expect(others.map(({ key }) => key)).toEqual([]);
}

/** A site at `<name>.test`, with the default or the hardened configuration. */
export async function serveWebServer(name: WebServerName, hardened: boolean): Promise<LabSite> {
  const host = `${name}.test`;
  const folder = mkdtempSync(join(tmpdir(), `assay-lab-${name}-`));
  const origin = await startHttp({ "/": { body: page } });
  const layout: Layout = {
    host,
    hardened,
    folder,
    root: join(folder, "www"),
    chainFile: join(folder, "chain.pem"),
    keyFile: join(folder, "key.pem"),
    bothFile: join(folder, "both.pem"),
    tlsPort: portWithoutListener(),
    plainPort: portWithoutListener(),
    originPort: origin.port,
  };
  const cleanUp = async () => {
    await origin.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeSite(layout);
    const command = configurations[name](layout);
    const running = await startProcess(command, async () => (await isListening(layout.tlsPort)) && isListening(layout.plainPort));
    return {
      url: `https://${host}/`,
      egress: egressTo({ [`${host}:443`]: { port: layout.tlsPort }, [`${host}:80`]: { port: layout.plainPort } }),
      caPems: [testAuthority().root.pem],
      stop: async () => {
        await running.stop();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

function writeSite({ host, folder, root, chainFile, keyFile, bothFile }: Layout): void {
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  mkdirSync(root, { mode: 0o755 });
  // Servers that start as root run as another user that needs access.
  chmodSync(folder, 0o755);
  writeFileSync(chainFile, certificateChainPem);
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 });
  writeFileSync(bothFile, certificateChainPem + privateKeyPem, { mode: 0o600 });
  writeFileSync(join(root, "index.html"), page);
}

function versionOf(name: WebServerName): string {
  const { stdout, stderr } = Bun.spawnSync([...versionCommands[name]], { stdout: "pipe", stderr: "pipe" });
  return `${name} ${/\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? "of unknown version"}`;
}
