/** Laboratory cases for TLS versions and cipher suites, and for servers that violate the protocol. */
import { connect, type Socket } from "node:net";
import { siteIdentity } from "../support/certificates.ts";
import { opensslIsMissing, startOpenssl } from "../support/openssl-server.ts";
import { startHttp, startTcp, type TlsOptions } from "../support/servers.ts";
import type { LabCase, LabSite, States } from "./laboratory.ts";
import { notApplicable } from "./states.ts";
import { expectRefusalByBrowser, labHost, type RunningServer, startPage, tlsSite, tlsStates } from "./tls-site.ts";

const rsa = () => siteIdentity(labHost, { key: "rsa-2048" });

function versionCase(name: string, options: TlsOptions, expected: States = tlsStates(), codes: readonly string[] = []): LabCase {
  return { name, expected, codes, serve: async () => tlsSite(await startPage(rsa(), options)) };
}

function between(minVersion: NonNullable<TlsOptions["minVersion"]>, maxVersion = minVersion): TlsOptions {
  return { minVersion, maxVersion };
}

const legacyAccepted = tlsStates({ "legacy-protocols": "violated" });
/** Browsers refuse these versions, so that the cipher suite is unknown. */
const onlyLegacy = tlsStates({ "modern-protocol": "violated", "legacy-protocols": "violated", "cipher-negotiated": "notChecked" });
const onlyLegacyCodes = ["security.tls.modern-protocol-missing", "security.tls.legacy-protocol-accepted"];

const singleVersions: readonly LabCase[] = [
  versionCase("TLS 1.0 alone", between("TLSv1"), onlyLegacy, onlyLegacyCodes),
  versionCase("TLS 1.1 alone", between("TLSv1.1"), onlyLegacy, onlyLegacyCodes),
  versionCase("TLS 1.0 with 3DES alone", { ...between("TLSv1"), ciphers: "DES-CBC3-SHA" }, onlyLegacy, onlyLegacyCodes),
  versionCase("TLS 1.2 alone", between("TLSv1.2")),
  versionCase("TLS 1.3 alone", between("TLSv1.3")),
];

const versionRanges: readonly LabCase[] = [
  versionCase("TLS 1.0 to 1.3", between("TLSv1", "TLSv1.3"), legacyAccepted, ["security.tls.legacy-protocol-accepted"]),
  versionCase("TLS 1.1 and 1.2", between("TLSv1.1", "TLSv1.2"), legacyAccepted, ["security.tls.legacy-protocol-accepted"]),
  versionCase("TLS 1.2 and 1.3", between("TLSv1.2", "TLSv1.3")),
];

const weakSuite = tlsStates({ "cipher-negotiated": "violated" });

const suites: readonly LabCase[] = [
  versionCase("ECDHE with GCM", { ...between("TLSv1.2"), ciphers: "ECDHE-RSA-AES256-GCM-SHA384" }),
  versionCase("ECDHE with ChaCha20", { ...between("TLSv1.2"), ciphers: "ECDHE-RSA-CHACHA20-POLY1305" }),
  versionCase("ECDHE with CBC", { ...between("TLSv1.2"), ciphers: "ECDHE-RSA-AES128-SHA" }, weakSuite, [
    "security.tls.authenticated-encryption-missing",
  ]),
  versionCase("GCM without forward secrecy", { ...between("TLSv1.2"), ciphers: "AES128-GCM-SHA256" }, weakSuite, [
    "security.tls.forward-secrecy-missing",
  ]),
  versionCase("CBC without forward secrecy", { ...between("TLSv1.2"), ciphers: "AES128-SHA" }, weakSuite, [
    "security.tls.forward-secrecy-missing",
    "security.tls.authenticated-encryption-missing",
  ]),
];

type HelloHandler = (socket: Socket, hello: Buffer) => void;

function forwardTo(port: number): HelloHandler {
  return (socket, hello) => {
    const upstream = connect(port, "127.0.0.1", () => {
      upstream.write(hello);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.once("close", () => upstream.destroy());
  };
}

/** A middlebox before a sound site that handles ClientHellos of TLS 1.0 and 1.1 itself. */
async function middlebox(onLegacyHello: HelloHandler): Promise<RunningServer> {
  const site = await startPage(rsa());
  const proxy = await startTcp((socket) => {
    socket.once("data", (hello: Buffer) => {
      // The version in the ClientHello, after the record header.
      if (hello.readUInt16BE(9) < 0x0303) onLegacyHello(socket, hello);
      else forwardTo(site.port)(socket, hello);
    });
  });
  return {
    port: proxy.port,
    stop: async () => {
      await proxy.stop();
      await site.stop();
    },
  };
}

const alert = (description: number) => (socket: Socket) => void socket.end(Buffer.from([21, 3, 1, 0, 2, 2, description]));
const unknownLegacy = tlsStates({ "legacy-protocols": "notChecked" });

function middleboxCase(name: string, onLegacyHello: HelloHandler, expected: States = tlsStates()): LabCase {
  return { name, expected, serve: async () => tlsSite(await middlebox(onLegacyHello)) };
}

const middleboxes: readonly LabCase[] = [
  middleboxCase("old versions are rejected with protocol_version", alert(70)),
  middleboxCase("old versions are rejected with handshake_failure", alert(40)),
  middleboxCase("old versions are rejected with insufficient_security", alert(71)),
  middleboxCase("old versions are rejected with internal_error", alert(80)),
  middleboxCase("old versions are rejected with unrecognized_name", alert(112), unknownLegacy),
  middleboxCase("connections with old versions are reset", (socket) => void socket.resetAndDestroy(), unknownLegacy),
  middleboxCase("connections with old versions are closed", (socket) => void socket.end(), unknownLegacy),
];

/** A plain HTTP server that answers each ClientHello with status 400. */
export function plainHttpOnly(): Promise<RunningServer> {
  return startTcp((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
}

/** The same site scanned from port 80, which this server answers. */
function withPlainHttp(site: LabSite, plain: RunningServer, servers: readonly RunningServer[]): LabSite {
  const connectTo = site.egress.connectTo.map((mapping) => (mapping.port === 80 ? { ...mapping, addressPort: plain.port } : mapping));
  return {
    ...site,
    url: `http://${labHost}/`,
    egress: { ...site.egress, connectTo },
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

const others: readonly LabCase[] = [
  {
    name: "plain HTTP on port 443, scanned from port 80",
    expected: { ...notApplicable(...Object.keys(tlsStates())), "https-available": "violated" },
    serve: async () => {
      const plain = await startHttp({ "/": { body: "<!doctype html><title>A page</title>" } });
      const plainServer = await plainHttpOnly();
      return withPlainHttp(await tlsSite(plainServer), plain, [plain, plainServer]);
    },
  },
];

/** A case that neither the runtime's TLS server nor the browser supports. */
function opensslCase(name: string, args: readonly string[], expected: States, codes: readonly string[] = []): LabCase {
  return { name, expected, codes, serve: async () => tlsSite(await startOpenssl(rsa(), args)), verify: expectRefusalByBrowser };
}

const opensslCases: readonly LabCase[] = [
  {
    name: "plain HTTP that leads to DHE alone, which browsers refuse",
    expected: tlsStates({ "cipher-negotiated": "notChecked" }),
    serve: async () => {
      const openssl = await startOpenssl(rsa(), ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"]);
      const plain = await startHttp({ "/": { status: 301, headers: { location: `https://${labHost}/` } } });
      return withPlainHttp(await tlsSite(openssl), plain, [openssl, plain]);
    },
    verify: expectRefusalByBrowser,
  },
  {
    name: "old versions are rejected by OpenSSL, whose security level has no signature for them",
    expected: tlsStates(),
    // OpenSSL's server handles one connection at a time, but browsers keep several: it gets only the old ClientHellos.
    serve: async () => {
      const openssl = await startOpenssl(rsa(), []);
      const site = await middlebox(forwardTo(openssl.port));
      return {
        ...(await tlsSite(site)),
        stop: async () => {
          await site.stop();
          await openssl.stop();
        },
      };
    },
  },
  opensslCase(
    "Camellia alone with TLS 1.0, which neither runtime nor browser supports",
    ["-tls1", "-cipher", "CAMELLIA256-SHA:@SECLEVEL=0"],
    onlyLegacy,
    onlyLegacyCodes,
  ),
  opensslCase(
    "DHE alone with TLS 1.2, which neither runtime nor browser supports",
    ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
    tlsStates({ "cipher-negotiated": "notChecked" }),
  ),
];

export const versionCases: readonly LabCase[] = [
  ...singleVersions,
  ...versionRanges,
  ...suites,
  ...middleboxes,
  ...others,
  ...(opensslIsMissing() ? [] : opensslCases),
];
