/** Sends one ClientHello and reads the server's first flight. */
import type { Socket } from "node:net";
import { type CreateDecryptor, type ServerFlight, ServerFlightReader } from "./server-flight.ts";

export type Dial = () => Promise<Socket>;

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
  return new Promise((resolve) => {
    const end = (ended: HelloExchange["ended"]) => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      resolve({ flight: reader.flight, ended });
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

/** True for a connection closed without a byte: the server may limit simultaneous connections. */
export function isClosedUnanswered({ ended, flight }: HelloExchange): boolean {
  return ended === "closed" && flight.isTls === null;
}

/** Time for a server to notice that the earlier connections are closed. */
export const retryDelayMs = 100;
