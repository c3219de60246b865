/** Probes each TLS version with its own hello, and reads the answers up to the certificates. */
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { aborted } from "../../base/clock.ts";
import type { TlsVersion } from "../../evidence/limits.ts";
import { clientHello, createKeyShares, createRareKeyShares, type KeyShare } from "./client-hello.ts";
import { serverRecordDecryptor } from "./handshake-keys.ts";
import { type CreateDecryptor, type ServerFlight, ServerFlightReader } from "./server-flight.ts";
import { recordHeaderBytes, versionCodes } from "./tls-wire.ts";

// Sends one ClientHello and reads the server's first flight.

type Dial = () => Promise<Socket>;

export interface HelloExchange {
  readonly flight: ServerFlight;
  readonly ended: "complete" | "closed" | "timeout";
}

/** Never rejects: a failed connection is `closed`. Without a decryptor, a flight of TLS 1.3 ends with its hello. */
export async function exchangeHello(
  dial: Dial,
  hello: Buffer,
  signal: AbortSignal,
  createDecryptor?: CreateDecryptor,
): Promise<HelloExchange> {
  const reader = new ServerFlightReader(createDecryptor);
  const socket = await dial().catch(() => null);
  if (socket === null) return { flight: reader.flight, ended: signal.aborted ? "timeout" : "closed" };
  const ended = await new Promise<HelloExchange["ended"]>((resolve) => {
    void aborted(signal).then(() => resolve("timeout"));
    socket.on("data", (bytes: Buffer) => {
      if (reader.push(bytes)) resolve("complete");
    });
    socket.once("end", () => resolve("closed"));
    socket.once("close", () => resolve("closed"));
    socket.write(hello);
  });
  socket.destroy();
  return { flight: reader.flight, ended };
}

/** True for a connection closed without a byte: the server may limit simultaneous connections. */
export function isClosedUnanswered({ ended, flight }: HelloExchange): boolean {
  return ended === "closed" && flight.isTls === null;
}

/** Time for a server to notice that the earlier connections are closed. */
export const retryDelayMs = 100;

export interface HelloAnswer extends HelloExchange {
  readonly version: TlsVersion;
}

const versions: readonly TlsVersion[] = ["1.3", "1.2", "1.1", "1.0"];

/** Newest first; never rejects. Retries a connection closed without a byte: the server may limit simultaneous connections. */
export async function probeTlsVersions(dial: Dial, serverName: string | null, signal: AbortSignal): Promise<readonly HelloAnswer[]> {
  const first = await Promise.all(versions.map((version) => probeTlsVersion(dial, version, serverName, signal)));
  const answers: HelloAnswer[] = [];
  for (const answer of first) {
    const retry = isClosedUnanswered(answer);
    if (retry) await wait(retryDelayMs, undefined, { signal }).catch(() => {});
    answers.push(retry ? await probeTlsVersion(dial, answer.version, serverName, signal) : answer);
  }
  if (!answers.some(isUnreadTls13)) return answers;
  const second = await probeTlsVersion(dial, "1.3", serverName, signal, createRareKeyShares);
  return answers.map((answer) => (isUnreadTls13(answer) && second.flight.certificates.length > 0 ? second : answer));
}

/** The server chose TLS 1.3, but none of the key shares, or a suite that cannot be decrypted. */
function isUnreadTls13({ version, flight }: HelloAnswer): boolean {
  return version === "1.3" && flight.version === versionCodes["1.3"] && flight.certificates.length === 0;
}

async function probeTlsVersion(
  dial: Dial,
  version: TlsVersion,
  serverName: string | null,
  signal: AbortSignal,
  createShares = createKeyShares,
): Promise<HelloAnswer> {
  const { hello, createDecryptor } = prepareHello(version, serverName, version === "1.3" ? createShares() : []);
  return { version, ...(await exchangeHello(dial, hello, signal, createDecryptor)) };
}

function prepareHello(version: TlsVersion, serverName: string | null, keyShares: readonly KeyShare[]) {
  const hello = clientHello(version, serverName, keyShares);
  const message = hello.subarray(recordHeaderBytes);
  const createDecryptor: CreateDecryptor = ({ suite, keyShare }, serverMessage) => {
    const secret = keyShare === null ? null : keyShares.find(({ group }) => group === keyShare.group)?.agree(keyShare.key);
    return secret == null ? null : serverRecordDecryptor(suite, secret, [message, serverMessage]);
  };
  return { hello, createDecryptor };
}
