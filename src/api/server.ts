/** Puts the API on a port, and takes it off again without cutting anybody short. */
import type { Log } from "../log.ts";
import type { Api } from "./app.ts";
import { internalError } from "./errors.ts";

/** A connection that says nothing for so long is closed; longer than any answer takes. */
const idleSeconds = 30;
/** How long requests under way may take to end once the server stops; the slowest of them waits for a disk. */
const drainMsMax = 5_000;

export interface ListenOptions {
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: Log;
}

export interface Listening {
  readonly hostname: string;
  readonly port: number;
  /** Takes no new connection, waits for the requests under way for at most `drainMsMax`, then ends them. */
  stop(): Promise<void>;
}

/** @throws Error of the system when the address cannot be had: `code` is EADDRINUSE, EACCES or EADDRNOTAVAIL. */
export function listen(api: Api, { hostname, port, log }: ListenOptions): Listening {
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: idleSeconds,
    // The API bounds bodies itself, because this would answer without a body of its own, and before the caller is known.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Outside development Bun would share the port with whoever else asks for it, and a second server would start as if all were well.
    reusePort: false,
    fetch: (request) => api.fetch(request),
    error: (error) => {
      log.error("request failed", { error: error.stack ?? error.message });
      const { status, message } = internalError();
      return Response.json({ errorMessage: message }, { status });
    },
  });
  // Elysia hands this on to requests, which ask it for their peer.
  api.server = server as unknown as typeof api.server;
  return {
    hostname,
    port: server.port ?? port,
    stop: async () => {
      const deadline = setTimeout(() => void server.stop(true), drainMsMax);
      await server.stop();
      clearTimeout(deadline);
    },
  };
}
