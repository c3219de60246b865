/** Starting scans, one or many, and cancelling those that wait. */
import { authenticate } from "../account/authenticate.ts";
import { localLocation } from "../parse/location.ts";
import { parseScanUrl } from "../parse/scan-url.ts";
import type { Account } from "../store/accounts.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { StartOutcome } from "../store/start-scans.ts";
import type { Store } from "../store/store.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { bulkItems, distinctUrls, readBulkLines, urlsOf } from "./bulk.ts";
import { idempotencyKeyReused, invalidUrl, queueFull, scanBegun, scanNotFound, storeFull, unauthenticated } from "./errors.ts";
import { fingerprintOf, idempotencyKeyOf } from "./idempotency-key.ts";
import { bulkPath, callingAccount, ownScan, scansPath, statusUrlOf } from "./own-scan.ts";
import type { HeaderFields, RequestContext } from "./request-context.ts";

/** Retry-After when the queue or the disk is full. */
const queueRetrySeconds = 30;

export interface StartHandlersSettings {
  readonly store: Pick<Store, "accounts" | "apiTokens" | "scans">;
  /** Called when scans were queued. */
  readonly wake: () => void;
  /** Called when the scan of this token was removed from the queue. */
  readonly cancelled: (token: string) => void;
  readonly now: () => Date;
}

/** What a handler reads of a request that starts scans. */
interface StartRequest {
  readonly request: Request;
  readonly bearer: string | undefined;
  readonly requestContext: RequestContext;
}

export function createStartHandlers({ store, wake, cancelled, now }: StartHandlersSettings) {
  return { start: startScan, startAll: startScans, cancel: cancelScan };

  async function startScan(rawUrl: string, start: StartRequest): Promise<Response> {
    const account = stillCalling(start);
    const parsed = parseScanUrl(rawUrl);
    if ("fault" in parsed) throw invalidUrl(parsed.fault);
    const { scans, replayed } = await queue(start, account, scansPath, [parsed.url]);
    const [scan] = scans;
    if (scan === undefined || scan === "full") throw queueFull(queueRetrySeconds);
    const { token, id } = scan;
    const statusUrl = statusUrlOf(token);
    const headers = { location: statusUrl, ...replayedHeader(replayed) };
    return answer(start.requestContext, 202, JSON.stringify({ token, id, status: "queued", statusUrl }), prepareHeaders(headers));
  }

  async function startScans(start: StartRequest): Promise<Response> {
    const lines = await readBulkLines(start.request);
    const account = stillCalling(start);
    const { scans, replayed } = await queue(start, account, bulkPath, urlsOf(lines));
    const items = bulkItems(lines, scans, queueRetrySeconds);
    const retry: HeaderFields = scans.includes("full") ? { "retry-after": String(queueRetrySeconds) } : {};
    return answer(start.requestContext, 200, JSON.stringify({ items }), prepareHeaders({ ...retry, ...replayedHeader(replayed) }));
  }

  /** Checks the token again: it may have been revoked while a slow body arrived. @throws ApiError 401 */
  function stillCalling({ bearer, requestContext }: StartRequest): Account {
    if (authenticate(store, bearer, now()).status === "refused") throw unauthenticated();
    return callingAccount(requestContext);
  }

  /** One scan for each of `distinctUrls`. `urls` are all that the request names, null for those that are refused. */
  async function queue({ request }: StartRequest, account: Account, path: string, urls: readonly (string | null)[]): Promise<StartOutcome> {
    const key = idempotencyKeyOf(request);
    const idempotency = key === null ? null : { key, fingerprint: fingerprintOf({ path, urls, location: localLocation }) };
    const distinct = distinctUrls(urls);
    if (distinct.length === 0) return { scans: [], replayed: false };
    const outcome = await written(() => store.scans.queueAll({ accountId: account.id, urls: distinct, idempotency, now: now() }));
    if (outcome === "key-reused") throw idempotencyKeyReused();
    wake();
    return outcome;
  }

  async function cancelScan(token: string, requestContext: RequestContext): Promise<Response> {
    const { status } = ownScan(store, token, requestContext);
    const outcome = status === "queued" ? await written(() => store.scans.cancel(callingAccount(requestContext).id, token)) : status;
    // A request at the same time may have cancelled it.
    if (outcome === undefined) throw scanNotFound();
    if (outcome !== "cancelled") throw scanBegun(outcome);
    cancelled(token);
    return answer(requestContext, 204, null);
  }
}

/** @throws ApiError 503 if the disk is full. */
async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof DataDirError && error.fault === "full") throw storeFull(queueRetrySeconds);
    throw error;
  }
}

function replayedHeader(replayed: boolean): HeaderFields {
  return replayed ? { "idempotency-replayed": "true" } : {};
}
