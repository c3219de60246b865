/** Retention: removes the evidence and pictures of old scans. Summary, ledger and findings stay, and the scan says what was removed when. */
import { dayMs } from "../base/units.ts";
import { hostOf } from "../parse/site.ts";
import type { Db } from "./database.ts";
import { nthNewestOfHost } from "./public-list.ts";
import { scanLocationOf } from "./scan-location.ts";
import { findScan } from "./scan-token.ts";
import type { ScanRecord } from "./scans.ts";
import { outdatedScreenshots, removeScreenshot } from "./screenshots.ts";

/** Time of one step without its transaction, in milliseconds: requests wait no longer. */
const stepMsMax = 2;
/** Scans whose data one transaction removes: some milliseconds with the flush to disk. */
const removedAtOnce = 10;

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
          for (const token of due) removeGathered(db, token, now);
        });
      return { next, removed: due.length };
    },

    /** Removes some screenshots beyond the newest; returns how many. Zero: none is left to remove. */
    removeScreenshots: async ({ screenshots }: RetentionRules, now: Date): Promise<number> => {
      const ids = outdatedScreenshots(db, { kept: screenshots, limit: removedAtOnce });
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
    const id = lowest.get(name) ?? nthNewestOfHost(db, { host, location: scanLocationOf(scan), rank: scansPerHost }) ?? 0;
    lowest.set(name, id);
    return scan.id < id;
  };
}

/** Only within a transaction. */
function removeGathered(db: Db, token: string, now: Date): void {
  const scan = findScan(db, token);
  if (scan === undefined) return;
  const at = now.toISOString();
  const hadScreenshot = db.screenshots.doesExist(scan.id);
  db.evidence.remove(token);
  if (hadScreenshot) db.screenshots.remove(scan.id);
  db.scans.put(token, { ...scan, removed: { ...scan.removed, evidence: at, ...(hadScreenshot ? { screenshot: at } : {}) } });
}
