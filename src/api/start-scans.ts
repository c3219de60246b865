/** Starting scans, one or many, and cancelling those that wait. */
import type { Static } from "@sinclair/typebox";
import { authenticate } from "../account/authenticate.ts";
import type { LocationDirectory } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { parseScanUrl } from "../parse/scan-url.ts";
import type { Account } from "../store/accounts.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { StartOutcome } from "../store/start-scans.ts";
import type { Store } from "../store/store.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { bulkItems, distinctUrls, readBulkBody, urlsOf } from "./bulk.ts";
import {
  idempotencyKeyReused,
  invalidUrl,
  queueFull,
  scanBegun,
  scanNotFound,
  storeFull,
  unauthenticated,
  unknownLocation,
} from "./errors.ts";
import { fingerprintOf, idempotencyKeyOf, type WantedScans } from "./idempotency-key.ts";
import { bulkPath, callingAccount, ownScan, scansPath, statusUrlOf } from "./own-scan.ts";
import type { HeaderFields, RequestContext } from "./request-context.ts";
import type { ScanRequest } from "./schemas.ts";

/** Retry-After when the queue or the disk is full. */
const queueRetrySeconds = 30;

export interface StartHandlersSettings {
  readonly store: Pick<Store, "accounts" | "apiTokens" | "scans">;
  readonly locations: Pick<LocationDirectory, "names">;
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

export function createStartHandlers({ store, locations, wake, cancelled, now }: StartHandlersSettings) {
  return { start: startScan, startAll: startScans, cancel: cancelScan };

  async function startScan(body: Static<typeof ScanRequest>, start: StartRequest): Promise<Response> {
    const account = stillCalling(start);
    const parsed = parseScanUrl(body.url);
    if ("fault" in parsed) throw invalidUrl(parsed.fault);
    const location = knownLocation(body.location);
    const { scans, replayed } = await queue(start, account, { path: scansPath, urls: [parsed.url], location });
    const [scan] = scans;
    if (scan === undefined || scan === "full") throw queueFull(queueRetrySeconds);
    const { token, id } = scan;
    const statusUrl = statusUrlOf(token);
    const headers = { location: statusUrl, ...replayedHeader(replayed) };
    return answer(start.requestContext, 202, JSON.stringify({ token, id, status: "queued", statusUrl }), prepareHeaders(headers));
  }

  async function startScans(start: StartRequest): Promise<Response> {
    const body = await readBulkBody(start.request);
    const account = stillCalling(start);
    const { lines } = body;
    const location = knownLocation(body.location);
    const { scans, replayed } = await queue(start, account, { path: bulkPath, urls: urlsOf(lines), location });
    const items = bulkItems(lines, scans, queueRetrySeconds);
    const retry: HeaderFields = scans.includes("full") ? { "retry-after": String(queueRetrySeconds) } : {};
    return answer(start.requestContext, 200, JSON.stringify({ items }), prepareHeaders({ ...retry, ...replayedHeader(replayed) }));
  }

  /** Checks the token again: it may have been revoked while a slow body arrived. @throws ApiError 401 */
  function stillCalling({ bearer, requestContext }: StartRequest): Account {
    if (authenticate(store, bearer, now()).status === "refused") throw unauthenticated();
    return callingAccount(requestContext);
  }

  /** A worker may be revoked at any time, so the names are read for each request. @throws ApiError 400 */
  function knownLocation(location = localLocation): string {
    const known = locations.names();
    if (location !== localLocation && !known.includes(location)) throw unknownLocation(known);
    return location;
  }

  /** One scan for each of `distinctUrls`. */
  async function queue(
    { request, requestContext: { requestId } }: StartRequest,
    account: Account,
    wanted: WantedScans,
  ): Promise<StartOutcome> {
    const key = idempotencyKeyOf(request);
    const idempotency = key === null ? null : { key, fingerprint: fingerprintOf(wanted) };
    const urls = distinctUrls(wanted.urls);
    if (urls.length === 0) return { scans: [], replayed: false };
    const { location } = wanted;
    const outcome = await written(() =>
      store.scans.queueAll({ accountId: account.id, urls, location, idempotency, requestId, now: now() }),
    );
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
