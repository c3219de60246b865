/** Starting scans, one or many, and cancelling those that wait. */
import type { Static } from "@sinclair/typebox";
import type { LocationDirectory } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { parseScanUrl } from "../parse/scan-url.ts";
import type { Account } from "../store/accounts.ts";
import type { StartOutcome } from "../store/start-scans.ts";
import type { Store } from "../store/store.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { bulkItems, distinctUrls, readBulkBody, urlsOf } from "./bulk.ts";
import { idempotencyKeyReused, invalidUrl, queueFull, scanBegun, scanNotFound, unknownLocation } from "./errors.ts";
import { fingerprintOf, idempotencyKeyOf, type WantedScans } from "./idempotency-key.ts";
import { bulkPath, callingAccount, ownScan, scansPath, statusUrlOf } from "./own-scan.ts";
import type { HeaderFields, RequestContext } from "./request-context.ts";
import type { ScanRequest } from "./schemas.ts";
import { queueRetrySeconds, stillCalling, written } from "./writing.ts";

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
    const account = stillCalling(store, start, now());
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
    const account = stillCalling(store, start, now());
    const { lines } = body;
    const location = knownLocation(body.location);
    const { scans, replayed } = await queue(start, account, { path: bulkPath, urls: urlsOf(lines), location });
    const items = bulkItems(lines, scans, queueRetrySeconds);
    const retry: HeaderFields = scans.includes("full") ? { "retry-after": String(queueRetrySeconds) } : {};
    return answer(start.requestContext, 200, JSON.stringify({ items }), prepareHeaders({ ...retry, ...replayedHeader(replayed) }));
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

function replayedHeader(replayed: boolean): HeaderFields {
  return replayed ? { "idempotency-replayed": "true" } : {};
}
