/** Structure of a JPEG image, without decoding it: ITU-T T.81 (ISO/IEC 10918-1), annex B. */

export interface JpegSize {
  readonly width: number;
  readonly height: number;
}

const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda];
/** Start of frame: baseline, extended and progressive, each with Huffman coding. */
const startsOfFrame = [0xc0, 0xc1, 0xc2];
const [defineHuffmanTables, defineQuantization, defineRestart, comment] = [0xc4, 0xdb, 0xdd, 0xfe];
const applicationSegments = { first: 0xe0, last: 0xef };
const restarts = { first: 0xd0, last: 0xd7 };
/** Length, precision, height, width and number of components. */
const frameBytesMin = 8;

/** Size of an image of 8-bit samples that ends with its last byte. Null for anything else, also for lossless and arithmetic coding. */
export function parseJpeg(bytes: Uint8Array): JpegSize | null {
  if (bytes[0] !== 0xff || bytes[1] !== startOfImage) return null;
  let size: JpegSize | null = null;
  let hasScan = false;
  for (let at = 2; at < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === endOfImage) return hasScan && at + 2 === bytes.length ? size : null;
    const end = at + 2 + numberAt(bytes, at + 2);
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

function frameSize(frame: Uint8Array): JpegSize | null {
  const [height, width] = [numberAt(frame, 3), numberAt(frame, 5)];
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

function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
