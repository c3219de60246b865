/** Says hello to a server in one version of TLS at a time, and reads its answers up to the certificates. */
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { TlsVersion } from "../../evidence/facts.ts";
import { clientHello } from "./client-hello.ts";
import { serverRecordOpener } from "./handshake-keys.ts";
import { newKeyShares } from "./key-share.ts";
import { type OpenHandshake, type ServerFlight, ServerFlightReader } from "./server-flight.ts";
import { recordHeaderBytes } from "./tls-wire.ts";

export interface HelloAnswer {
  readonly version: TlsVersion;
  readonly flight: ServerFlight;
  /** Why reading stopped: everything was there, the peer or the network cut, or time ran out. */
  readonly ended: "read" | "cut" | "timeout";
}

/** Newest first. */
const versions: readonly TlsVersion[] = ["1.3", "1.2", "1.1", "1.0"];

/** For a server to take notice that the connections before have ended. */
const pauseMs = 100;

type Dial = () => Promise<Socket>;

/**
 * The answers for every version, newest first. Where a connection was cut without a word, it is asked again by itself: the server
 * may only have minded how many came at once. Never rejects. `serverName` is null for addresses.
 */
export async function probeTlsVersions(dial: Dial, serverName: string | null, signal: AbortSignal): Promise<readonly HelloAnswer[]> {
  const first = await Promise.all(versions.map((version) => probeTlsVersion(dial, version, serverName, signal)));
  const answers: HelloAnswer[] = [];
  for (const answer of first) {
    const again = answer.ended === "cut" && answer.flight.isTls === null;
    if (again) await wait(pauseMs, undefined, { signal }).catch(() => {});
    answers.push(again ? await probeTlsVersion(dial, answer.version, serverName, signal) : answer);
  }
  return answers;
}

/** A connection that cannot be had is an answer that was cut. */
async function probeTlsVersion(dial: Dial, version: TlsVersion, serverName: string | null, signal: AbortSignal): Promise<HelloAnswer> {
  const { hello, openHandshake } = prepareHello(version, serverName);
  const reader = new ServerFlightReader(openHandshake);
  const socket = await dial().catch(() => null);
  if (socket === null) return { version, flight: reader.flight, ended: signal.aborted ? "timeout" : "cut" };
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
      if (reader.push(bytes)) end("read");
    });
    socket.once("end", () => end("cut"));
    socket.once("close", () => end("cut"));
    socket.write(hello);
  });
}

/** The hello, and what opens the answer to it. */
function prepareHello(version: TlsVersion, serverName: string | null): { readonly hello: Buffer; readonly openHandshake: OpenHandshake } {
  const keyShares = version === "1.3" ? newKeyShares() : [];
  const hello = clientHello(version, serverName, keyShares);
  const message = hello.subarray(recordHeaderBytes);
  return {
    hello,
    openHandshake: ({ suite, keyShare }, serverMessage) => {
      const secret = keyShare === null ? null : keyShares.find(({ group }) => group === keyShare.group)?.agree(keyShare.key);
      return secret == null ? null : serverRecordOpener(suite, secret, [message, serverMessage]);
    },
  };
}
