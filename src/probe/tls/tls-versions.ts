/** Probes each TLS version with its own hello, and reads the answers up to the certificates. */
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { TlsVersion } from "../../evidence/tls-facts.ts";
import { clientHello } from "./client-hello.ts";
import { serverRecordDecryptor } from "./handshake-keys.ts";
import { createKeyShares } from "./key-share.ts";
import { type CreateDecryptor, type ServerFlight, ServerFlightReader } from "./server-flight.ts";
import { recordHeaderBytes } from "./tls-wire.ts";

export interface HelloAnswer {
  readonly version: TlsVersion;
  readonly flight: ServerFlight;
  readonly ended: "complete" | "closed" | "timeout";
}

const versions: readonly TlsVersion[] = ["1.3", "1.2", "1.1", "1.0"];

/** Time for a server to notice that the earlier connections are closed. */
const retryDelayMs = 100;

type Dial = () => Promise<Socket>;

/** Newest first; never rejects. Retries a connection closed without a byte: the server may limit simultaneous connections. */
export async function probeTlsVersions(dial: Dial, serverName: string | null, signal: AbortSignal): Promise<readonly HelloAnswer[]> {
  const first = await Promise.all(versions.map((version) => probeTlsVersion(dial, version, serverName, signal)));
  const answers: HelloAnswer[] = [];
  for (const answer of first) {
    const retry = answer.ended === "closed" && answer.flight.isTls === null;
    if (retry) await wait(retryDelayMs, undefined, { signal }).catch(() => {});
    answers.push(retry ? await probeTlsVersion(dial, answer.version, serverName, signal) : answer);
  }
  return answers;
}

async function probeTlsVersion(dial: Dial, version: TlsVersion, serverName: string | null, signal: AbortSignal): Promise<HelloAnswer> {
  const { hello, createDecryptor } = prepareHello(version, serverName);
  const reader = new ServerFlightReader(createDecryptor);
  const socket = await dial().catch(() => null);
  if (socket === null) return { version, flight: reader.flight, ended: signal.aborted ? "timeout" : "closed" };
  return new Promise((resolve) => {
    const end = (ended: HelloAnswer["ended"]) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      resolve({ version, flight: reader.flight, ended });
    };
    const onAbort = () => end("timeout");
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
    socket.on("data", (bytes: Buffer) => {
      if (reader.push(bytes)) end("complete");
    });
    socket.once("end", () => end("closed"));
    socket.once("close", () => end("closed"));
    socket.write(hello);
  });
}

function prepareHello(version: TlsVersion, serverName: string | null) {
  const keyShares = version === "1.3" ? createKeyShares() : [];
  const hello = clientHello(version, serverName, keyShares);
  const message = hello.subarray(recordHeaderBytes);
  const createDecryptor: CreateDecryptor = ({ suite, keyShare }, serverMessage) => {
    const secret = keyShare === null ? null : keyShares.find(({ group }) => group === keyShare.group)?.agree(keyShare.key);
    return secret == null ? null : serverRecordDecryptor(suite, secret, [message, serverMessage]);
  };
  return { hello, createDecryptor };
}
