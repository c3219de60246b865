/** Faults that the store met since it was opened, for the readiness probe. */
import { statfsSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { DataDirError, ensureWritable, freeBytesMin } from "./data-dir.ts";

/** Pause between two test writes after a change that failed: each writes `freeBytesMin` bytes. */
const testWriteEveryMs = 5_000;

export interface StoreHealth {
  /** Short clause on the data directory's disk; null while it takes changes. Recovers by itself. */
  readonly diskFault: () => string | null;
  /** Short clause on the store itself; null unless a read or a change met damage. Lasts until the end of the process. */
  readonly storeFault: () => string | null;
}

export interface NotedStoreHealth extends StoreHealth {
  /** Notes an error of a read or a change. */
  readonly noteError: (error: unknown) => void;
  /** Notes a change that is on disk. */
  readonly noteChange: () => void;
}

/** `path`: folder of the store. */
export function createStoreHealth(path: string, clock: Pick<Clock, "monotonicMs">): NotedStoreHealth {
  let failed: DataDirError | null = null;
  let testedAtMs = Number.NEGATIVE_INFINITY;
  let isDamaged = false;

  return {
    noteError: (error) => {
      if (!(error instanceof DataDirError)) return;
      if (error.fault === "damaged") isDamaged = true;
      if (error.fault === "full" || error.fault === "not-writable") failed = error;
    },
    noteChange: () => {
      failed = null;
    },
    diskFault: () => {
      if (failed !== null && clock.monotonicMs() - testedAtMs >= testWriteEveryMs) {
        testedAtMs = clock.monotonicMs();
        failed = testWrite(path, failed);
      }
      if (failed !== null) return failed.fault === "full" ? "the disk is full" : "the data directory cannot be written";
      return freeBytesOf(path) < freeBytesMin ? "the disk is full" : null;
    },
    storeFault: () => (isDamaged ? "the store is damaged" : null),
  };
}

/** Null if it succeeds. `known` remains after an error that says nothing about the disk, such as a lack of file descriptors. */
function testWrite(path: string, known: DataDirError): DataDirError | null {
  try {
    ensureWritable(path);
    return null;
  } catch (error) {
    return error instanceof DataDirError ? error : known;
  }
}

/** Blocks reserved for root are not available to the server. Unknown counts as free: only a failed change proves otherwise. */
function freeBytesOf(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
