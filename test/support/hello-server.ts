/** Hand-made answers to ClientHellos, for suites and groups that no server program supports any more. They complete no handshake. */
import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { selfSigned } from "./certificates.ts";
import { startTcp, type TestServer } from "./servers.ts";
import { handshakeMessage, tlsRecord, uint } from "./tls-records.ts";

export interface ReceivedHello {
  /** The highest version that the hello offers. */
  readonly version: number;
  readonly suites: readonly number[];
  readonly groups: readonly number[];
}

/** The answer to a hello; null forwards the connection or, without a server behind, sends handshake_failure. */
export type HelloReply = (hello: ReceivedHello) => Buffer | "reset" | "close" | "silence" | null;

/** Answers each first hello by hand. `behind` is the port of a server for all other connections. */
export function startHelloServer(reply: HelloReply, behind: number | null = null): Promise<TestServer> {
  return startTcp((socket) => {
    socket.once("data", (bytes: Buffer) => {
      const hello = parseHello(bytes);
      const answer = hello === null ? null : reply(hello);
      if (answer === "reset") socket.resetAndDestroy();
      else if (answer === "close") socket.end();
      else if (answer instanceof Buffer) socket.end(answer);
      else if (answer === null && behind !== null) forward(socket, bytes, behind);
      else if (answer === null) socket.end(alert(40));
    });
  });
}

function forward(socket: Socket, hello: Buffer, port: number): void {
  const onward = connect(port, "127.0.0.1", () => {
    onward.write(hello);
    socket.pipe(onward).pipe(socket);
  });
  onward.on("error", () => socket.destroy());
  socket.once("close", () => onward.destroy());
}

const recordTypeHandshake = 22;

/** RFC 8446 section 4.1.2. Null for anything else, such as a hello of SSL 2.0. */
function parseHello(bytes: Buffer): ReceivedHello | null {
  if (bytes[0] !== recordTypeHandshake || bytes.length < 44) return null;
  const suitesAt = 44 + (bytes[43] ?? 0);
  const suitesEnd = suitesAt + 2 + bytes.readUInt16BE(suitesAt);
  const extensions = new Map<number, Buffer>();
  for (let at = suitesEnd + 2 + 2; at + 4 <= bytes.length; at += 4 + bytes.readUInt16BE(at + 2)) {
    extensions.set(bytes.readUInt16BE(at), bytes.subarray(at + 4, at + 4 + bytes.readUInt16BE(at + 2)));
  }
  const versions = numbers(extensions.get(43)?.subarray(1));
  return {
    version: Math.max(bytes.readUInt16BE(9), ...versions.filter((version) => version >> 8 === 3)),
    suites: numbers(bytes.subarray(suitesAt + 2, suitesEnd)),
    groups: numbers(extensions.get(10)?.subarray(2)),
  };
}

function numbers(bytes: Buffer = Buffer.alloc(0)): readonly number[] {
  return Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readUInt16BE(2 * at));
}

/** Flight of TLS 1.2 or older, up to ServerHelloDone. Without a key exchange, the suite is one of static RSA. */
export function flight(suite: number, { version = 0x0303, keyExchange }: { version?: number; keyExchange?: Buffer } = {}): Buffer {
  const certificate = selfSigned({ names: ["site.test"], key: "rsa-2048" }).der;
  const chain = Buffer.concat([uint(certificate.length, 3), certificate]);
  const messages = [
    handshakeMessage(2, Buffer.concat([uint(version, 2), Buffer.alloc(32, 7), uint(0, 1), uint(suite, 2), uint(0, 1)])),
    handshakeMessage(11, Buffer.concat([uint(chain.length, 3), chain])),
    ...(keyExchange === undefined ? [] : [handshakeMessage(12, keyExchange)]),
    handshakeMessage(14, Buffer.alloc(0)),
  ];
  return tlsRecord(22, version, Buffer.concat(messages));
}

/** Parameters of RFC 5246 section 7.4.3 with a signature of zeros. */
export function dheKeyExchange(prime: Buffer): Buffer {
  return Buffer.concat([vector(prime), vector(Buffer.from([2])), vector(Buffer.alloc(prime.length, 3)), signature]);
}

/** The primes of RFC 2409 section 6, which this runtime lacks. */
export const oakleyPrimes = {
  group1: hexBytes(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd" +
      "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a63a3620ffffffffffffffff",
  ),
  group2: hexBytes(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd" +
      "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed" +
      "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff",
  ),
} as const;

function hexBytes(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

/** Parameters of RFC 8422 section 5.4. */
export function ecdheKeyExchange(curve: number): Buffer {
  return Buffer.concat([uint(3, 1), uint(curve, 2), uint(4, 1), Buffer.from([4, 1, 2, 3]), signature]);
}

const signature = Buffer.concat([uint(0x0401, 2), uint(2, 2), Buffer.alloc(2)]);

/** RFC 8446 section 4.1.3: the random bytes of a HelloRetryRequest. */
const retryRandom = createHash("sha256").update("HelloRetryRequest").digest();

export function helloRetryRequest(group: number): Buffer {
  const extensions = Buffer.concat([uint(43, 2), uint(2, 2), uint(0x0304, 2), uint(51, 2), uint(2, 2), uint(group, 2)]);
  const head = [uint(0x0303, 2), retryRandom, uint(0, 1), uint(0x1301, 2), uint(0, 1), uint(extensions.length, 2), extensions];
  return tlsRecord(22, 0x0303, handshakeMessage(2, Buffer.concat(head)));
}

export function alert(description: number): Buffer {
  return tlsRecord(21, 0x0301, Buffer.from([2, description]));
}

function vector(bytes: Buffer): Buffer {
  return Buffer.concat([uint(bytes.length, 2), bytes]);
}
