/**
 * Retention: removes the evidence and screenshots of old scans. Summary, ledger and findings stay, and the scan says what was removed when.
 * Screenshots are kept only for the newest scans because of their size.
 */
import { dayMs } from "../base/units.ts";
import { hostOf } from "../parse/site.ts";
import type { Db } from "./database.ts";
import { nthNewestOfHost } from "./public-list.ts";
import { scanLocationOf } from "./scan-location.ts";
import { findScan, type ScanRecord } from "./scan-record.ts";

/** Time of one step without its transaction, in milliseconds: requests wait no longer. */
const stepMsMax = 2;
/** Scans whose data one transaction removes: some milliseconds with the flush to disk. */
const removedAtOnce = 10;
/** Outdated screenshots that a new one removes: the table shrinks to its limit. The rest is left to retention. */
const outdatedPerNew = 2;

export interface RetentionRules {
  /** Days after the end of a scan. */
  readonly evidenceDays: number;
  /** Newest finished scans of each host and location that keep their evidence; null for all. */
  readonly scansPerHost: number | null;
  /** Newest scans that keep their screenshot. */
  readonly screenshots: number;
}

export interface RetentionStep {
  /** Where the next step begins; null at the end. */
  readonly next: string | null;
  /** Scans that lost something. */
  readonly removed: number;
}

export function retentionRepository(db: Db) {
  return {
    /**
     * One step of a walk over all evidence, in the order of the tokens; `from` null begins it. What was not reached is found by the next walk.
     * A walk needs no state on disk.
     */
    removeEvidence: async (rules: RetentionRules, now: Date, from: string | null): Promise<RetentionStep> => {
      const { due, next } = findDue(db, rules, now, from);
      if (due.length > 0)
        await db.write(() => {
          for (const token of due) removeEvidence(db, token, now);
        });
      return { next, removed: due.length };
    },

    /** Removes some screenshots beyond the newest; returns how many. Zero: none is left to remove. */
    removeScreenshots: async ({ screenshots }: RetentionRules, now: Date): Promise<number> => {
      const ids = outdatedScreenshots(db, screenshots, removedAtOnce);
      if (ids.length > 0)
        await db.write(() => {
          for (const id of ids) removeScreenshot(db, id, now);
        });
      return ids.length;
    },
  };
}

function findDue(db: Db, rules: RetentionRules, now: Date, from: string | null): { due: string[]; next: string | null } {
  const until = db.clock.monotonicMs() + stepMsMax;
  const isDue = dueTest(db, rules, now);
  const due: string[] = [];
  let visited = 0;
  for (const token of db.evidence.getKeys(from === null ? {} : { start: from })) {
    // At least one key a step, so that each walk ends.
    if (due.length >= removedAtOnce || (visited++ > 0 && db.clock.monotonicMs() > until)) return { due, next: token };
    const scan = findScan(db, token);
    // The evidence of a damaged record stays: it may be all that is left of the scan.
    if (scan !== undefined && isDue(scan)) due.push(token);
  }
  return { due, next: null };
}

function dueTest(db: Db, { evidenceDays, scansPerHost }: RetentionRules, now: Date): (scan: ScanRecord) => boolean {
  const keptFromMs = now.getTime() - evidenceDays * dayMs;
  const lowest = new Map<string, number>();
  return (scan) => {
    if (scan.endedAt === null) return false;
    if (Date.parse(scan.endedAt) < keptFromMs) return true;
    const host = hostOf(scan.url);
    if (scansPerHost === null || host === null || scan.status !== "finished") return false;
    const name = `${host} ${scanLocationOf(scan)}`;
    const id = lowest.get(name) ?? nthNewestOfHost(db, host, scanLocationOf(scan), scansPerHost) ?? 0;
    lowest.set(name, id);
    return scan.id < id;
  };
}

/** Also removes the screenshot. Only within a transaction. */
function removeEvidence(db: Db, token: string, now: Date): void {
  db.scans.update(token, ({ id, removed }) => {
    const at = now.toISOString();
    const hadScreenshot = db.screenshots.doesExist(id);
    db.evidence.remove(token);
    db.screenshots.remove(id);
    return { removed: { ...removed, evidence: at, ...(hadScreenshot && { screenshot: at }) } };
  });
}

export function screenshotRepository(db: Db) {
  return {
    /** Bytes of a `screenshotType` image; undefined if none was taken or the scan is too old. The scan must exist. */
    find: (token: string): Uint8Array | undefined => {
      const scan = db.scans.get(token);
      return scan === undefined ? undefined : db.screenshots.get(scan.id);
    },
    has: (token: string): boolean => {
      const scan = db.scans.get(token);
      return scan !== undefined && db.screenshots.doesExist(scan.id);
    },
  };
}

/** `kept`: newest scans that keep their screenshot; 0 stores none. Only within a transaction. */
export function putScreenshot(db: Db, scanId: number, bytes: Uint8Array, kept: number, now: Date): void {
  if (kept === 0) return;
  db.screenshots.put(scanId, bytes);
  for (const id of outdatedScreenshots(db, kept, outdatedPerNew)) removeScreenshot(db, id, now);
}

/** Ids of scans, the oldest first, at most `limit`. Screenshots of at least `kept` scans were newer. */
function outdatedScreenshots({ screenshots }: Db, kept: number, limit: number): readonly number[] {
  const [newest] = screenshots.getKeys({ reverse: true, limit: 1 });
  return newest === undefined ? [] : [...screenshots.getKeys({ end: newest - kept + 1, limit })];
}

/** The scan says when. Only within a transaction. */
function removeScreenshot(db: Db, id: number, now: Date): void {
  db.screenshots.remove(id);
  const token = db.publicScans.get(["", "", id]);
  if (token !== undefined) db.scans.update(token, ({ removed }) => ({ removed: { ...removed, screenshot: now.toISOString() } }));
}
