/** Reads a server's first flight, from its hello to its certificates. */
import { createHash } from "node:crypto";
import type { TlsVersion } from "../../evidence/limits.ts";
import type { TlsVersionAnswer } from "../../evidence/tls-facts.ts";
import type { RecordDecryptor } from "./handshake-keys.ts";
import {
  ByteQueue,
  extensionHeaderBytes,
  extensionTypes,
  messageHeaderBytes,
  messageTypes,
  recordHeaderBytes,
  recordTypes,
  versionCodes,
} from "./tls-wire.ts";

interface ServerHello {
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

/** RFC 8446 section 6. */
const alertLevelWarning = 1;
const alerts = { closeNotify: 0, handshakeFailure: 40, protocolVersion: 70, insufficientSecurity: 71, internalError: 80 } as const;

/** RFC 5246 section 6.2.1, plus the overhead of section 6.2.3; RFC 8446 section 5.2 allows less. */
const recordBytesMax = 2 ** 14 + 2_048;
/** Large enough for a certificate with ten thousand names. */
const flightBytesMax = 2 ** 20;

export interface ServerFlight {
  /** True if the first bytes were TLS; null if no bytes came. */
  readonly isTls: boolean | null;
  readonly version: number | null;
  readonly suite: number | null;
  /** DER, as sent; empty if they were encrypted and could not be decrypted. */
  readonly certificates: readonly Buffer[];
  /** Group of TLS 1.3 in a key share or a HelloRetryRequest; null in older versions. */
  readonly group: number | null;
  /** Body of a ServerKeyExchange message; null if there was none. */
  readonly keyExchange: Buffer | null;
  /** True if a server of 1.2 or older sent ServerHelloDone. */
  readonly done: boolean;
  readonly alert: number | null;
}

/** Creates the decryption of records after a TLS 1.3 hello; null if impossible. `message` is the hello with its header. */
export type CreateDecryptor = (hello: ServerHello, message: Buffer) => RecordDecryptor | null;

export class ServerFlightReader {
  readonly #createDecryptor: CreateDecryptor;
  #decryptRecord: RecordDecryptor | null = null;
  readonly #records = new ByteQueue();
  readonly #messages = new ByteQueue();
  #bytes = 0;
  #ended = false;
  #flight: ServerFlight = {
    isTls: null,
    version: null,
    suite: null,
    certificates: [],
    group: null,
    keyExchange: null,
    done: false,
    alert: null,
  };

  constructor(createDecryptor: CreateDecryptor = () => null) {
    this.#createDecryptor = createDecryptor;
  }

  get flight(): ServerFlight {
    return this.#flight;
  }

  /** Returns true once nothing more is needed. Never throws. */
  push(bytes: Buffer): boolean {
    this.#bytes += bytes.length;
    this.#records.append(bytes);
    while (!this.#ended && this.#takeRecord()) {}
    return this.#ended || this.#bytes > flightBytesMax;
  }

  #takeRecord(): boolean {
    const header = this.#records.peek(Math.min(recordHeaderBytes, this.#records.length));
    if (header === null || header.length === 0) return false;
    if (!isRecordHeader(header, this.#decryptRecord !== null)) {
      this.#end(this.#flight.isTls === null ? { isTls: false } : {});
      return false;
    }
    if (header.length < recordHeaderBytes) return false;
    const record = this.#records.take(recordHeaderBytes + header.readUInt16BE(3));
    if (record === null) return false;
    this.#update({ isTls: true });
    this.#readRecord(record[0] ?? 0, record);
    return true;
  }

  #readRecord(type: number, record: Buffer): void {
    const content = record.subarray(recordHeaderBytes);
    if (type === recordTypes.applicationData) this.#readEncrypted(record);
    else if (type === recordTypes.alert) this.#readAlert(content);
    else if (type === recordTypes.handshake) this.#readMessages(content);
    // RFC 8446 section D.4: a ChangeCipherSpec record after the hello has no meaning.
  }

  #readEncrypted(record: Buffer): void {
    const decrypted = this.#decryptRecord?.(record) ?? null;
    if (decrypted?.type === recordTypes.handshake) this.#readMessages(decrypted.content);
    else if (decrypted?.type === recordTypes.alert) this.#readAlert(decrypted.content);
    else this.#end({});
  }

  #readAlert([level, description]: Uint8Array): void {
    // RFC 6066 section 3: a server may warn of an unknown name and continue. The alerts of the table end the handshake
    // at any level (RFC 8446 section 6).
    const ends = Object.values<number | undefined>(alerts).includes(description);
    if (level !== alertLevelWarning || ends) this.#end({ alert: description ?? null });
  }

  #readMessages(bytes: Buffer): void {
    this.#messages.append(bytes);
    while (!this.#ended) {
      const header = this.#messages.peek(messageHeaderBytes);
      const message = header === null ? null : this.#messages.take(messageHeaderBytes + header.readUIntBE(1, 3));
      if (message === null) return;
      this.#readMessage(message[0] ?? 0, message);
    }
  }

  #readMessage(type: number, message: Buffer): void {
    const body = message.subarray(messageHeaderBytes);
    if (type === messageTypes.serverHello) {
      this.#readHello(readServerHello(body), message);
    } else if (type === messageTypes.certificate && this.#decryptRecord !== null) {
      this.#end({ certificates: readTls13Certificates(body) });
    } else if (type === messageTypes.certificate) {
      this.#update({ certificates: readCertificates(body) });
    } else if (type === messageTypes.serverKeyExchange && this.#decryptRecord === null) {
      this.#update({ keyExchange: body });
    } else if (type === messageTypes.serverHelloDone) {
      this.#end({ done: true });
    }
  }

  #readHello(hello: ServerHello | null, message: Buffer): void {
    // A second hello would overwrite the facts of the first.
    if (hello === null || this.#flight.version !== null) {
      this.#end({});
      return;
    }
    this.#update({ version: hello.version, suite: hello.suite, group: hello.keyShare?.group ?? hello.retryGroup });
    if (hello.version < versionCodes["1.3"]) return;
    // RFC 8446 section 5.1: messages must not span a key change.
    this.#decryptRecord = this.#messages.length === 0 ? this.#createDecryptor(hello, message) : null;
    if (this.#decryptRecord === null) this.#end({});
  }

  #update(part: Partial<ServerFlight>): void {
    this.#flight = { ...this.#flight, ...part };
  }

  #end(part: Partial<ServerFlight>): void {
    this.#update(part);
    this.#ended = true;
  }
}

/**
 * Alerts that refuse an old version: protocol_version (RFC 5246 section 7.2.2), or no acceptable suite. OpenSSL sends
 * internal_error when its security level leaves no signature algorithm. Other alerts concern the name or format of the
 * hello.
 */
const alertsAgainstOldVersions: readonly number[] = [
  alerts.handshakeFailure,
  alerts.protocolVersion,
  alerts.insufficientSecurity,
  alerts.internalError,
];

/**
 * Whether a server accepts the only version that was offered.
 * - `accepted` needs a hello and, up to 1.2, the rest of the flight: a server may lack a key for its version.
 * - `refused` needs a hello with another version (RFC 5246 section E.1) or protocol_version (RFC 5246 section 7.2.2, RFC
 *   8446 section 6.2). For 1.0 and 1.1, every alert of the list above counts.
 * - Anything else is `unknown`, because a middlebox may have caused it.
 */
export function versionAnswer(offered: TlsVersion, { version, done, alert }: ServerFlight): TlsVersionAnswer {
  const isOld = offered === "1.0" || offered === "1.1";
  if (version !== null && version !== versionCodes[offered]) return "refused";
  if (isOld && alert !== null && alertsAgainstOldVersions.includes(alert)) return "refused";
  if (version === null) return alert === alerts.protocolVersion ? "refused" : "unknown";
  return done || offered === "1.3" ? "accepted" : "unknown";
}

/** True for the start of a TLS record header: a few bytes are enough to detect another protocol. */
function isRecordHeader(header: Buffer, isEncrypted: boolean): boolean {
  const [type = 0, majorVersion = 3] = header;
  const lengthFits = header.length < recordHeaderBytes || header.readUInt16BE(3) <= recordBytesMax;
  const known = type === recordTypes.alert || type === recordTypes.handshake;
  return (
    (known || (isEncrypted && (type === recordTypes.applicationData || type === recordTypes.changeCipherSpec))) &&
    majorVersion === 3 &&
    lengthFits
  );
}
