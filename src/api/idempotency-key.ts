/** The request header Idempotency-Key, by draft-ietf-httpapi-idempotency-key-header-07. */
import { invalidIdempotencyKey } from "./errors.ts";

export const idempotencyKeyCharsMax = 255;
const visibleAscii = /^[\x21-\x7e]+$/;
/** String of a structured field: RFC 9651 section 3.3.3. */
const structuredString = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * The key without quotes: clients also send it bare. Null without the header. Repeated headers arrive joined by a comma and a space.
 * @throws ApiError 400
 */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const field = headers.get("idempotency-key");
  if (field === null) return null;
  const key = field.startsWith('"') ? structuredString.exec(field)?.[1]?.replaceAll(/\\(.)/g, "$1") : field;
  if (key === undefined || key.length > idempotencyKeyCharsMax || !visibleAscii.test(key))
    throw invalidIdempotencyKey(idempotencyKeyCharsMax);
  return key;
}

/** Hash of what a request asks for: its path and its URLs in their stored form, null for one that is refused. */
export function fingerprintOf(path: string, urls: readonly (string | null)[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([path, urls])).digest("base64url");
}
