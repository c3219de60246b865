/** The laboratory's versions and suites of TLS: each alone and all together, and servers that answer otherwise than by the book. */
import { connect, type Socket } from "node:net";
import { siteIdentity } from "../support/certificates.ts";
import { hasOpenssl, startOpenssl } from "../support/openssl-server.ts";
import { startHttp, startTcp, type TlsWish } from "../support/servers.ts";
import type { LabCase, States } from "./laboratory.ts";
import { notApplicable } from "./states.ts";
import { labHost, pageOver, type ServedBy, tlsSite, tlsStates } from "./tls-site.ts";

const rsa = () => siteIdentity(labHost, { key: "rsa-2048" });

function spoken(name: string, wish: TlsWish, expected: States = tlsStates(), codes: readonly string[] = []): LabCase {
  return { name, expected, codes, serve: async () => tlsSite(await pageOver(rsa(), wish)) };
}

/** Only these versions. */
function between(minVersion: NonNullable<TlsWish["minVersion"]>, maxVersion = minVersion): TlsWish {
  return { minVersion, maxVersion };
}

const retired = tlsStates({ "legacy-protocols": "violated" });
/** A browser refuses these, so that nothing is known of a suite. */
const onlyRetired = tlsStates({ "modern-protocol": "violated", "legacy-protocols": "violated", "cipher-negotiated": "notChecked" });
const onlyRetiredCodes = ["security.tls.modern-protocol-missing", "security.tls.legacy-protocol-accepted"];

const alone: readonly LabCase[] = [
  spoken("TLS 1.0 alone", between("TLSv1"), onlyRetired, onlyRetiredCodes),
  spoken("TLS 1.1 alone", between("TLSv1.1"), onlyRetired, onlyRetiredCodes),
  spoken("TLS 1.0 with 3DES alone", { ...between("TLSv1"), ciphers: "DES-CBC3-SHA" }, onlyRetired, onlyRetiredCodes),
  spoken("TLS 1.2 alone", between("TLSv1.2")),
  spoken("TLS 1.3 alone", between("TLSv1.3")),
];

const together: readonly LabCase[] = [
  spoken("TLS 1.0 to 1.3", between("TLSv1", "TLSv1.3"), retired, ["security.tls.legacy-protocol-accepted"]),
  spoken("TLS 1.1 and 1.2", between("TLSv1.1", "TLSv1.2"), retired, ["security.tls.legacy-protocol-accepted"]),
  spoken("TLS 1.2 and 1.3", between("TLSv1.2", "TLSv1.3")),
];

const weakSuite = tlsStates({ "cipher-negotiated": "violated" });

const suites: readonly LabCase[] = [
  spoken("ECDHE with GCM", { ...between("TLSv1.2"), ciphers: "ECDHE-RSA-AES256-GCM-SHA384" }),
  spoken("ECDHE with ChaCha20", { ...between("TLSv1.2"), ciphers: "ECDHE-RSA-CHACHA20-POLY1305" }),
  spoken("ECDHE with CBC", { ...between("TLSv1.2"), ciphers: "ECDHE-RSA-AES128-SHA" }, weakSuite, [
    "security.tls.authenticated-encryption-missing",
  ]),
  spoken("GCM without forward secrecy", { ...between("TLSv1.2"), ciphers: "AES128-GCM-SHA256" }, weakSuite, [
    "security.tls.forward-secrecy-missing",
  ]),
  spoken("CBC without forward secrecy", { ...between("TLSv1.2"), ciphers: "AES128-SHA" }, weakSuite, [
    "security.tls.forward-secrecy-missing",
    "security.tls.authenticated-encryption-missing",
  ]),
];

type ToHello = (socket: Socket, hello: Buffer) => void;

function onwardTo(port: number): ToHello {
  return (socket, hello) => {
    const onward = connect(port, "127.0.0.1", () => {
      onward.write(hello);
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.once("close", () => onward.destroy());
  };
}

/** Before a sound site stands something that answers hellos of 1.0 and 1.1 in its own way. */
async function behind(toOldHello: ToHello): Promise<ServedBy> {
  const site = await pageOver(rsa());
  const box = await startTcp((socket) => {
    socket.once("data", (hello: Buffer) => {
      // The version within the hello, behind the record's header.
      if (hello.readUInt16BE(9) < 0x0303) toOldHello(socket, hello);
      else onwardTo(site.port)(socket, hello);
    });
  });
  return {
    port: box.port,
    stop: async () => {
      await box.stop();
      await site.stop();
    },
  };
}

const alert = (description: number) => (socket: Socket) => void socket.end(Buffer.from([21, 3, 1, 0, 2, 2, description]));
const unknownLegacy = tlsStates({ "legacy-protocols": "notChecked" });

function answeringOld(name: string, toOldHello: ToHello, expected: States = tlsStates()): LabCase {
  return { name, expected, serve: async () => tlsSite(await behind(toOldHello)) };
}

const boxes: readonly LabCase[] = [
  answeringOld("old versions are turned away by protocol_version", alert(70)),
  answeringOld("old versions are turned away by handshake_failure", alert(40)),
  answeringOld("old versions are turned away by insufficient_security", alert(71)),
  answeringOld("old versions are turned away by internal_error", alert(80)),
  answeringOld("old versions are answered by unrecognized_name", alert(112), unknownLegacy),
  answeringOld("connections with old versions are reset", (socket) => void socket.resetAndDestroy(), unknownLegacy),
  answeringOld("connections with old versions are closed", (socket) => void socket.end(), unknownLegacy),
];

/** A server that takes every hello for a bad request. */
export function plainHttpOnly(): Promise<ServedBy> {
  return startTcp((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
}

const others: readonly LabCase[] = [
  {
    name: "plain HTTP on port 443, seen from port 80",
    expected: { ...notApplicable(...Object.keys(tlsStates())), "https-available": "violated" },
    serve: async () => {
      const plain = await startHttp({ "/": { body: "<!doctype html><title>A page</title>" } });
      const stranger = await plainHttpOnly();
      const site = await tlsSite(stranger);
      const connectTo = site.egress.connectTo.map((place) => (place.port === 80 ? { ...place, addressPort: plain.port } : place));
      return {
        ...site,
        url: `http://${labHost}/`,
        egress: { ...site.egress, connectTo },
        stop: async () => {
          await plain.stop();
          await stranger.stop();
        },
      };
    },
  },
];

/** What the runtime's server cannot be told to do. */
function byOpenssl(name: string, args: readonly string[], expected: States, codes: readonly string[] = []): LabCase {
  return { name, expected, codes, serve: async () => tlsSite(await startOpenssl(rsa(), args)) };
}

const opensslCases: readonly LabCase[] = [
  {
    name: "old versions are turned away by OpenSSL, whose level of security has no signature for them",
    expected: tlsStates(),
    // OpenSSL's server takes one connection after the other, and a browser keeps more than one: it answers old hellos only.
    serve: async () => {
      const openssl = await startOpenssl(rsa(), []);
      const site = await behind(onwardTo(openssl.port));
      return {
        ...(await tlsSite(site)),
        stop: async () => {
          await site.stop();
          await openssl.stop();
        },
      };
    },
  },
  byOpenssl(
    "Camellia alone with TLS 1.0, which neither runtime nor browser speaks",
    ["-tls1", "-cipher", "CAMELLIA256-SHA:@SECLEVEL=0"],
    onlyRetired,
    onlyRetiredCodes,
  ),
  byOpenssl(
    "DHE alone with TLS 1.2, which neither runtime nor browser speaks",
    ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
    tlsStates({ "cipher-negotiated": "notChecked" }),
  ),
];

export const versionCases: readonly LabCase[] = [
  ...alone,
  ...together,
  ...suites,
  ...boxes,
  ...others,
  ...(hasOpenssl ? opensslCases : []),
];
