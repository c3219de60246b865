/** Space of the data directory. */
import { statfsSync, statSync } from "node:fs";
import { storeFileOf } from "../store/store-file.ts";
import type { DiskSpace } from "../web/admin/operator.ts";

/** Null where the system does not report it. Blocks reserved for root are not available to the server. */
export function diskSpaceOf(folder: string): DiskSpace | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

/** Size of the store's file; null if it cannot be read. */
export function storeBytesOf(dataDir: string): number | null {
  return statSync(storeFileOf(dataDir), { throwIfNoEntry: false })?.size ?? null;
}
