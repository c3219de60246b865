/** Reads the distinguished encoding of X.690, as far as certificates need it. */

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
}

const longForm = 0x80;
const lengthBytesMax = 4;

/** The values that stand one behind the other in these bytes; null when they are not whole. Tags have one byte. */
export function readDer(bytes: Uint8Array): readonly DerValue[] | null {
  const values: DerValue[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1];
    if (first === undefined) return null;
    const lengthBytes = first < longForm ? 0 : first - longForm;
    // The indefinite form (0x80) is not distinguished.
    if (first === longForm || lengthBytes > lengthBytesMax) return null;
    const begin = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : bytes.subarray(at + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0);
    if (begin + length > bytes.length) return null;
    values.push({ tag, content: bytes.subarray(begin, begin + length) });
    at = begin + length;
  }
  return values;
}
