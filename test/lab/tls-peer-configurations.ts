/** Server configurations whose TLS rows are compared with the findings of testssl.sh and sslscan. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerIdentity, siteIdentity } from "../support/certificates.ts";
import { flight, helloRetryRequest, oakleyPrimes, startHelloServer } from "../support/hello-server.ts";
import { startOpenssl } from "../support/openssl-server.ts";
import { portWithoutListener } from "../support/ports.ts";
import { isListening, startProcess } from "../support/server-process.ts";
import { startGroup } from "./server-group.ts";
import { labHost, type RunningServer } from "./tls-site.ts";
import { webServerNames } from "./web-server-configurations.ts";
import { serveWebServer } from "./web-servers.ts";

/** Versions and suites, the same with key exchanges, or the certificate. */
export type TestsslPart = "suites" | "key-exchange" | "certificate";

export interface PeerConfiguration {
  readonly name: string;
  /** What testssl.sh looks at, which takes some ten times as long as sslscan. Null for sslscan alone. */
  readonly testssl: TestsslPart | null;
  readonly host?: string;
  serve(): Promise<RunningServer>;
}

const rsa = () => siteIdentity(labHost, { key: "rsa-2048" });
const modern = "ECDHE-RSA-AES128-GCM-SHA256";

function openssl(name: string, args: readonly string[], testssl: TestsslPart | null = "suites"): PeerConfiguration {
  return { name: `OpenSSL, ${name}`, testssl, serve: () => startOpenssl(rsa(), args) };
}

const opensslConfigurations: readonly PeerConfiguration[] = [
  openssl("suites with ECDHE and GCM", ["-cipher", "ECDHE+AESGCM:ECDHE+CHACHA20"]),
  openssl("TLS 1.3 alone", ["-tls1_3"]),
  openssl("HIGH without anonymous suites", ["-cipher", "HIGH:!aNULL"]),
  openssl("ECDHE with CBC alone", ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA384"]),
  openssl("static RSA alone", ["-tls1_2", "-cipher", "AES128-SHA"]),
  openssl("a suite without encryption", ["-tls1_2", "-cipher", `NULL-SHA256:${modern}:@SECLEVEL=0`]),
  openssl("an anonymous suite", ["-tls1_2", "-cipher", `ADH-AES128-SHA256:${modern}:@SECLEVEL=0`]),
  openssl("everything", ["-cipher", "ALL:eNULL:@SECLEVEL=0"]),
  // testssl.sh cannot connect to it with Debian's OpenSSL.
  openssl("TLS 1.0 alone", ["-tls1", "-cipher", "ECDHE-RSA-AES128-SHA:@SECLEVEL=0"], null),
  openssl("TLS 1.1 alone", ["-tls1_1", "-cipher", "AES256-SHA:@SECLEVEL=0"]),
  openssl("ffdhe2048", ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"]),
  openssl("the curve P-192", ["-tls1_2", "-cipher", `${modern}:@SECLEVEL=0`, "-groups", "P-256:P-192"], "key-exchange"),
  openssl("a binary curve", ["-tls1_2", "-cipher", `${modern}:@SECLEVEL=0`, "-groups", "P-256:sect571r1"], "key-exchange"),
  {
    name: "OpenSSL, Oakley group 2",
    testssl: "key-exchange",
    serve: () =>
      inFolder(async (folder) => {
        const file = join(folder, "dh.pem");
        writeFileSync(file, dhParametersPem(oakleyPrimes.group2));
        return startOpenssl(rsa(), ["-tls1_2", "-cipher", `DHE-RSA-AES128-GCM-SHA256:${modern}:@SECLEVEL=0`, "-dhparam", file]);
      }),
  },
];

function gnutls(name: string, priority: string): PeerConfiguration {
  return { name: `GnuTLS, ${name}`, testssl: "suites", serve: () => startGnutls(rsa(), priority) };
}

const gnutlsConfigurations: readonly PeerConfiguration[] = [
  gnutls("NORMAL", "NORMAL"),
  gnutls("SECURE256 with TLS 1.2", "SECURE256:-VERS-ALL:+VERS-TLS1.2"),
  gnutls("RC4 and 3DES", "NORMAL:+VERS-TLS1.1:+VERS-TLS1.0:+ARCFOUR-128:+3DES-CBC:+MD5:+SHA1:+RSA"),
  // testssl.sh needs a suite that its OpenSSL has.
  gnutls("3DES beside GCM", "NORMAL:-CIPHER-ALL:+AES-128-GCM:+3DES-CBC:-VERS-ALL:+VERS-TLS1.2:+SHA1:+RSA"),
];

/** Before a modern server: what no program offers any more. */
function handMade(name: string, reply: Parameters<typeof startHelloServer>[0]): PeerConfiguration {
  const serve = () =>
    startGroup(async (track) => {
      const behind = track(await startOpenssl(rsa(), ["-cipher", modern]));
      const { port } = track(await startHelloServer(reply, behind.port));
      return { port };
    });
  return { name: `by hand, ${name}`, testssl: "suites", serve };
}

const tls12 = 0x0303;
const exportSuite = 0x0008;
const modernSuites = [0x1301, 0x1302, 0x1303, 0xc02f];
const hybridGroup = 0x11ec;

const handMadeConfigurations: readonly PeerConfiguration[] = [
  handMade("an export suite", ({ suites, version }) =>
    version === tls12 && suites.includes(exportSuite) && !modernSuites.some((suite) => suites.includes(suite)) ? flight(exportSuite) : null,
  ),
  handMade("X25519MLKEM768", ({ groups }) => (groups[0] === hybridGroup ? helloRetryRequest(hybridGroup) : null)),
];

/** Debian's defaults. */
const webServerConfigurations: readonly PeerConfiguration[] = webServerNames.map((name) => ({
  name: `${name} by default`,
  testssl: name === "nginx" ? "suites" : null,
  host: `${name}.test`,
  serve: async () => {
    const site = await serveWebServer(name, false);
    const port = site.egress.connectTo.find((mapping) => mapping.port === 443)?.addressPort ?? 0;
    return { port, stop: () => site.stop?.() };
  },
}));

function certificate(name: string, identity: () => ServerIdentity, testssl: TestsslPart | null = null): PeerConfiguration {
  return {
    name: `certificate, ${name}`,
    testssl,
    serve: () => startOpenssl(identity(), ["-cipher", `${modern}:@SECLEVEL=0`]),
  };
}

const certificateConfigurations: readonly PeerConfiguration[] = [
  certificate("sound", rsa),
  certificate("expired", () => siteIdentity(labHost, { key: "rsa-2048", flaw: "expired" }), "certificate"),
  certificate("another host", () => siteIdentity(labHost, { key: "rsa-2048", flaw: "wrong-host" })),
  certificate("self-signed", () => siteIdentity(labHost, { key: "rsa-2048", flaw: "self-signed" })),
  certificate("RSA with 1024 bits", () => siteIdentity(labHost, { key: "rsa-1024" })),
  certificate("signed with SHA-1", () => siteIdentity(labHost, { key: "rsa-2048", hash: "sha1" })),
];

export const peerConfigurations: readonly PeerConfiguration[] = [
  ...opensslConfigurations,
  ...gnutlsConfigurations,
  ...handMadeConfigurations,
  ...webServerConfigurations,
  ...certificateConfigurations,
];

/**
 * gnutls-serv listens on every address of the machine. It therefore runs in a network namespace that has a loopback interface only.
 * A Unix socket, which namespaces share, leads into it.
 */
function startGnutls(identity: ServerIdentity, priority: string): Promise<RunningServer> {
  return inFolder(async (folder) => {
    const [chain, key] = [join(folder, "chain.pem"), join(folder, "key.pem")];
    writeFileSync(chain, identity.certificateChainPem);
    writeFileSync(key, identity.privateKeyPem, { mode: 0o600 });
    const port = portWithoutListener();
    const files = ["--x509certfile", chain, "--x509keyfile", key];
    const socket = join(folder, "gnutls.sock");
    const server = ["gnutls-serv", "--http", "--quiet", "--port", String(port), "--priority", priority, ...files];
    const script = `ip link set lo up && { "$@" & exec socat UNIX-LISTEN:${socket},fork TCP:127.0.0.1:${port},retry=20,interval=0.1; }`;
    const isolated = ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh"];
    return startGroup(async (track) => {
      track(await startProcess([...isolated, ...server], async () => existsSync(socket)));
      track(
        await startProcess(["socat", `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`, `UNIX-CONNECT:${socket}`], () =>
          isListening(port),
        ),
      );
      return { port };
    });
  });
}

/** Removes the folder with the server. */
async function inFolder(start: (folder: string) => Promise<RunningServer>): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-tls-"));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { port, stop } = await start(folder);
    return {
      port,
      stop: async () => {
        await stop();
        clear();
      },
    };
  } catch (error) {
    clear();
    throw error;
  }
}

/** DHParameter of PKCS #3 with the generator 2, for a prime of up to 1016 bytes. */
function dhParametersPem(prime: Buffer): string {
  const tlv = (tag: number, value: Buffer) =>
    Buffer.concat([
      value.length < 128 ? Buffer.from([tag, value.length]) : Buffer.from([tag, 0x82, value.length >> 8, value.length & 255]),
      value,
    ]);
  const der = tlv(0x30, Buffer.concat([tlv(0x02, Buffer.concat([Buffer.from([0]), prime])), tlv(0x02, Buffer.from([2]))]));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN DH PARAMETERS-----\n${lines.join("\n")}\n-----END DH PARAMETERS-----\n`;
}
