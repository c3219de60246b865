/** Pictures of scanned pages as they were seen, kept apart because they are larger than all else of a scan. */
import type { Db } from "./database.ts";

export interface ScreenshotVerbs {
  /** Bytes of a `screenshotType` image; undefined when none was taken. The token is one of a stored scan. */
  screenshotOf(token: string): Uint8Array | undefined;
}

export function screenshotVerbs(db: Db): ScreenshotVerbs {
  return { screenshotOf: (token) => db.screenshots.get(token) };
}
