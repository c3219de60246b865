/** Decrypts handshake records of a TLS 1.3 server, in order to read its certificates. */

import { createDecipheriv, createHash, createHmac } from "node:crypto";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { tryOr } from "../../base/try-or.ts";
import { recordHeaderBytes } from "./tls-wire.ts";

interface Suite {
  readonly hash: "sha256" | "sha384";
  readonly keyBytes: number;
  readonly decrypt: AeadDecrypt;
}

type AeadDecrypt = (key: Buffer, nonce: Buffer, ciphertext: Buffer, authenticated: Buffer) => Buffer | null;

/** RFC 8446 section B.4; this runtime lacks the CCM suites. */
const suites = new Map<number, Suite>([
  [0x1301, { hash: "sha256", keyBytes: 16, decrypt: aesGcm("aes-128-gcm") }],
  [0x1302, { hash: "sha384", keyBytes: 32, decrypt: aesGcm("aes-256-gcm") }],
  [0x1303, { hash: "sha256", keyBytes: 32, decrypt: decryptChaCha20Poly1305 }],
]);

/** Some servers prefer this suite, which this runtime's own cryptography lacks. */
function decryptChaCha20Poly1305(key: Buffer, nonce: Buffer, ciphertext: Buffer, authenticated: Buffer): Buffer | null {
  return tryOr(() => Buffer.from(chacha20poly1305(key, nonce, authenticated).decrypt(ciphertext)), null);
}

const ivBytes = 12;
const tagBytes = 16;

interface DecryptedRecord {
  readonly type: number;
  readonly content: Buffer;
}

/** Decrypts the records of one direction in order. Null for a record of other keys. */
export type RecordDecryptor = (record: Buffer) => DecryptedRecord | null;

/** Decryptor of the server's records; null for an unknown suite. `hellos` are the two hello messages without record headers. */
export function serverRecordDecryptor(suiteCode: number, sharedSecret: Buffer, hellos: readonly Buffer[]): RecordDecryptor | null {
  const suite = suites.get(suiteCode);
  return suite === undefined ? null : recordDecryptor(suite, serverHandshakeTrafficSecret(suite.hash, sharedSecret, hellos));
}

/** RFC 8446 section 7.1, down to `s hs traffic`; no pre-shared key. */
export function serverHandshakeTrafficSecret(hash: Suite["hash"], sharedSecret: Buffer, hellos: readonly Buffer[]): Buffer {
  const nothing = digest(hash, []);
  const zeros = Buffer.alloc(nothing.length);
  const earlySecret = extract(hash, zeros, zeros);
  const handshakeSecret = extract(hash, expandLabel(hash, earlySecret, "derived", nothing, nothing.length), sharedSecret);
  return expandLabel(hash, handshakeSecret, "s hs traffic", digest(hash, hellos), nothing.length);
}

/** RFC 8446 sections 5.2, 5.3 and 7.3. */
function recordDecryptor({ hash, keyBytes, decrypt }: Suite, trafficSecret: Buffer): RecordDecryptor {
  const key = expandLabel(hash, trafficSecret, "key", Buffer.alloc(0), keyBytes);
  const iv = expandLabel(hash, trafficSecret, "iv", Buffer.alloc(0), ivBytes);
  let sequenceNumber = 0n;
  return (record) => {
    const nonce = Buffer.from(iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(ivBytes - 8) ^ sequenceNumber, ivBytes - 8);
    sequenceNumber++;
    const inner = decrypt(key, nonce, record.subarray(recordHeaderBytes), record.subarray(0, recordHeaderBytes));
    return inner === null ? null : withoutPadding(inner);
  };
}

/** RFC 8446 section 5.4: only zeros may follow the content type. */
function withoutPadding(inner: Buffer): DecryptedRecord | null {
  const typeAt = inner.findLastIndex((byte) => byte !== 0);
  return typeAt < 0 ? null : { type: inner[typeAt] ?? 0, content: inner.subarray(0, typeAt) };
}

function aesGcm(cipher: "aes-128-gcm" | "aes-256-gcm"): AeadDecrypt {
  return (key, nonce, ciphertext, authenticated) => {
    if (ciphertext.length < tagBytes) return null;
    return tryOr(() => {
      const decipher = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(authenticated);
      decipher.setAuthTag(ciphertext.subarray(-tagBytes));
      return Buffer.concat([decipher.update(ciphertext.subarray(0, -tagBytes)), decipher.final()]);
    }, null);
  };
}

function digest(hash: Suite["hash"], parts: readonly Buffer[]): Buffer {
  const running = createHash(hash);
  for (const part of parts) running.update(part);
  return running.digest();
}

/** HKDF-Extract of RFC 5869 section 2.2. */
function extract(hash: Suite["hash"], salt: Buffer, keyMaterial: Buffer): Buffer {
  return createHmac(hash, salt).update(keyMaterial).digest();
}

/** HKDF-Expand-Label of RFC 8446 section 7.1. One round of HKDF-Expand suffices, because no output is longer than the hash. */
function expandLabel(hash: Suite["hash"], secret: Buffer, label: string, context: Buffer, bytes: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, bytes, name.length]), name, Buffer.from([context.length]), context, Buffer.from([1])]);
  return createHmac(hash, secret).update(info).digest().subarray(0, bytes);
}
