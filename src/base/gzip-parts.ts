/** Gzip bodies joined from parts, of which each was compressed for itself. */
import { constants, crc32, deflateRawSync } from "node:zlib";

export interface GzipPart {
  /** Deflate blocks (RFC 1951) that end at a byte boundary and refer to nothing before them. */
  readonly bytes: Uint8Array;
  /** The text, for the check sum of the whole body. */
  readonly plain: Uint8Array;
}

/** Deflate, no flags, no time, Unix. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** An empty stored block that ends the stream. */
const lastBlock = Buffer.from([1, 0, 0, 0xff, 0xff]);
const gzipTailBytes = 8;

/** `level`: compression level of zlib, 1 to 9; 0 for no compression. */
export function packPart(text: string, level: number): GzipPart {
  const plain = Buffer.from(text);
  return { plain, bytes: deflateRawSync(plain, { level, finishFlush: constants.Z_SYNC_FLUSH }) };
}

/** Without compression, so the length says nothing of the content (BREACH). */
export function storedPart(text: string): GzipPart {
  return packPart(text, 0);
}

/** A whole gzip file (RFC 1952) of the parts, in their order. */
export function joinGzip(parts: readonly GzipPart[]): Uint8Array<ArrayBuffer> {
  const tail = Buffer.alloc(gzipTailBytes);
  const sum = parts.reduce((before, { plain }) => crc32(plain, before), 0);
  const length = parts.reduce((before, { plain }) => before + plain.length, 0);
  tail.writeUInt32LE(sum, 0);
  tail.writeUInt32LE(length % 2 ** 32, 4);
  return new Uint8Array(Buffer.concat([gzipHead, ...parts.map(({ bytes }) => bytes), lastBlock, tail]));
}
