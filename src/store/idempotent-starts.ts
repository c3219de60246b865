/** Scans that requests with an Idempotency-Key have started (draft-ietf-httpapi-idempotency-key-header). Only within a transaction. */
import { createHash } from "node:crypto";
import { dayMs, hourMs } from "../base/units.ts";
import type { Db } from "./database.ts";

/** Time for which a repeated key gives the scans of its first request. */
export const idempotencyKeyHours = 24;
/** Expired rows that one new row removes: the table shrinks faster than it grows. */
const expiredRowsPerStart = 100;

export interface IdempotencyKey {
  /** As the client chose it. */
  readonly key: string;
  /** Hash of what the request asks for. */
  readonly fingerprint: string;
}

/** A scan of a request, by its place among the URLs of the request. */
export type KeyedScan = readonly [index: number, token: string, scanId: number];

export interface IdempotentStart {
  readonly fingerprint: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** At least one: a request that starts nothing leaves no row, so that the rows are fewer than the scans. */
  readonly scans: readonly KeyedScan[];
}

/** The day is that of `createdAt`, in days since 1970: rows expire in the order of their keys. */
export type IdempotentStartKey = [day: number, accountId: number, keyHash: string];

export interface FoundStart {
  readonly at: IdempotentStartKey;
  readonly start: IdempotentStart;
}

type StartsDb = Pick<Db, "idempotentStarts">;

/** Undefined for an unknown key and for one that has expired. */
export function findIdempotentStart(db: StartsDb, accountId: number, key: string, now: Date): FoundStart | undefined {
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

/** Stores a first request, or the scans that a repeated one has added to it. */
export function putIdempotentStart(
  db: StartsDb,
  { found, accountId, idempotency: { key, fingerprint }, scans, now }: IdempotentStartInput,
): void {
  if (found !== undefined) return void db.idempotentStarts.put(found.at, { ...found.start, scans });
  removeExpired(db, now);
  db.idempotentStarts.put([dayOf(now), accountId, hashOf(key)], { fingerprint, createdAt: now.toISOString(), scans });
}

interface IdempotentStartInput {
  readonly found: FoundStart | undefined;
  readonly accountId: number;
  readonly idempotency: IdempotencyKey;
  readonly scans: readonly KeyedScan[];
  readonly now: Date;
}

function removeExpired(db: StartsDb, now: Date): void {
  const expired = [...db.idempotentStarts.getKeys({ end: [dayOf(now) - 1, 0, ""], limit: expiredRowsPerStart })];
  for (const at of expired) db.idempotentStarts.remove(at);
}

function dayOf(now: Date): number {
  return Math.floor(now.getTime() / dayMs);
}

/** Of one length, whatever the client chose. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}
