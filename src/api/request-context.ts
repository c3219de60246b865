/** State of one request, from its arrival to its answer. */
import type { Account } from "../store/accounts.ts";

export type HeaderFields = Readonly<Record<string, string>>;

export interface RequestContext {
  readonly requestId: string;
  /** RateLimit-* headers; empty until the auth guard has counted the request. */
  limitHeaders: HeaderFields;
  /** Set by the auth guard; null for a request that it has not passed. */
  caller: Account | null;
}

/** Default of a route: without a caller, so that a route without the auth guard refuses. */
export const noRequestContext: RequestContext = { requestId: "", limitHeaders: {}, caller: null };
