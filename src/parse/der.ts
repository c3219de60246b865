/** Reads the distinguished encoding rules (DER) of X.690, as far as certificates use them. */

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Tags of X.690 in certificates. The explicit tags hold version and extensions (RFC 5280 section 4.1). */
export const derTags = {
  boolean: 0x01,
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
/** Longer than any registered identifier. */
const identifierBytesMax = 64;

/** Consecutive values in these bytes; null if incomplete or malformed. Supports one-byte tags only. */
export function readDer(bytes: Uint8Array): readonly DerValue[] | null {
  const values: DerValue[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1];
    if (first === undefined) return null;
    const lengthBytes = first < longForm ? 0 : first - longForm;
    // DER forbids the indefinite form (0x80).
    if (first === longForm || lengthBytes > lengthBytesMax) return null;
    const begin = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : bytes.subarray(at + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0);
    if (begin + length > bytes.length) return null;
    values.push({ tag, content: bytes.subarray(begin, begin + length) });
    at = begin + length;
  }
  return values;
}

/** Values inside a sequence or an explicitly tagged value; empty for other values and unreadable content. */
export function derChildren(value: DerValue | undefined): readonly DerValue[] {
  const holds = value?.tag === derTags.sequence || value?.tag === derTags.explicit0 || value?.tag === derTags.explicit3;
  return value !== undefined && holds ? (readDer(value.content) ?? []) : [];
}

/** Object identifier in dotted form (X.690 section 8.19); null for any other value. */
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
