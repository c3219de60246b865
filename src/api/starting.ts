/** The API of a server that is not open yet: the probes answer, everything else asks the client to wait. */
import { type HttpHandler, pathOf } from "../http/server.ts";
import { answerError } from "./answer.ts";
import { notReady, stillStarting } from "./errors.ts";
import { answerHealth, type NotReadyReason } from "./health.ts";

export interface StartingApiOptions {
  readonly reasons: () => readonly NotReadyReason[];
  readonly retryAfterSeconds: number;
}

/** Bodies and tokens are not read: without a store, no token can be checked. */
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
