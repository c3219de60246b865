/** Pictures of scanned pages as they were seen: larger than all else of a scan, and so kept of the newest scans alone. */
import type { Db } from "./database.ts";

/** Scans, counted back from the newest, that keep their picture: at most 800 MB, since the probe bounds each of them. */
export const screenshotsKept = 2_000;

export interface ScreenshotRepository {
  /** Bytes of a `screenshotType` image; undefined when none was taken, or the scan is not among the newest any more. The token is one of a stored scan. */
  find(token: string): Uint8Array | undefined;
  /** Whether there is one, without reading it. */
  has(token: string): boolean;
}

export function screenshotRepository(db: Db): ScreenshotRepository {
  return {
    find: (token) => {
      const scan = db.scans.get(token);
      return scan === undefined ? undefined : db.screenshots.get(scan.id);
    },
    has: (token) => {
      const scan = db.scans.get(token);
      return scan !== undefined && db.screenshots.doesExist(scan.id);
    },
  };
}

/** Only within `write`. */
export function keepScreenshot(db: Db, scanId: number, bytes: Uint8Array): void {
  db.screenshots.put(scanId, bytes);
  const outdated = [...db.screenshots.getKeys({ end: scanId - screenshotsKept + 1 })];
  for (const id of outdated) db.screenshots.remove(id);
}
