/** Gzip bodies joined from parts, of which each was compressed for itself. */
import { constants, crc32, deflateRawSync } from "node:zlib";

export interface GzipPart {
  /** Deflate blocks (RFC 1951) that end at a byte boundary and refer to nothing before them. */
  readonly bytes: Uint8Array;
  /** CRC-32 of the plain text. */
  readonly length: number;
  readonly crc: number;
  /** Factor that moves a CRC-32 over the plain text. */
  readonly shift: number;
}

/** Largest length of a stored block (RFC 1951 section 3.2.4). */
const storedBytesMax = 0xffff;
/** Deflate, no flags, no time, Unix. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** An empty stored block that ends the stream. */
const lastBlock = Buffer.from([1, 0, 0, 0xff, 0xff]);
const gzipTailBytes = 8;

/** `level`: compression level of zlib, 1 to 9. */
export function packPart(text: string, level: number): GzipPart {
  const plain = Buffer.from(text);
  return partOf(plain, deflateRawSync(plain, { level, finishFlush: constants.Z_SYNC_FLUSH }));
}

/** Without compression, so the length says nothing of the content (BREACH). */
export function storedPart(text: string): GzipPart {
  const plain = Buffer.from(text);
  const blocks = Array.from({ length: Math.ceil(plain.length / storedBytesMax) }, (_none, at) => {
    const content = plain.subarray(at * storedBytesMax, (at + 1) * storedBytesMax);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(content.length, 1);
    head.writeUInt16LE(0xffff - content.length, 3);
    return Buffer.concat([head, content]);
  });
  return partOf(plain, Buffer.concat(blocks));
}

function partOf(plain: Buffer, bytes: Buffer): GzipPart {
  return { bytes, length: plain.length, crc: crc32(plain), shift: powerOfX(8 * plain.length) };
}

/** A whole gzip file (RFC 1952) of the parts, in their order. */
export function joinGzip(parts: readonly GzipPart[]): Uint8Array<ArrayBuffer> {
  const tail = Buffer.alloc(gzipTailBytes);
  // CRC-32 is linear: two texts together have the CRC of the first one, moved over the second text, and of the second one.
  tail.writeUInt32LE(
    parts.reduce((sum, { crc, shift }) => (crcProduct(shift, sum) ^ crc) >>> 0, 0),
    0,
  );
  tail.writeUInt32LE(parts.reduce((sum, { length }) => sum + length, 0) % 2 ** 32, 4);
  return new Uint8Array(Buffer.concat([gzipHead, ...parts.map(({ bytes }) => bytes), lastBlock, tail]));
}

/** CRC-32 polynomial; as all numbers below with the highest power in the lowest bit (RFC 1952 section 8). */
const polynomial = 0xedb88320;
const one = 0x80000000;

/** Product of two polynomials over GF(2), modulo the polynomial of CRC-32. */
function crcProduct(left: number, right: number): number {
  let sum = 0;
  let factor = right;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) sum ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ polynomial;
  }
  return sum >>> 0;
}

/** x to this power, modulo the polynomial of CRC-32. */
function powerOfX(exponent: number): number {
  let power = one;
  let square = one >>> 1;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = crcProduct(square, power);
    square = crcProduct(square, square);
  }
  return power;
}
