/** Parses the parameters of a ServerKeyExchange message of TLS 1.2 and older, and names of curves. */

/** Bytes of the prime without leading zeros (RFC 5246 section 7.4.3); null if the message is truncated or the prime is zero. */
export function finiteFieldPrime(message: Uint8Array): Uint8Array | null {
  const prime = vector16(message, 0);
  const generator = prime === null ? null : vector16(message, 2 + prime.length);
  const publicKey = prime === null || generator === null ? null : vector16(message, 4 + prime.length + generator.length);
  if (prime === null || generator === null || publicKey === null) return null;
  const first = prime.findIndex((byte) => byte !== 0);
  return first < 0 ? null : prime.subarray(first);
}

/** Number of bits of an unsigned integer without leading zeros. */
export function bitLength(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : (bytes.length - 1) * 8 + (32 - Math.clz32(bytes[0] ?? 0));
}

/** `named_curve` of RFC 8422 section 5.4. */
const namedCurveType = 3;

/** Number of the named curve (RFC 8422 section 5.4); null for explicit parameters and truncated messages. */
export function namedCurve(message: Uint8Array): number | null {
  const [type, high, low, keyLength] = message;
  if (type !== namedCurveType || high === undefined || low === undefined || keyLength === undefined) return null;
  return message.length < 4 + keyLength ? null : high * 256 + low;
}

/** Contents of a vector with a length of two bytes. */
function vector16(bytes: Uint8Array, at: number): Uint8Array | null {
  const [high, low] = bytes.subarray(at, at + 2);
  if (high === undefined || low === undefined) return null;
  const end = at + 2 + high * 256 + low;
  return bytes.length < end ? null : bytes.subarray(at + 2, end);
}

/** RFC 9325 section 4.5: shorter curves must not be used. */
const curveBitsMin = 224;

/** True if a curve with an IANA name such as `secp192r1` or `sect163k1` is too short. */
export function isShortCurve(name: string): boolean {
  const bits = /^sec[pt](\d{3})/.exec(name)?.[1];
  return bits !== undefined && Number(bits) < curveBitsMin;
}

/** True if the curve is over a binary field, which RFC 8422 deprecates. */
export function isBinaryCurve(name: string): boolean {
  return name.startsWith("sect");
}
