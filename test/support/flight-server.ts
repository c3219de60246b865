/** Server of TLS 1.2 or older that sends arbitrary certificates, without their keys. It cannot complete a handshake. */
import type { Socket } from "node:net";
import { startTcp, type TestServer } from "./servers.ts";
import { handshakeMessage, tlsRecord, uint } from "./tls-records.ts";

export interface Flight {
  /** As on the wire: 0x0303 is TLS 1.2. */
  readonly version: number;
  /** Code of the chosen suite. */
  readonly suite: number;
  /** DER, leaf first. */
  readonly certificates: readonly Buffer[];
}

/** Answers hellos of other versions with the alert protocol_version. */
export function startFlight({ version, suite, certificates }: Flight): Promise<TestServer> {
  const list = Buffer.concat(certificates.map((der) => Buffer.concat([uint(der.length, 3), der])));
  const flight = Buffer.concat([
    handshakeMessage(2, Buffer.concat([uint(version, 2), Buffer.alloc(32, 7), uint(0, 1), uint(suite, 2), uint(0, 1)])),
    handshakeMessage(11, Buffer.concat([uint(list.length, 3), list])),
    handshakeMessage(14, Buffer.alloc(0)),
  ]);
  const protocolVersion = tlsRecord(21, 0x0301, Buffer.from([2, 70]));
  const answer = (hello: Buffer) => (versionOf(hello) === version ? records(version, flight) : protocolVersion);
  return startTcp((socket: Socket) => void socket.once("data", (hello: Buffer) => socket.end(answer(hello))));
}

/** A hello of TLS 1.3 has its version in an extension; its legacy field contains 1.2. */
function versionOf(hello: Buffer): number {
  const offersTls13 = hello.includes(Buffer.from([0, 43, 0, 3, 2, 3, 4]));
  return offersTls13 ? 0x0304 : hello.readUInt16BE(9);
}

const recordBytesMax = 2 ** 14;

function records(version: number, messages: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < messages.length; at += recordBytesMax)
    parts.push(tlsRecord(22, version, messages.subarray(at, at + recordBytesMax)));
  return Buffer.concat(parts);
}
