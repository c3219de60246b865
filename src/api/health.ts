/** Health probes, and the API of a server that is not open yet. */
import { type HttpHandler, pathOf } from "../http/server.ts";
import { answer, answerError, type RequestContext } from "./answer.ts";
import { ApiError } from "./errors.ts";

export interface NotReadyReason {
  /** Part of the appliance, for programs: `browser`, `disk`, `store`, `fleet`; `start` while the server starts. */
  readonly source: string;
  /** Short clause for the operator, such as "the browser does not start". */
  readonly because: string;
  /** Only of `store`, while it is checked as a whole. */
  readonly progress?: StoreCheckProgress;
}

export interface StoreCheckProgress {
  /** Whole percent of the pages. */
  readonly percent: number;
  /** Table that is read; null before the first one. */
  readonly table: string | null;
}

/** `degraded`: parts without which scans of this machine still run. */
export type Readiness =
  | { readonly ready: true; readonly degraded?: readonly NotReadyReason[] }
  | { readonly ready: false; readonly reasons: readonly NotReadyReason[] };

const ok = JSON.stringify({ status: "ok" });

export function answerHealth(requestContext: RequestContext): Response {
  return answer(requestContext, 200, ok);
}

/** @throws ApiError 503 while the appliance cannot do its work. */
export function answerReadiness(requestContext: RequestContext, readiness: Readiness): Response {
  if (!readiness.ready) throw notReady(readiness.reasons);
  const { degraded = [] } = readiness;
  return answer(requestContext, 200, degraded.length === 0 ? ok : JSON.stringify({ status: "ok", degraded }));
}

export interface StartingApiOptions {
  readonly reasons: () => readonly NotReadyReason[];
  readonly retryAfterSeconds: number;
}

/** The probes answer; other requests shall come again. Bodies and tokens are not read: without a store, no token can be checked. */
export function createStartingApi({ reasons, retryAfterSeconds }: StartingApiOptions): HttpHandler {
  return {
    server: null,
    fetch: (request) => {
      const requestContext = { requestId: crypto.randomUUID(), limitHeaders: {}, caller: null };
      const path = pathOf(request);
      if (path === "/healthz") return answerHealth(requestContext);
      return answerError(requestContext, path === "/readyz" ? notReady(reasons()) : stillStarting(reasons(), retryAfterSeconds));
    },
  };
}

function notReady(reasons: readonly NotReadyReason[]): ApiError {
  return new ApiError(503, `Not ready: ${reasons.map(({ because }) => because).join("; ")}.`, { reasons });
}

/** The server checks or opens its store; the same request is answered later. */
function stillStarting(reasons: readonly NotReadyReason[], retrySeconds: number): ApiError {
  return new ApiError(503, `The server is starting; try again in ${retrySeconds} s.`, { retrySeconds, reasons });
}
