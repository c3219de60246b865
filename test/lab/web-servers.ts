/** Debian's nginx, Apache, Caddy, lighttpd and HAProxy, as they come and hardened: what their owners would read about them. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { closedPort, egressTo, startHttp } from "../support/servers.ts";
import type { FinishedScan, LabCase, LabSite, States } from "./laboratory.ts";
import { passed, violated } from "./states.ts";
import { configurations, type Layout, type ServerName, serverNames, versionCommands } from "./web-server-configurations.ts";

const page =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laboratory</title></head><body><h1>It works</h1></body></html>\n';

/** What every one of them gets wrong as it comes: none of them can know what its owner wants. */
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
/** And what each adds to that. */
const alsoByDefault: Readonly<Record<ServerName, States>> = {
  nginx: { "information-disclosure": "violated" },
  apache: { "information-disclosure": "violated" },
  caddy: {},
  lighttpd: { "information-disclosure": "violated" },
  haproxy: {},
};
/** What is in order either way. Debian's nginx and Apache name TLS 1.0 and 1.1 among their versions, but Debian's OpenSSL turns those hellos away. */
const soundByItself = [
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

export const webServerCases: readonly LabCase[] = serverNames.flatMap((name) => {
  const byDefault: States = { ...passed(...soundByItself), ...violated(...missingByDefault), ...alsoByDefault[name] };
  return [
    {
      name: `${versionOf(name)} as it comes`,
      expected: byDefault,
      serve: () => serve(name, false),
      verify: (scan: FinishedScan) => expectNothingElseAmiss(scan, byDefault),
    },
    {
      name: `${versionOf(name)} hardened`,
      expected: passed(...soundByItself, ...missingByDefault, "hsts-effective", "csp-script-sources"),
      serve: () => serve(name, true),
      verify: (scan: FinishedScan) => {
        expect(scan.result.score).toBe(100);
        expectNothingElseAmiss(scan, {});
      },
    },
  ];
});

/** Whatever is not expected by name has to be in order, or not to apply. */
function expectNothingElseAmiss({ result }: FinishedScan, expected: States): void {
  const amiss = result.ledger.filter(({ key, state }) => !(key in expected) && (state === "violated" || state === "notChecked"));
  expect(amiss.map(({ key }) => key)).toEqual([]);
}

async function serve(name: ServerName, hardened: boolean): Promise<LabSite> {
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
    tlsPort: await closedPort(),
    plainPort: await closedPort(),
    originPort: origin.port,
  };
  const cleared = async () => {
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
        await cleared();
      },
    };
  } catch (error) {
    await cleared();
    throw error;
  }
}

function writeSite({ host, folder, root, chainFile, keyFile, bothFile }: Layout): void {
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  mkdirSync(root, { mode: 0o755 });
  // Servers that start as root serve as another user, who must be able to get here.
  chmodSync(folder, 0o755);
  writeFileSync(chainFile, certificateChainPem);
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 });
  writeFileSync(bothFile, certificateChainPem + privateKeyPem, { mode: 0o600 });
  writeFileSync(join(root, "index.html"), page);
}

function versionOf(name: ServerName): string {
  const { stdout, stderr } = Bun.spawnSync([...versionCommands[name]], { stdout: "pipe", stderr: "pipe" });
  return `${name} ${/\d+\.\d+\.\d+/.exec(`${stdout}${stderr}`)?.[0] ?? "of unknown version"}`;
}
