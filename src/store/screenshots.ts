/** Screenshots, kept only for the newest scans because of their size. */
import type { Db } from "./database.ts";

/** Newest scans with a screenshot: at most 800 MB, because the probe bounds each image. */
export const screenshotsKept = 2_000;

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

/** Only within a transaction. */
export function putScreenshot(db: Db, scanId: number, bytes: Uint8Array): void {
  db.screenshots.put(scanId, bytes);
  const outdated = [...db.screenshots.getKeys({ end: scanId - screenshotsKept + 1 })];
  for (const id of outdated) db.screenshots.remove(id);
}
