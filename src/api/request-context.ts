/** What one request has gathered by the time it is answered. */
import { Elysia } from "elysia";
import type { Account } from "../store/accounts.ts";

export type Headers = Readonly<Record<string, string>>;

export interface RequestContext {
  readonly requestId: string;
  /** RateLimit-* headers; empty until the request was counted. */
  readonly limitHeaders: Headers;
  /** Who asks; null for everybody who was not let through the gate. */
  readonly caller: Account | null;
}

/** What a route sees that no gate came before: nobody, so that a forgotten gate refuses rather than serves. */
const noRequestContext: RequestContext = { requestId: "", limitHeaders: {}, caller: null };

/** What every group of routes starts from: an `requestContext`, which the app fills in before a request is routed. */
export function routeGroup(name: string) {
  return new Elysia({ name }).decorate("requestContext", noRequestContext);
}
