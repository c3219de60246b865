/** Reads a server's first flight, from its hello to its certificates. */
import type { TlsVersion } from "../../evidence/limits.ts";
import type { TlsVersionAnswer } from "../../evidence/tls-facts.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { RecordDecryptor } from "./handshake-keys.ts";
import { readCertificates, readServerHello, readTls13Certificates, type ServerHello } from "./server-messages.ts";
import { messageHeaderBytes, messageTypes, recordHeaderBytes, recordTypes, versionCodes } from "./tls-wire.ts";

/** RFC 8446 section 6. */
const alertLevelWarning = 1;
const alerts = { closeNotify: 0, handshakeFailure: 40, protocolVersion: 70, insufficientSecurity: 71, internalError: 80 } as const;

/** RFC 5246 section 6.2.1, plus the overhead of section 6.2.3; RFC 8446 section 5.2 allows less. */
const recordBytesMax = 2 ** 14 + 2_048;
/** Large enough for a certificate with ten thousand names. */
const flightBytesMax = 2 ** 20;

export interface ServerFlight {
  /** Whether the first bytes were TLS; null when none came. */
  readonly isTls: boolean | null;
  readonly version: number | null;
  readonly suite: number | null;
  /** DER, as sent; empty if they were encrypted and could not be decrypted. */
  readonly certificates: readonly Buffer[];
  /** Group of TLS 1.3 in a key share or a HelloRetryRequest; null in older versions. */
  readonly group: number | null;
  /** Body of a ServerKeyExchange message; null if there was none. */
  readonly keyExchange: Buffer | null;
  /** Whether a server of 1.2 or older sent ServerHelloDone. */
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

/** Also accepts the start of a header, so that a server of another protocol is detected at once. */
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
