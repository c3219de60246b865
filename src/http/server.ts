/** Puts the appliance on a port, and takes it off again without cutting anybody short. */
import type { Log } from "../base/log.ts";

/** A connection that says nothing for so long is closed; longer than any answer takes. */
const idleSeconds = 30;
/** How long requests under way may take to end once the server stops; the slowest of them waits for a disk. */
const drainMsMax = 5_000;

/** Answers requests: an Elysia app, or several put together. */
export interface HttpHandler {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Set once it listens; requests ask it for their peer. */
  server: unknown;
}

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
export function listen(door: HttpHandler, { hostname, port, log }: ListenOptions): Listening {
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: idleSeconds,
    // The doors bound bodies themselves, because this would answer without a body of its own, and before the caller is known.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Outside development Bun would share the port with whoever else asks for it, and a second server would start as if all were well.
    reusePort: false,
    fetch: (request) => door.fetch(request),
    error: (error) => {
      log.error("request failed", { error: error.stack ?? error.message });
      return Response.json({ errorMessage: "Something went wrong on our side." }, { status: 500 });
    },
  });
  door.server = server;
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

/** The API below `/api/` (not `/api/` itself, which leads to its description) and where the operator's probes look, and the pages everywhere else. */
export function combineHandlers({ api, pages }: { readonly api: HttpHandler; readonly pages: HttpHandler }): HttpHandler {
  return {
    fetch: (request) => (isOfApi(pathOf(request)) ? api : pages).fetch(request),
    set server(server: unknown) {
      api.server = server;
      pages.server = server;
    },
  };
}

/** As it stands in the request line and as it is routed: undecoded, without query. */
export function pathOf({ url }: Request): string {
  const start = url.indexOf("/", "https://".length);
  const end = url.indexOf("?", start);
  return url.slice(start, end === -1 ? undefined : end);
}

function isOfApi(path: string): boolean {
  return (path.startsWith("/api/") && path !== "/api/") || path === "/healthz" || path === "/readyz";
}
