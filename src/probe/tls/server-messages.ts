/** Parses ServerHello and Certificate messages. */
import { createHash } from "node:crypto";
import { extensionHeaderBytes, extensionTypes } from "./tls-wire.ts";

export interface ServerHello {
  readonly version: number;
  readonly suite: number;
  /** Key share of TLS 1.3; null in older versions and in a HelloRetryRequest. */
  readonly keyShare: { readonly group: number; readonly key: Buffer } | null;
  /** Group of a HelloRetryRequest; null in any other hello. */
  readonly retryGroup: number | null;
}

const randomAt = 2;
const sessionIdAt = 34;

/** RFC 8446 section 4.1.3: random bytes of a HelloRetryRequest. */
const retryRandom = createHash("sha256").update("HelloRetryRequest").digest();

/** RFC 5246 section 7.4.1.3; RFC 8446 section 4.1.3. Null for a truncated message. */
export function readServerHello(body: Buffer): ServerHello | null {
  const sessionIdLength = body[sessionIdAt];
  if (sessionIdLength === undefined || body.length < sessionIdAt + 1 + sessionIdLength + 3) return null;
  const suiteAt = sessionIdAt + 1 + sessionIdLength;
  const extensions = readExtensions(body.subarray(suiteAt + 3));
  const isRetry = body.subarray(randomAt, sessionIdAt).equals(retryRandom);
  const selected = extensions.get(extensionTypes.supportedVersions);
  const share = extensions.get(extensionTypes.keyShare);
  return {
    // RFC 8446 section 4.2.1: a server of TLS 1.3 sends its version in an extension.
    version: selected?.length === 2 ? selected.readUInt16BE(0) : body.readUInt16BE(0),
    suite: body.readUInt16BE(suiteAt),
    keyShare: isRetry ? null : readKeyShare(share),
    retryGroup: isRetry && share?.length === 2 ? share.readUInt16BE(0) : null,
  };
}

function readExtensions(lengthAndExtensions: Buffer): ReadonlyMap<number, Buffer> {
  const extensions = new Map<number, Buffer>();
  let rest = lengthAndExtensions.subarray(2);
  while (rest.length >= extensionHeaderBytes) {
    const end = extensionHeaderBytes + rest.readUInt16BE(2);
    if (rest.length < end) break;
    extensions.set(rest.readUInt16BE(0), rest.subarray(extensionHeaderBytes, end));
    rest = rest.subarray(end);
  }
  return extensions;
}

/** RFC 8446 section 4.2.8. */
function readKeyShare(value: Buffer | undefined): ServerHello["keyShare"] {
  if (value === undefined || value.length < 4 || value.length !== 4 + value.readUInt16BE(2)) return null;
  return { group: value.readUInt16BE(0), key: value.subarray(4) };
}

/** RFC 5246 section 7.4.2: a length precedes each certificate. */
export function readCertificates(body: Buffer): readonly Buffer[] {
  return readCertificateList(body.subarray(3), false);
}

/** RFC 8446 section 4.4.2: a context precedes the list, and extensions follow each certificate. */
export function readTls13Certificates(body: Buffer): readonly Buffer[] {
  return readCertificateList(body.subarray(1 + (body[0] ?? 0) + 3), true);
}

function readCertificateList(list: Buffer, withExtensions: boolean): readonly Buffer[] {
  const certificates: Buffer[] = [];
  let rest = list;
  while (rest.length >= 3) {
    const end = 3 + rest.readUIntBE(0, 3);
    if (end === 3 || rest.length < end) break;
    certificates.push(Buffer.from(rest.subarray(3, end)));
    rest = rest.subarray(end);
    if (withExtensions) rest = rest.length < 2 ? rest.subarray(rest.length) : rest.subarray(2 + rest.readUInt16BE(0));
  }
  return certificates;
}
