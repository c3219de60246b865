/** Reads what a server sends in answer to a TLS hello, up to its certificates. */
import type { TlsVersion, TlsVersionAnswer } from "../../evidence/facts.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { RecordOpener } from "./handshake-keys.ts";
import { readCertificates, readCertificatesOfTls13, readServerHello, type ServerHello } from "./server-messages.ts";
import { messageHeaderBytes, messageTypes, recordHeaderBytes, recordTypes, versionCodes } from "./tls-wire.ts";

/** RFC 8446 section 6. */
const alertLevelWarning = 1;
const alerts = { closeNotify: 0, handshakeFailure: 40, protocolVersion: 70, insufficientSecurity: 71, internalError: 80 } as const;

/** RFC 5246 section 6.2.1, with the room that section 6.2.3 leaves for encryption; RFC 8446 section 5.2 leaves less. */
const recordBytesMax = 2 ** 14 + 2_048;
/** All of a flight: a certificate with ten thousand names fits. */
const flightBytesMax = 2 ** 20;

export interface ServerFlight {
  /** Whether the first bytes were TLS; null when none came. */
  readonly isTls: boolean | null;
  /** Code of the version that the server chose; null without a hello. */
  readonly version: number | null;
  /** Code of the suite that the server chose. */
  readonly suite: number | null;
  /** DER, as sent; empty when they came encrypted and could not be opened. */
  readonly certificates: readonly Buffer[];
  /** Whether a server of 1.2 or older said all that it had to say. */
  readonly done: boolean;
  /** Description of the alert that ended the flight. */
  readonly alert: number | null;
}

/** What opens the records behind the hello of a server of 1.3; null when nothing does. `message` is the hello with its header. */
export type OpenHandshake = (hello: ServerHello, message: Buffer) => RecordOpener | null;

export class ServerFlightReader {
  readonly #openHandshake: OpenHandshake;
  #openRecord: RecordOpener | null = null;
  readonly #records = new ByteQueue();
  readonly #messages = new ByteQueue();
  #bytes = 0;
  #ended = false;
  #flight: ServerFlight = { isTls: null, version: null, suite: null, certificates: [], done: false, alert: null };

  constructor(openHandshake: OpenHandshake = () => null) {
    this.#openHandshake = openHandshake;
  }

  get flight(): ServerFlight {
    return this.#flight;
  }

  /** True when nothing more is needed. Never throws. */
  push(bytes: Buffer): boolean {
    this.#bytes += bytes.length;
    this.#records.append(bytes);
    while (!this.#ended && this.#takeRecord()) {}
    return this.#ended || this.#bytes > flightBytesMax;
  }

  /** False while the record is not whole. */
  #takeRecord(): boolean {
    const header = this.#records.peek(Math.min(recordHeaderBytes, this.#records.length));
    if (header === null || header.length === 0) return false;
    if (!isRecordHeader(header, this.#openRecord !== null)) {
      this.#end(this.#flight.isTls === null ? { isTls: false } : {});
      return false;
    }
    if (header.length < recordHeaderBytes) return false;
    const record = this.#records.take(recordHeaderBytes + header.readUInt16BE(3));
    if (record === null) return false;
    this.#note({ isTls: true });
    this.#readRecord(record[0] ?? 0, record);
    return true;
  }

  #readRecord(type: number, record: Buffer): void {
    const content = record.subarray(recordHeaderBytes);
    if (type === recordTypes.sealed) this.#readSealed(record);
    else if (type === recordTypes.alert) this.#readAlert(content);
    else if (type === recordTypes.handshake) this.#readMessages(content);
    // RFC 8446 section D.4: between the hello and what is sealed, a server may pretend to change ciphers. It means nothing.
  }

  #readSealed(record: Buffer): void {
    const opened = this.#openRecord?.(record) ?? null;
    if (opened?.type === recordTypes.handshake) this.#readMessages(opened.content);
    else if (opened?.type === recordTypes.alert) this.#readAlert(opened.content);
    else this.#end({});
  }

  #readAlert([level, description]: Uint8Array): void {
    // RFC 6066 section 3: a name that the server does not know may be worth a warning before it goes on. Of the others, these end
    // the handshake whatever level is written on them (RFC 8446 section 6).
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
    } else if (type === messageTypes.certificate && this.#openRecord !== null) {
      this.#end({ certificates: readCertificatesOfTls13(body) });
    } else if (type === messageTypes.certificate) {
      this.#note({ certificates: readCertificates(body) });
    } else if (type === messageTypes.serverHelloDone) {
      this.#end({ done: true });
    }
  }

  #readHello(hello: ServerHello | null, message: Buffer): void {
    // A second hello would change what is known of the first.
    if (hello === null || this.#flight.version !== null) {
      this.#end({});
      return;
    }
    this.#note({ version: hello.version, suite: hello.suite });
    if (hello.version < versionCodes["1.3"]) return;
    // RFC 8446 section 5.1: no message goes over a change of keys.
    this.#openRecord = this.#messages.length === 0 ? this.#openHandshake(hello, message) : null;
    if (this.#openRecord === null) this.#end({});
  }

  #note(part: Partial<ServerFlight>): void {
    this.#flight = { ...this.#flight, ...part };
  }

  #end(part: Partial<ServerFlight>): void {
    this.#note(part);
    this.#ended = true;
  }
}

/**
 * Alerts by which a server turns away a hello that offers everything there is in an old version: the alert made for it (RFC
 * 5246 section 7.2.2); no suite that it wants for this version, or none strong enough; and what OpenSSL says where its level
 * of security leaves no signature for this version. Others are about the name, the form or the wishes of the hello.
 */
const alertsAgainstOldVersions: readonly number[] = [
  alerts.handshakeFailure,
  alerts.protocolVersion,
  alerts.insufficientSecurity,
  alerts.internalError,
];

/**
 * Whether a server that was offered only `asked` has it. A yes takes a hello and, up to 1.2, the rest of the flight: a
 * server may choose a version and then find that it has no key for it. A no takes the alert made for it (RFC 5246 section
 * 7.2.2, RFC 8446 section 6.2), for 1.0 and 1.1 any that turns the handshake away, or a hello with another version (RFC 5246
 * section E.1). Everything else could have other reasons: a middlebox that cuts, a server that is out of order.
 */
export function versionAnswer(asked: TlsVersion, { version, done, alert }: ServerFlight): TlsVersionAnswer {
  const isOld = asked === "1.0" || asked === "1.1";
  if (version !== null && version !== versionCodes[asked]) return "refused";
  if (isOld && alert !== null && alertsAgainstOldVersions.includes(alert)) return "refused";
  if (version === null) return alert === alerts.protocolVersion ? "refused" : "unknown";
  return done || asked === "1.3" ? "accepted" : "unknown";
}

/** Holds for the beginning of a header too, so that a server that speaks something else is not waited for. */
function isRecordHeader(header: Buffer, isSealed: boolean): boolean {
  const [type = 0, majorVersion = 3] = header;
  const lengthFits = header.length < recordHeaderBytes || header.readUInt16BE(3) <= recordBytesMax;
  const known = type === recordTypes.alert || type === recordTypes.handshake;
  return (
    (known || (isSealed && (type === recordTypes.sealed || type === recordTypes.changeCipherSpec))) && majorVersion === 3 && lengthFits
  );
}
