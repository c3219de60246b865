/** Opens what was sealed with ChaCha20-Poly1305 (RFC 8439): some servers prefer it, and this runtime's cryptography has no name for it. */
import { timingSafeEqual } from "node:crypto";

const tagBytes = 16;
const blockBytes = 64;

/** The plaintext, or null when the tag does not fit. */
export function openChaCha20Poly1305(key: Buffer, nonce: Buffer, sealed: Buffer, authenticated: Buffer): Buffer | null {
  if (sealed.length < tagBytes) return null;
  const [ciphertext, tag] = [sealed.subarray(0, -tagBytes), sealed.subarray(-tagBytes)];
  const state = startState(key, nonce);
  // Section 2.6: the first block makes the one-time key.
  const oneTimeKey = keyBlock(state, 0).subarray(0, 32);
  if (!timingSafeEqual(poly1305(oneTimeKey, authenticatedText(authenticated, ciphertext)), tag)) return null;
  const plaintext = Buffer.from(ciphertext);
  for (let at = 0; at < plaintext.length; at += blockBytes) {
    const stream = keyBlock(state, 1 + at / blockBytes);
    for (let byte = at; byte < Math.min(at + blockBytes, plaintext.length); byte++) {
      plaintext[byte] = (plaintext[byte] ?? 0) ^ (stream[byte - at] ?? 0);
    }
  }
  return plaintext;
}

/** Section 2.3: "expand 32-byte k", the key, a counter and the nonce. */
function startState(key: Buffer, nonce: Buffer): Uint32Array {
  const words = Buffer.concat([Buffer.from("expand 32-byte k"), key, Buffer.alloc(4), nonce]);
  return Uint32Array.from({ length: 16 }, (_, at) => words.readUInt32LE(4 * at));
}

/** Columns, then diagonals. */
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;
const doubleRounds = 10;

function keyBlock(start: Uint32Array, counter: number): Buffer {
  const from = Uint32Array.from(start);
  from[12] = counter;
  const words = Uint32Array.from(from);
  for (let round = 0; round < doubleRounds; round++) {
    for (const [a, b, c, d] of quarters) quarterRound(words, a, b, c, d);
  }
  const block = Buffer.alloc(blockBytes);
  for (let at = 0; at < 16; at++) block.writeUInt32LE(((words[at] ?? 0) + (from[at] ?? 0)) >>> 0, 4 * at);
  return block;
}

/** Section 2.1. */
function quarterRound(words: Uint32Array, a: number, b: number, c: number, d: number): void {
  addAndTurn(words, a, b, d, 16);
  addAndTurn(words, c, d, b, 12);
  addAndTurn(words, a, b, d, 8);
  addAndTurn(words, c, d, b, 7);
}

function addAndTurn(words: Uint32Array, sum: number, added: number, turned: number, bits: number): void {
  words[sum] = (words[sum] ?? 0) + (words[added] ?? 0);
  const mixed = (words[turned] ?? 0) ^ (words[sum] ?? 0);
  words[turned] = (mixed << bits) | (mixed >>> (32 - bits));
}

/** Section 2.8: both parts filled up to blocks of 16, and their lengths. */
function authenticatedText(authenticated: Buffer, ciphertext: Buffer): Buffer {
  const lengths = Buffer.alloc(16);
  lengths.writeBigUInt64LE(BigInt(authenticated.length), 0);
  lengths.writeBigUInt64LE(BigInt(ciphertext.length), 8);
  const filled = (part: Buffer) => [part, Buffer.alloc((16 - (part.length % 16)) % 16)];
  return Buffer.concat([...filled(authenticated), ...filled(ciphertext), lengths]);
}

const prime = (1n << 130n) - 5n;
const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

/** Section 2.5. The text is a whole number of blocks here. */
function poly1305(oneTimeKey: Buffer, text: Buffer): Buffer {
  const factor = littleEndian(oneTimeKey, 0) & clamp;
  let sum = 0n;
  for (let at = 0; at < text.length; at += 16) sum = ((sum + littleEndian(text, at) + (1n << 128n)) * factor) % prime;
  const tag = BigInt.asUintN(128, sum + littleEndian(oneTimeKey, 16));
  const bytes = Buffer.alloc(tagBytes);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, tag), 0);
  bytes.writeBigUInt64LE(tag >> 64n, 8);
  return bytes;
}

function littleEndian(bytes: Buffer, at: number): bigint {
  return bytes.readBigUInt64LE(at) | (bytes.readBigUInt64LE(at + 8) << 64n);
}
