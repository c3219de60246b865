/** Screenshots, kept only for the newest scans because of their size. */
import type { Db } from "./database.ts";
import { findScan } from "./scan-token.ts";

/** Outdated screenshots that a new one removes: the table shrinks to its limit. The rest is left to retention. */
const outdatedPerNew = 2;

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

interface NewScreenshot {
  readonly scanId: number;
  readonly bytes: Uint8Array;
  /** Newest scans that keep theirs; 0 stores none. */
  readonly kept: number;
  readonly now: Date;
}

/** Only within a transaction. */
export function putScreenshot(db: Db, { scanId, bytes, kept, now }: NewScreenshot): void {
  if (kept === 0) return;
  db.screenshots.put(scanId, bytes);
  for (const id of outdatedScreenshots(db, { kept, limit: outdatedPerNew })) removeScreenshot(db, id, now);
}

/** Ids of scans, the oldest first, at most `limit`. Screenshots of at least `kept` scans were newer. */
export function outdatedScreenshots(
  { screenshots }: Pick<Db, "screenshots">,
  { kept, limit }: { readonly kept: number; readonly limit: number },
): readonly number[] {
  const [newest] = screenshots.getKeys({ reverse: true, limit: 1 });
  return newest === undefined ? [] : [...screenshots.getKeys({ end: newest - kept + 1, limit })];
}

/** The scan says when. Only within a transaction. */
export function removeScreenshot(db: Pick<Db, "scans" | "publicScans" | "screenshots">, id: number, now: Date): void {
  db.screenshots.remove(id);
  const token = db.publicScans.get(["", "", id]);
  const scan = token === undefined ? undefined : findScan(db, token);
  if (scan !== undefined) db.scans.put(scan.token, { ...scan, removed: { ...scan.removed, screenshot: now.toISOString() } });
}
