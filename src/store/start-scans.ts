/** Starts scans, and cancels those that wait. */
import { localLocation } from "../parse/location.ts";
import type { Db } from "./database.ts";
import { findIdempotentStart, type IdempotencyKey, type KeyedScan, putIdempotentStart } from "./idempotent-starts.ts";
import { laneFiller, laneOf, removeFromLane } from "./queue.ts";
import { storedLocation } from "./scan-location.ts";
import type { ScanStatus } from "./scan-status.ts";
import { findOwnScan, newScanToken } from "./scan-token.ts";
import type { ScanRecord } from "./scans.ts";

type StartedScan = Pick<ScanRecord, "token" | "id">;

export interface StartOutcome {
  /** By index of the URL. `full`: the share of the lane in the queue is taken. */
  readonly scans: readonly (StartedScan | "full")[];
  /** Whether an earlier request with this idempotency key is repeated. */
  readonly replayed: boolean;
}

export interface StartRequest {
  readonly accountId: number;
  readonly urls: readonly string[];
  readonly idempotency: IdempotencyKey | null;
  readonly now: Date;
  /** For the log. */
  readonly requestId?: string | undefined;
  /** `local` by default. The caller checks that it exists. */
  readonly location?: string | undefined;
}

/** What a new scan consists of. */
export interface NewScan extends Pick<ScanRecord, "accountId" | "url">, Pick<StartRequest, "now" | "location" | "requestId"> {}

export function startMethods(db: Db, queueMax: number) {
  return {
    /** On disk when this resolves. `full`: the share of the lane in `queueMax` is taken. */
    queue: (scan: NewScan): Promise<ScanRecord | "full"> => db.write(() => queueScan(db, fillerFor(db, queueMax, scan), scan)),

    /**
     * One scan for each URL until the lane's share of the queue is taken; all on disk when this resolves. A repeated idempotency key gives
     * the scans of its first request, and starts those that found a full queue. `key-reused`: the key belongs to another request.
     */
    queueAll: (request: StartRequest): Promise<StartOutcome | "key-reused"> => db.write(() => startAll(db, queueMax, request)),

    /**
     * Removes a scan that waits, as if it had never been started. Its status, if it does not wait any more. Undefined for an unknown or
     * malformed token, and for that of another account.
     */
    cancel: (accountId: number, token: string): Promise<"cancelled" | Exclude<ScanStatus, "queued"> | undefined> =>
      db.write(() => {
        const scan = findOwnScan(db, accountId, token);
        if (scan?.status !== "queued") return scan?.status;
        if (scan.queueKey !== undefined) removeFromLane(db, scan.queueKey);
        db.scans.remove(token);
        db.scansByAccount.remove([accountId, scan.id]);
        db.ownScans.remove([accountId, token]);
        return "cancelled";
      }),
  };
}

function startAll(db: Db, queueMax: number, request: StartRequest): StartOutcome | "key-reused" {
  const { accountId, urls, idempotency, now, location, requestId } = request;
  const found = idempotency === null ? undefined : findIdempotentStart(db, accountId, idempotency.key, now);
  if (found !== undefined && found.start.fingerprint !== idempotency?.fingerprint) return "key-reused";
  const earlier = new Map(found?.start.scans.map(([index, token, id]) => [index, { token, id }]));
  const fill = fillerFor(db, queueMax, request);
  const scans = urls.map(
    (url, index): StartedScan | "full" => earlier.get(index) ?? queueScan(db, fill, { accountId, url, now, location, requestId }),
  );
  const keyed = scans.flatMap((scan, index): KeyedScan[] => (scan === "full" ? [] : [[index, scan.token, scan.id]]));
  if (idempotency !== null && keyed.length > earlier.size) putIdempotentStart(db, { found, accountId, idempotency, scans: keyed, now });
  return { scans, replayed: found !== undefined };
}

function fillerFor(db: Db, queueMax: number, { accountId, location = localLocation }: Pick<NewScan, "accountId" | "location">) {
  return laneFiller(db, [location, laneOf(db, accountId)], queueMax);
}

/** Queues one scan; only within a transaction. */
export function queueScan(
  db: Db,
  fill: ReturnType<typeof laneFiller>,
  { accountId, url, now, requestId, location = localLocation }: NewScan,
): ScanRecord | "full" {
  const token = newScanToken(db);
  const queueKey = fill(token);
  if (queueKey === null) return "full";
  const scan: ScanRecord = {
    token,
    id: db.next("nextScanId"),
    accountId,
    url,
    status: "queued",
    createdAt: now.toISOString(),
    startedAt: null,
    endedAt: null,
    progressStage: null,
    progressPercent: 0,
    attempts: 0,
    errorCode: null,
    summary: null,
    queueKey,
    ...(requestId === undefined ? {} : { requestId }),
    ...storedLocation(location),
  };
  db.scans.put(token, scan);
  if (accountId === null) return scan;
  db.scansByAccount.put([accountId, scan.id], token);
  db.ownScans.put([accountId, token], scan.id);
  return scan;
}
