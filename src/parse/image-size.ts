/** Type and size of PNG, WebP and JPEG images from their headers, without decoding them. */

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

export interface ImageSize extends PixelSize {
  readonly type: "image/png" | "image/webp";
}

interface Chunk {
  readonly name: string;
  readonly data: Uint8Array;
}

const pngSignature = "\x89PNG\r\n\x1a\n";
/** Width, height, depth, colour type, compression, filter and interlace. */
const pngHeaderBytes = 13;
/** PNG, third edition, section 7.1. */
const pngLengthMax = 2 ** 31 - 1;
/** `RIFF`, the size of the rest, and `WEBP`. */
const riffHeaderBytes = 12;
/** RFC 9649 section 2.7: flags, reserved bytes, and the size of the canvas. */
const canvasBytes = 10;
const animationFlag = 0x02;

/** Size of a PNG or WebP image; null for other types and animated WebP. `broken`: cut off, or with contradictory headers. */
export function parseImageSize(bytes: Uint8Array): ImageSize | "broken" | null {
  if (textAt(bytes, 0, 8) === pngSignature) return pngSize(bytes);
  return textAt(bytes, 0, 4) === "RIFF" && textAt(bytes, 8, 4) === "WEBP" ? webpSize(bytes) : null;
}

/** All chunks must be whole, up to the first that ends the image. */
function pngSize(bytes: Uint8Array): ImageSize | "broken" {
  let size: ImageSize | null = null;
  // Length, name, data and checksum.
  for (let at = pngSignature.length; at + 12 <= bytes.length; ) {
    const length = bigEndian(bytes, at, 4);
    const name = textAt(bytes, at + 4, 4);
    if (at + 12 + length > bytes.length) return "broken";
    // The header comes first, and only once: a second one could state another size.
    if ((name === "IHDR") !== (size === null)) return "broken";
    if (size === null) {
      if (length !== pngHeaderBytes) return "broken";
      size = sizeFrom("image/png", bigEndian(bytes, at + 8, 4), bigEndian(bytes, at + 12, 4));
      if (size === null) return "broken";
    }
    if (name === "IEND") return size;
    at += 12 + length;
  }
  return "broken";
}

/** RFC 9649: a still image is one chunk of image data. If a canvas is declared, its size must be equal. */
function webpSize(bytes: Uint8Array): ImageSize | "broken" | null {
  const chunks = riffChunks(bytes);
  const [first] = chunks ?? [];
  if (chunks === null || first === undefined) return "broken";
  const images = chunks.filter(({ name }) => name === "VP8 " || name === "VP8L");
  const [image] = images;
  if (first.name !== "VP8X") return images.length === 1 && image === first ? frameSizeOf(image) : "broken";
  if (first.data.length !== canvasBytes) return "broken";
  if (((first.data[0] ?? 0) & animationFlag) !== 0 || chunks.some(({ name }) => name === "ANIM" || name === "ANMF")) return null;
  const frame = image === undefined || images.length > 1 ? "broken" : frameSizeOf(image);
  const [width, height] = [4, 7].map((at) => 1 + littleEndian(first.data, at, 3));
  return frame !== "broken" && frame.width === width && frame.height === height ? frame : "broken";
}

/** Chunks of a WebP file; null if the file or a chunk is cut off. */
function riffChunks(bytes: Uint8Array): readonly Chunk[] | null {
  const end = 8 + littleEndian(bytes, 4, 4);
  if (bytes.length < riffHeaderBytes || end > bytes.length) return null;
  const chunks: Chunk[] = [];
  for (let at = riffHeaderBytes; at < end; ) {
    const length = littleEndian(bytes, at + 4, 4);
    if (at + 8 + length > end) return null;
    chunks.push({ name: textAt(bytes, at, 4), data: bytes.subarray(at + 8, at + 8 + length) });
    // RFC 9649 section 2.3: chunks have even lengths.
    at += 8 + length + (length % 2);
  }
  return chunks;
}

function frameSizeOf({ name, data }: Chunk): ImageSize | "broken" {
  return (name === "VP8L" ? losslessSize(data) : lossySize(data)) ?? "broken";
}

/** RFC 6386 section 9.1: tag of a key frame, start code, and two sizes of 14 bits with a scale. */
function lossySize(data: Uint8Array): ImageSize | null {
  const isKeyFrame = data.length >= 10 && ((data[0] ?? 1) & 1) === 0 && textAt(data, 3, 3) === "\x9d\x01\x2a";
  return isKeyFrame ? sizeFrom("image/webp", littleEndian(data, 6, 2) & 0x3fff, littleEndian(data, 8, 2) & 0x3fff) : null;
}

/** RFC 9649 section 3.4: signature, then two sizes of 14 bits, less one each. */
function losslessSize(data: Uint8Array): ImageSize | null {
  if (data.length < 5 || data[0] !== 0x2f) return null;
  const bits = littleEndian(data, 1, 4);
  return sizeFrom("image/webp", 1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff));
}

function sizeFrom(type: ImageSize["type"], width: number, height: number): ImageSize | null {
  return [width, height].every((length) => length > 0 && length <= pngLengthMax) ? { type, width, height } : null;
}

function bigEndian(bytes: Uint8Array, at: number, count: number): number {
  return bytes.subarray(at, at + count).reduce((number, byte) => number * 256 + byte, 0);
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  return bytes.subarray(at, at + count).reduceRight((number, byte) => number * 256 + byte, 0);
}

function textAt(bytes: Uint8Array, at: number, count: number): string {
  return Buffer.from(bytes.subarray(at, at + count)).toString("latin1");
}

// Structure of a JPEG image, without decoding it: ITU-T T.81 (ISO/IEC 10918-1), annex B.

const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda];
/** Start of frame: baseline, extended and progressive, each with Huffman coding. */
const startsOfFrame = [0xc0, 0xc1, 0xc2];
const [defineHuffmanTables, defineQuantization, defineRestart, comment] = [0xc4, 0xdb, 0xdd, 0xfe];
const applicationSegments = { first: 0xe0, last: 0xef };
const restarts = { first: 0xd0, last: 0xd7 };
/** Length, precision, height, width and number of components. */
const frameBytesMin = 8;

/** Size of an image of 8-bit samples that ends with its last byte. Null for anything else, also for lossless and arithmetic coding. */
export function parseJpeg(bytes: Uint8Array): PixelSize | null {
  if (bytes[0] !== 0xff || bytes[1] !== startOfImage) return null;
  let size: PixelSize | null = null;
  let hasScan = false;
  for (let at = 2; at < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === endOfImage) return hasScan && at + 2 === bytes.length ? size : null;
    const end = at + 2 + bigEndian(bytes, at + 2, 2);
    if (!isSegment(marker) || end < at + 4 || end > bytes.length) return null;
    if (startsOfFrame.includes(marker)) {
      // A second frame could state another size.
      if (size !== null) return null;
      size = frameSize(bytes.subarray(at + 2, end));
      if (size === null) return null;
    }
    if (marker === startOfScan && size === null) return null;
    hasScan ||= marker === startOfScan;
    at = marker === startOfScan ? endOfScan(bytes, end) : end;
  }
  return null;
}

function frameSize(frame: Uint8Array): PixelSize | null {
  const [height, width] = [bigEndian(frame, 3, 2), bigEndian(frame, 5, 2)];
  const isValid = frame.length >= frameBytesMin && frame[2] === 8 && height > 0 && width > 0;
  return isValid ? { width, height } : null;
}

function isSegment(marker: number): boolean {
  const known = [...startsOfFrame, startOfScan, defineHuffmanTables, defineQuantization, defineRestart, comment];
  return known.includes(marker) || (marker >= applicationSegments.first && marker <= applicationSegments.last);
}

/** Position of the first marker after entropy-coded data, in which a zero byte follows each data byte 0xff. */
function endOfScan(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(0xff, start);
  while (at >= 0) {
    const next = bytes[at + 1] ?? 0xff;
    if (next !== 0 && (next < restarts.first || next > restarts.last)) return at;
    at = bytes.indexOf(0xff, at + 2);
  }
  return bytes.length;
}
