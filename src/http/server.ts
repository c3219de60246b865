/** HTTP server of the appliance, with graceful shutdown. */
import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

/** Idle connections are closed after this. Answers take less: waits for a mail server and for the browser of documents are bounded. */
const idleSeconds = 30;
/** Time for open requests after the server stops; the slowest of them waits for a disk. */
const drainMsMax = 5_000;

/** One Elysia app, or several combined. */
export interface HttpHandler {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Set once it listens; the apps use it to find the peer of a request. */
  server: unknown;
}

export interface ListenOptions {
  readonly hostname: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly log: Log;
  /** The clock of the system by default. */
  readonly clock?: Pick<Clock, "after">;
}

export interface Listening {
  readonly hostname: string;
  readonly port: number;
  /** Later requests go to this handler, also requests of open connections. */
  replace(handler: HttpHandler): void;
  /** Accepts no new connection, waits at most `drainMsMax` for open requests, then aborts them. Repeated calls wait for the same end. */
  stop(): Promise<void>;
}

/** @throws Error of the system when the address is not available: `code` is EADDRINUSE, EACCES or EADDRNOTAVAIL. */
export function listen(first: HttpHandler, { hostname, port, log, clock = systemClock }: ListenOptions): Listening {
  let handler = first;
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: idleSeconds,
    // The handlers limit bodies themselves: Bun would answer with an empty body, before authentication.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Otherwise Bun shares the port, and a second server on it would start without an error.
    reusePort: false,
    fetch: (request) => handler.fetch(request),
    error: (error) => {
      log.error("request failed", { error: error.stack ?? error.message });
      return Response.json({ errorMessage: "Something went wrong on our side." }, { status: 500 });
    },
  });
  handler.server = server;
  let stopping: Promise<void> | null = null;
  const stop = async () => {
    const cancelAbort = clock.after(drainMsMax, () => void server.stop(true));
    await server.stop();
    cancelAbort();
  };
  return {
    hostname,
    port: server.port ?? port,
    replace: (next) => {
      next.server = server;
      handler = next;
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Routes `/api/...`, `/healthz` and `/readyz` to the API, everything else to the pages. `/api/` itself is a page that links to the API's description. */
export function combineHandlers({ api, pages }: { readonly api: HttpHandler; readonly pages: HttpHandler }): HttpHandler {
  return {
    fetch: (request) => (isOfApi(pathOf(request)) ? api : pages).fetch(request),
    set server(server: unknown) {
      api.server = server;
      pages.server = server;
    },
  };
}

/** Path as in the request line and as routed: undecoded, without query. */
export function pathOf({ url }: Request): string {
  const start = url.indexOf("/", "https://".length);
  const end = url.indexOf("?", start);
  return url.slice(start, end === -1 ? undefined : end);
}

function isOfApi(path: string): boolean {
  return (path.startsWith("/api/") && path !== "/api/") || path === "/healthz" || path === "/readyz";
}
