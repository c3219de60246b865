/** Starts scans, once for each idempotency key, and cancels scans that wait. */
import { createHash } from "node:crypto";
import { dayMs, hourMs } from "../base/units.ts";
import { localLocation } from "../parse/location.ts";
import type { Db } from "./database.ts";
import { defineTable, keyed, type Static, stored } from "./define-table.ts";
import { transactions } from "./methods.ts";
import { laneFiller, laneOf, removeFromLane } from "./queue.ts";
import { storedLocation } from "./scan-location.ts";
import { findOwnScan, newScanToken, type ScanRecord, type ScanStatus } from "./scan-record.ts";

type StartedScan = Pick<ScanRecord, "token" | "id">;

export interface StartOutcome {
  /** By index of the URL. `full`: the share of the lane in the queue is taken. */
  readonly scans: readonly (StartedScan | "full")[];
  /** Whether an earlier request with this idempotency key is repeated. */
  readonly replayed: boolean;
}

/** `idempotency`: the key as the client chose it, and a hash of what the request asks for. */
export interface IdempotentRequest {
  readonly accountId: number;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  readonly now: Date;
}

export interface StartRequest extends IdempotentRequest {
  readonly urls: readonly string[];
  /** For the log. */
  readonly requestId?: string | undefined;
  /** `local` by default. The caller checks that it exists. */
  readonly location?: string | undefined;
}

/** What a new scan consists of. */
export interface NewScan extends Pick<ScanRecord, "accountId" | "url" | "network">, Pick<StartRequest, "now" | "location" | "requestId"> {}

export function startMethods(db: Db, queueMax: number) {
  return {
    /** On disk when this resolves. `full`: the share of the lane in `queueMax` is taken. */
    queue: (scan: NewScan): Promise<ScanRecord | "full"> => db.write(() => queueScan(db, fillerFor(db, queueMax, scan), scan)),

    /**
     * One scan for each URL until the lane's share of the queue is taken; all on disk when this resolves. A repeated idempotency key gives
     * the scans of its first request, and starts those that found a full queue. `key-reused`: the key belongs to another request.
     */
    queueAll: (request: StartRequest): Promise<StartOutcome | "key-reused"> => db.write(() => startAll(db, queueMax, request)),

    ...transactions(db, { cancel }),
  };
}

/**
 * Removes a scan that waits, as if it had never been started. Returns the status of a scan that does not wait any more. Undefined for an
 * unknown or malformed token, and for a token of another account.
 */
function cancel(db: Db, accountId: number, token: string): "cancelled" | Exclude<ScanStatus, "queued"> | undefined {
  const scan = findOwnScan(db, accountId, token);
  if (scan?.status !== "queued") return scan?.status;
  if (scan.queueKey !== undefined) removeFromLane(db, scan.queueKey);
  db.scans.remove(token);
  return "cancelled";
}

function startAll(db: Db, queueMax: number, request: StartRequest): StartOutcome | "key-reused" {
  const { accountId, urls, now, location, requestId } = request;
  const fill = fillerFor(db, queueMax, request);
  const starts = urls.map((url) => () => queueScan(db, fill, { accountId, url, now, location, requestId }));
  return startOnce(db, request, starts);
}

/** Calls each start that no earlier request with the key has called; only within a transaction. */
export function startOnce(
  db: Db,
  { accountId, idempotency, now }: IdempotentRequest,
  starts: readonly (() => StartedScan | "full")[],
): StartOutcome | "key-reused" {
  const found = idempotency === null ? undefined : findIdempotentStart(db, accountId, idempotency.key, now);
  if (found !== undefined && found.start.fingerprint !== idempotency?.fingerprint) return "key-reused";
  const earlier = new Map(found?.start.scans.map(([index, token, id]) => [index, { token, id }]));
  const scans = starts.map((start, index): StartedScan | "full" => earlier.get(index) ?? start());
  const keyed = scans.flatMap((scan, index): KeyedScan[] => (scan === "full" ? [] : [[index, scan.token, scan.id]]));
  if (idempotency !== null && keyed.length > earlier.size) {
    const first = { fingerprint: idempotency.fingerprint, createdAt: now.toISOString() };
    if (found === undefined) db.idempotentStarts.removeAll({ end: [dayOf(now) - 1, 0, ""], limit: expiredRowsPerStart });
    db.idempotentStarts.put(found?.at ?? [dayOf(now), accountId, hashOf(idempotency.key)], { ...(found?.start ?? first), scans: keyed });
  }
  return { scans, replayed: found !== undefined };
}

function fillerFor(db: Db, queueMax: number, { accountId, location = localLocation }: Pick<NewScan, "accountId" | "location">) {
  return laneFiller(db, [location, laneOf(db, accountId)], queueMax);
}

/** Queues one scan; only within a transaction. */
export function queueScan(
  db: Db,
  fill: ReturnType<typeof laneFiller>,
  { accountId, url, now, requestId, network, location = localLocation }: NewScan,
): ScanRecord | "full" {
  const token = newScanToken(db);
  const queueKey = fill();
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
    ...(network === undefined ? {} : { network }),
    ...storedLocation(location),
  };
  db.scans.put(token, scan);
  return scan;
}

/** Time for which a repeated key gives the scans of its first request. */
export const idempotencyKeyHours = 24;
/** Expired rows that one new row removes: the table shrinks faster than it grows. */
const expiredRowsPerStart = 100;

/** A scan of a request, by its place among the URLs of the request. */
type KeyedScan = readonly [index: number, token: string, scanId: number];

function isKeyedScan(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [index, token, scanId] = value;
  return typeof index === "number" && typeof token === "string" && Number.isSafeInteger(scanId) && scanId > 0;
}

const idempotentStartRow = stored.row({
  fingerprint: stored.text,
  createdAt: stored.time,
  /** At least one: a request that starts nothing leaves no row, so that the rows are fewer than the scans. */
  scans: stored.rows(stored.testedBy<KeyedScan>(isKeyedScan)),
});
type IdempotentStart = Static<typeof idempotentStartRow>;

/** `day`: the day of `createdAt`, in days since 1970, so that rows expire in the order of their keys. */
type IdempotentStartKey = [day: number, accountId: number, keyHash: string];

/** Scans that requests with an Idempotency-Key have started (draft-ietf-httpapi-idempotency-key-header). */
export const idempotentStartsTable = defineTable({
  row: idempotentStartRow,
  key: keyed<IdempotentStartKey>(),
  ofAccount: [{ by: "part", part: 1 }],
});

interface FoundStart {
  readonly at: IdempotentStartKey;
  readonly start: IdempotentStart;
}

/** Undefined for an unknown key and for one that has expired. */
/** Whether an earlier request of the account had this idempotency key. */
export function isKeyUsed(db: Db, accountId: number, key: string, now: Date): boolean {
  return findIdempotentStart(db, accountId, key, now) !== undefined;
}

function findIdempotentStart(db: Db, accountId: number, key: string, now: Date): FoundStart | undefined {
  const today = dayOf(now);
  const keyHash = hashOf(key);
  // The clock may have been set back over midnight.
  for (const day of [today, today - 1, today + 1]) {
    const at: IdempotentStartKey = [day, accountId, keyHash];
    const start = db.idempotentStarts.get(at);
    if (start !== undefined && now.getTime() - Date.parse(start.createdAt) < idempotencyKeyHours * hourMs) return { at, start };
  }
  return undefined;
}

function dayOf(now: Date): number {
  return Math.floor(now.getTime() / dayMs);
}

/** Hash of a key: it has one length, whatever the client chose. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}
