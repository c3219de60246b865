/** Says hello to a server in exactly one version of TLS, and reads its answer up to the certificates. */
import type { Socket } from "node:net";
import type { TlsVersion } from "../evidence/facts.ts";
import { clientHello } from "./client-hello.ts";
import { serverRecordOpener } from "./handshake-keys.ts";
import { newKeyShares } from "./key-share.ts";
import { type OpenHandshake, type ServerFlight, ServerFlightReader } from "./server-flight.ts";

export interface HelloAnswer {
  readonly flight: ServerFlight;
  /** Why reading stopped: everything was there, the peer or the network cut, or time ran out. */
  readonly ended: "read" | "cut" | "timeout";
}

const recordHeaderBytes = 5;

/** Never rejects: a connection that cannot be had is an answer that was cut. `serverName` is null for addresses. */
export async function sayHello(
  dial: () => Promise<Socket>,
  version: TlsVersion,
  serverName: string | null,
  signal: AbortSignal,
): Promise<HelloAnswer> {
  const { hello, openHandshake } = prepareHello(version, serverName);
  const reader = new ServerFlightReader(openHandshake);
  const socket = await dial().catch(() => null);
  if (socket === null) return { flight: reader.flight, ended: signal.aborted ? "timeout" : "cut" };
  return new Promise((resolve) => {
    const end = (ended: HelloAnswer["ended"]) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      resolve({ flight: reader.flight, ended });
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
