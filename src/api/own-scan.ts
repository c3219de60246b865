/** Scans that the caller may read, and what every answer about one shares. */
import type { Account } from "../store/accounts.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { answer } from "./answer.ts";
import { scanNotFound, unauthenticated } from "./errors.ts";
import { matchesEtag, type RenderedBody } from "./rendered-bodies.ts";
import type { RequestContext } from "./request-context.ts";

export const scansPath = "/api/v1/scans";
export const bulkPath = `${scansPath}/bulk`;
export const adminCancelPath = "/api/v1/admin/scans/:token/cancel";
export const checksPath = "/api/v1/checks";
/** Retry-After between two polls of an unfinished scan. */
export const pollAgainSeconds = 2;

/** A scan that is over never changes. */
export type EndedScan = ScanRecord & { readonly endedAt: string };

export function statusUrlOf(token: string): string {
  return `${scansPath}/${token}`;
}

/** @throws ApiError 401 for a request without auth guard. */
export function callingAccount({ caller }: RequestContext): Account {
  if (caller === null) throw unauthenticated();
  return caller;
}

/**
 * Unknown scans and those of other accounts get the same refusal. Broken percent-encoding arrives as null.
 * @throws ApiError 401, 404
 */
export function ownScan({ scans }: Pick<Store, "scans">, token: string, requestContext: RequestContext): ScanRecord {
  const scan = scans.findOfAccount(callingAccount(requestContext).id, token);
  if (scan === undefined) throw scanNotFound();
  return scan;
}

export function isOver(scan: ScanRecord): scan is EndedScan {
  return scan.status === "finished" || scan.status === "failed";
}

/** 304 if the client has the body already. */
export function answerRendered({ text, etag, headers }: RenderedBody, request: Request, requestContext: RequestContext): Response {
  if (matchesEtag(request.headers.get("if-none-match"), etag)) return answer(requestContext, 304, null, headers);
  return answer(requestContext, 200, text, headers);
}
