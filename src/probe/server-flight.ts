/** Reads what a server sends in answer to a TLS hello, up to the point where keys would be needed. */
import type { TlsVersion, TlsVersionAnswer } from "../evidence/facts.ts";
import { ByteQueue } from "./byte-queue.ts";
import { versionCodes } from "./client-hello.ts";

const recordTypes = { alert: 21, handshake: 22 } as const;
const messageTypes = { serverHello: 2, certificate: 11, serverHelloDone: 14 } as const;
/** RFC 8446 section 6. */
const alertLevelWarning = 1;
const alerts = { closeNotify: 0, protocolVersion: 70 } as const;
const supportedVersions = 43;

const recordHeaderBytes = 5;
const messageHeaderBytes = 4;
/** RFC 5246 section 6.2.1, with the room that section 6.2.3 leaves for encryption. */
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
  /** DER, as sent; empty from 1.3 on, where they come encrypted. */
  readonly certificates: readonly Buffer[];
  /** Whether a server of 1.2 or older said all that it had to say. */
  readonly done: boolean;
  /** Description of the alert that ended the flight. */
  readonly alert: number | null;
}

export class ServerFlightReader {
  readonly #records = new ByteQueue();
  readonly #messages = new ByteQueue();
  #bytes = 0;
  #ended = false;
  #flight: ServerFlight = { isTls: null, version: null, suite: null, certificates: [], done: false, alert: null };

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
    if (!isRecordHeader(header)) {
      this.#end(this.#flight.isTls === null ? { isTls: false } : {});
      return false;
    }
    if (header.length < recordHeaderBytes) return false;
    const record = this.#records.take(recordHeaderBytes + header.readUInt16BE(3));
    if (record === null) return false;
    this.#note({ isTls: true });
    if (record[0] === recordTypes.alert) this.#readAlert(record.subarray(recordHeaderBytes));
    else this.#readMessages(record.subarray(recordHeaderBytes));
    return true;
  }

  #readAlert([level, description]: Uint8Array): void {
    // RFC 6066 section 3: a name that the server does not know may be worth a warning before it goes on.
    if (level === alertLevelWarning && description !== alerts.closeNotify) return;
    this.#end({ alert: description ?? null });
  }

  #readMessages(bytes: Buffer): void {
    this.#messages.append(bytes);
    while (!this.#ended) {
      const header = this.#messages.peek(messageHeaderBytes);
      const message = header === null ? null : this.#messages.take(messageHeaderBytes + header.readUIntBE(1, 3));
      if (message === null) return;
      this.#readMessage(message[0] ?? 0, message.subarray(messageHeaderBytes));
    }
  }

  #readMessage(type: number, body: Buffer): void {
    if (type === messageTypes.serverHello) {
      const hello = readServerHello(body);
      this.#note(hello ?? {});
      // What follows in 1.3 is encrypted.
      if (hello === null || hello.version >= versionCodes["1.3"]) this.#end({});
    } else if (type === messageTypes.certificate) {
      this.#note({ certificates: readCertificates(body) });
    } else if (type === messageTypes.serverHelloDone) {
      this.#end({ done: true });
    }
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
 * Whether a server that was offered only `asked` has it. A yes takes a hello and, up to 1.2, the rest of the flight: a
 * server may choose a version and then find that it has no key for it. A no takes the alert made for it (RFC 5246 section
 * 7.2.2, RFC 8446 section 6.2) or a hello with another version (RFC 5246 section E.1). Everything else could have other
 * reasons: no common suite, a middlebox that cuts, a server that is out of order.
 */
export function versionAnswer(asked: TlsVersion, { version, done, alert }: ServerFlight): TlsVersionAnswer {
  if (version === null) return alert === alerts.protocolVersion ? "refused" : "unknown";
  if (version !== versionCodes[asked]) return "refused";
  return done || asked === "1.3" ? "accepted" : "unknown";
}

/** Holds for the beginning of a header too, so that a server that speaks something else is not waited for. */
function isRecordHeader(header: Buffer): boolean {
  const [type = 0, majorVersion = 3] = header;
  const lengthFits = header.length < recordHeaderBytes || header.readUInt16BE(3) <= recordBytesMax;
  return (type === recordTypes.alert || type === recordTypes.handshake) && majorVersion === 3 && lengthFits;
}

/** RFC 5246 section 7.4.1.3; RFC 8446 section 4.1.3, whose HelloRetryRequest has the same form and chooses a version too. */
function readServerHello(body: Buffer): { readonly version: number; readonly suite: number } | null {
  const sessionIdLength = body[34];
  if (sessionIdLength === undefined || body.length < 35 + sessionIdLength + 3) return null;
  const suiteAt = 35 + sessionIdLength;
  const legacyVersion = body.readUInt16BE(0);
  return { version: selectedVersion(body.subarray(suiteAt + 3)) ?? legacyVersion, suite: body.readUInt16BE(suiteAt) };
}

/** RFC 8446 section 4.2.1: the version of a server that speaks 1.3 stands in an extension. */
function selectedVersion(lengthAndExtensions: Buffer): number | null {
  let rest = lengthAndExtensions.subarray(2);
  while (rest.length >= 4) {
    const length = rest.readUInt16BE(2);
    if (rest.readUInt16BE(0) === supportedVersions && length === 2 && rest.length >= 6) return rest.readUInt16BE(4);
    rest = rest.subarray(4 + length);
  }
  return null;
}

/** RFC 5246 section 7.4.2. */
function readCertificates(body: Buffer): readonly Buffer[] {
  const certificates: Buffer[] = [];
  let rest = body.subarray(3);
  while (rest.length >= 3) {
    const length = rest.readUIntBE(0, 3);
    if (length === 0 || rest.length < 3 + length) break;
    certificates.push(Buffer.from(rest.subarray(3, 3 + length)));
    rest = rest.subarray(3 + length);
  }
  return certificates;
}
