/** The request header Idempotency-Key, by draft-ietf-httpapi-idempotency-key-header-07. */
import { localLocation } from "../parse/location.ts";
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

/** What a request asks for. */
export interface WantedScans {
  readonly path: string;
  /** In their stored form; null for one that is refused. */
  readonly urls: readonly (string | null)[];
  readonly location: string;
}

/** A request without location has the hash that it had before there were locations. */
export function fingerprintOf({ path, urls, location }: WantedScans): string {
  const parts = location === localLocation ? [path, urls] : [path, urls, location];
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("base64url");
}
