/** Gzip bodies that are compressed once and filled with new content for each answer, without compressing again. */
import { constants, crc32, deflateRawSync } from "node:zlib";

/** Text, or a hole of a fixed number of bytes, at most 65,535. */
export type TemplatePart = string | { readonly holeBytes: number };

export interface GzipTemplate {
  /** A whole gzip file (RFC 1952) with filler in its holes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly holes: readonly Hole[];
  /** CRC-32 of the plain text with filler in its holes. */
  readonly crc: number;
}

interface Hole {
  /** Place in `bytes`. */
  readonly offset: number;
  readonly length: number;
  readonly fillerCrc: number;
  /** Factor that moves a CRC-32 over the plain text after the hole. */
  readonly shift: number;
}

/** Never in UTF-8, so no compressed text refers back into a hole. */
const filler = 0xff;
/** Largest distance of a back reference (RFC 1951 section 3.2.5). */
const windowBytes = 32_768;
/** Deflate, no flags, no time, Unix. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const gzipTailBytes = 8;

/**
 * Packs the parts; the last one must be text. Holes are stored blocks (RFC 1951 section 3.2.4): the length of the body never depends on
 * what fills them, which leaves nothing to learn from it (BREACH). `level` is that of zlib, 1 to 9.
 */
export function createGzipTemplate(parts: readonly TemplatePart[], level: number): GzipTemplate {
  const plainParts = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.alloc(part.holeBytes, filler)));
  const plain = Buffer.concat(plainParts);
  const packed: Buffer[] = [gzipHead];
  const holes: Hole[] = [];
  let packedBytes = gzipHead.length;
  let plainBytes = 0;
  for (const [at, part] of plainParts.entries()) {
    const isText = typeof parts[at] === "string";
    const before = plain.subarray(Math.max(0, plainBytes - windowBytes), plainBytes);
    plainBytes += part.length;
    const block = isText ? deflated(part, before, at === parts.length - 1, level) : storedBlock(part);
    packed.push(block);
    packedBytes += block.length;
    if (isText) continue;
    holes.push({
      offset: packedBytes - part.length,
      length: part.length,
      fillerCrc: crc32(part),
      shift: powerOfX(8 * (plain.length - plainBytes)),
    });
  }
  const crc = crc32(plain);
  const tail = Buffer.alloc(gzipTailBytes);
  tail.writeUInt32LE(crc, 0);
  tail.writeUInt32LE(plain.length, 4);
  return { bytes: new Uint8Array(Buffer.concat([...packed, tail])), holes, crc };
}

/** Copy of the template with these contents in its holes, in order. @throws Error for a content of another length than its hole. */
export function fillTemplate({ bytes, holes, crc }: GzipTemplate, contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const filled = bytes.slice();
  let sum = crc;
  for (const [at, { offset, length, fillerCrc, shift }] of holes.entries()) {
    const content = contents[at];
    if (content?.length !== length) throw new Error(`hole ${at} has ${length} bytes, its content ${content?.length}`);
    filled.set(content, offset);
    // CRC-32 is linear: texts of one length that differ in one place differ by the CRC of the difference, moved to the end.
    sum ^= crcProduct(shift, crc32(content) ^ fillerCrc);
  }
  new DataView(filled.buffer).setUint32(filled.length - gzipTailBytes, sum, true);
  return filled;
}

/** The text before it is the dictionary, so holes cost no compression. Ends at a byte boundary, or ends the stream. */
function deflated(text: Buffer, before: Buffer, last: boolean, level: number): Buffer {
  if (text.length === 0 && !last) return text;
  const finishFlush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  return deflateRawSync(text, { level, finishFlush, ...(before.length === 0 ? {} : { dictionary: before }) });
}

function storedBlock(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(0xffff - content.length, 3);
  return Buffer.concat([head, content]);
}

/** CRC-32 polynomial; as all numbers below with the highest power in the lowest bit (RFC 1952 section 8). */
const polynomial = 0xedb88320;
const one = 0x80000000;

/** Product of two polynomials over GF(2), modulo that of CRC-32. */
export function crcProduct(left: number, right: number): number {
  let sum = 0;
  let factor = right;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) sum ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ polynomial;
  }
  return sum >>> 0;
}

/** x to this power, modulo the polynomial of CRC-32. */
export function powerOfX(exponent: number): number {
  let power = one;
  let square = one >>> 1;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = crcProduct(square, power);
    square = crcProduct(square, square);
  }
  return power;
}
