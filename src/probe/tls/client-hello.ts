/** Encodes a ClientHello for one protocol version, in order to test which versions, suites and groups a server accepts. */

import { createECDH, createPublicKey, diffieHellman, type ECDH, generateKeyPairSync, randomBytes } from "node:crypto";
import { tryOr } from "../../base/try-or.ts";
import type { TlsVersion } from "../../evidence/limits.ts";
import { offeredSuites } from "./cipher-suites.ts";
import { extensionHeaderBytes, extensionTypes, messageHeaderBytes, messageTypes, recordTypes, versionCodes } from "./tls-wire.ts";

// Key shares of TLS 1.3 (RFC 8446 section 4.2.8), for the groups that nearly every server supports.

export interface KeyShare {
  readonly group: number;
  readonly publicKey: Buffer;
  /** The shared secret; null for an invalid key of the server, such as a point that is not on the curve. */
  agree(serverKey: Buffer): Buffer | null;
}

export const x25519 = 0x001d;
export const secp256r1 = 0x0017;
export const secp384r1 = 0x0018;
export const secp521r1 = 0x0019;

/** New keys in order of preference. A server without these groups answers with a HelloRetryRequest. */
export function createKeyShares(): readonly KeyShare[] {
  return [x25519Share(), curveShare(secp256r1, "prime256v1"), curveShare(secp384r1, "secp384r1")];
}

/** Key shares for servers that support only P-521, whose keys take long to generate. */
export function createRareKeyShares(): readonly KeyShare[] {
  return [curveShare(secp521r1, "secp521r1")];
}

function x25519Share(): KeyShare {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return {
    group: x25519,
    publicKey: Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"),
    agree: (serverKey) => {
      const key = { kty: "OKP", crv: "X25519", x: serverKey.toString("base64url") };
      return tryOr(() => diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: "jwk" }) }), null);
    },
  };
}

function curveShare(group: number, name: string): KeyShare {
  const keys: ECDH = createECDH(name);
  return { group, publicKey: keys.generateKeys(), agree: (serverKey) => tryOr(() => keys.computeSecret(serverKey), null) };
}

// Named groups of key exchanges that offers are tested for, from the IANA registry "TLS Supported Groups".

type Groups = readonly (readonly [code: number, name: string])[];

/** In the order of their codes, from 1. RFC 9325 section 4.5 forbids curves of less than 224 bits. RFC 8422 deprecates binary curves (`sect`). */
export const weakCurves: Groups = (
  "sect163k1 sect163r1 sect163r2 sect193r1 sect193r2 sect233k1 sect233r1 sect239k1 sect283k1 sect283r1 sect409k1 sect409r1 " +
  "sect571k1 sect571r1 secp160k1 secp160r1 secp160r2 secp192k1 secp192r1"
)
  .split(" ")
  .map((name, at) => [at + 1, name] as const);

/** Groups that also resist quantum computers: draft-ietf-tls-ecdhe-mlkem. */
export const hybridGroups: Groups = [
  [0x11ec, "X25519MLKEM768"],
  [0x11eb, "SecP256r1MLKEM768"],
  [0x11ed, "SecP384r1MLKEM1024"],
];

export function groupCodes(groups: Groups): readonly number[] {
  return groups.map(([code]) => code);
}

/** Name of a group; null if it is not in the list. */
export function groupName(groups: Groups, code: number): string | null {
  return groups.find(([known]) => known === code)?.[1] ?? null;
}

/** X25519, P-256, P-384, P-521, X448, P-192 and P-224 for old servers, secp256k1, Brainpool (RFC 7027), and finite fields (RFC 7919). */
export const offeredGroups: readonly number[] = [
  x25519,
  secp256r1,
  secp384r1,
  secp521r1,
  0x001e,
  0x0015,
  0x0013,
  0x0016,
  0x001a,
  0x001b,
  0x001c,
  0x0100,
  0x0101,
];
/**
 * ECDSA, RSA-PSS, RSA, Ed25519, Ed448, Brainpool (RFC 8734) and DSA; SHA-1 last. ECDSA first as in browsers, so that a
 * server with two certificates chooses the same one.
 */
const signatureAlgorithms = [
  0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601, 0x0603, 0x0807, 0x0808, 0x0809, 0x080a, 0x080b, 0x081a, 0x081b, 0x081c,
  0x0402, 0x0203, 0x0201, 0x0202,
];

/** RFC 7685: some servers hang on a hello of 256 to 511 bytes, so it is padded. */
const helloBytesMin = 512;

export interface HelloOffer {
  readonly suites: readonly number[];
  /** Offered groups; an empty list omits the extension. */
  readonly groups: readonly number[];
}

/** `serverName` is null for addresses, which SNI excludes (RFC 6066 section 3). Only version 1.3 uses the key shares. */
export function clientHello(
  version: TlsVersion,
  serverName: string | null,
  keyShares: readonly KeyShare[],
  { suites, groups }: HelloOffer = { suites: offeredSuites(version), groups: offeredGroups },
): Buffer {
  const head = Buffer.concat([
    // RFC 8446 section 4.1.2: 1.3 is in an extension, and this legacy field contains 1.2.
    uint16(Math.min(versionCodes[version], versionCodes["1.2"])),
    randomBytes(32),
    withLength(1, version === "1.3" ? randomBytes(32) : Buffer.alloc(0)),
    withLength(2, ...suites.map(uint16)),
    withLength(1, Buffer.from([0])),
  ]);
  const extensions = extensionsFor(version, serverName, keyShares, groups);
  const bytes = messageHeaderBytes + head.length + 2 + Buffer.concat(extensions).length;
  if (bytes < helloBytesMin) {
    extensions.push(extension(extensionTypes.padding, Buffer.alloc(Math.max(0, helloBytesMin - bytes - extensionHeaderBytes))));
  }
  const message = Buffer.concat([Buffer.from([messageTypes.clientHello]), withLength(3, head, withLength(2, ...extensions))]);
  // RFC 8446 section 5.1 and RFC 5246 section E.1: the record of a first hello has the oldest version.
  return Buffer.concat([Buffer.from([recordTypes.handshake]), uint16(versionCodes["1.0"]), withLength(2, message)]);
}

function extensionsFor(
  version: TlsVersion,
  serverName: string | null,
  keyShares: readonly KeyShare[],
  groups: readonly number[],
): Buffer[] {
  const all = [extension(extensionTypes.extendedMasterSecret), extension(extensionTypes.renegotiationInfo, withLength(1))];
  if (groups.length > 0) {
    all.unshift(
      extension(extensionTypes.supportedGroups, withLength(2, ...groups.map(uint16))),
      extension(extensionTypes.pointFormats, withLength(1, Buffer.from([0]))),
    );
  }
  if (serverName !== null) {
    all.unshift(extension(extensionTypes.serverName, withLength(2, Buffer.from([0]), withLength(2, Buffer.from(serverName, "latin1")))));
  }
  // RFC 5246 section 7.4.1.4.1: not in hellos of older versions.
  if (version === "1.2" || version === "1.3") {
    all.push(extension(extensionTypes.signatureAlgorithms, withLength(2, ...signatureAlgorithms.map(uint16))));
  }
  if (version === "1.3") {
    const shares = keyShares.map(({ group, publicKey }) => Buffer.concat([uint16(group), withLength(2, publicKey)]));
    all.push(
      extension(extensionTypes.supportedVersions, withLength(1, uint16(versionCodes["1.3"]))),
      extension(extensionTypes.keyShare, withLength(2, ...shares)),
    );
  }
  return all;
}

function extension(type: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([uint16(type), withLength(2, ...parts)]);
}

/** A vector of RFC 8446 section 3.4: the parts after their total length. */
function withLength(lengthBytes: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(value.length, 0, lengthBytes);
  return Buffer.concat([length, value]);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
