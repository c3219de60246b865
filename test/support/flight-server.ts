/** Server of TLS 1.2 or older that sends arbitrary certificates, without their keys. It cannot complete a handshake. */
import type { Socket } from "node:net";
import { startTcp, type TestServer } from "./servers.ts";

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
    message(2, Buffer.concat([uint(version, 2), Buffer.alloc(32, 7), uint(0, 1), uint(suite, 2), uint(0, 1)])),
    message(11, Buffer.concat([uint(list.length, 3), list])),
    message(14, Buffer.alloc(0)),
  ]);
  const protocolVersion = record(21, 0x0301, Buffer.from([2, 70]));
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
  for (let at = 0; at < messages.length; at += recordBytesMax) parts.push(record(22, version, messages.subarray(at, at + recordBytesMax)));
  return Buffer.concat(parts);
}

function record(type: number, version: number, content: Buffer): Buffer {
  return Buffer.concat([uint(type, 1), uint(version, 2), uint(content.length, 2), content]);
}

function message(type: number, body: Buffer): Buffer {
  return Buffer.concat([uint(type, 1), uint(body.length, 3), body]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
