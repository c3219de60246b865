/** Health probes: liveness and readiness. */
import { answer } from "./answer.ts";
import { notReady } from "./errors.ts";
import type { RequestContext } from "./request-context.ts";

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
