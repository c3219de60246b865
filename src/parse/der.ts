/** Reads the distinguished encoding of X.690, as far as certificates need it. */

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Tags of X.690 that certificates are made of; explicit ones are the extensions and version of RFC 5280 section 4.1. */
export const derTags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  explicit0: 0xa0,
  explicit3: 0xa3,
} as const;

const longForm = 0x80;
const lengthBytesMax = 4;
/** Beyond any identifier that somebody registered. */
const identifierBytesMax = 64;

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

/** The values within a sequence or an explicitly tagged value; empty for anything else, and when they cannot be read. */
export function derChildren(value: DerValue | undefined): readonly DerValue[] {
  const holds = value?.tag === derTags.sequence || value?.tag === derTags.explicit0 || value?.tag === derTags.explicit3;
  return value !== undefined && holds ? (readDer(value.content) ?? []) : [];
}

/** An object identifier in dotted form (X.690 section 8.19), or null when the value is none. */
export function objectIdentifier(value: DerValue | undefined): string | null {
  if (value?.tag !== derTags.objectIdentifier) return null;
  const { content } = value;
  if (content.length === 0 || content.length > identifierBytesMax || (content.at(-1) ?? 0) >= 0x80) return null;
  const numbers: bigint[] = [];
  let number = 0n;
  for (const byte of content) {
    number = number * 128n + BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0n;
  }
  const [joined = 0n, ...others] = numbers;
  const first = joined < 80n ? joined / 40n : 2n;
  return [first, joined - first * 40n, ...others].join(".");
}
