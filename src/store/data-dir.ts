/** Faults of the data directory, the check that it can be written, and the faults since the store was opened. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { diskSpaceOf, systemErrorCode } from "../base/disk.ts";

/** Free space required at start, in bytes: with less, the first scans would fail. */
const freeBytesMin = 1_048_576;
export type DataDirFault = "not-writable" | "full" | "newer" | "older" | "missing" | "unflushed" | "locked" | "damaged";

/** Unusable data directory. The message is one sentence for the operator; the directory is unchanged. */
export class DataDirError extends Error {
  override readonly name = "DataDirError";
  constructor(
    readonly fault: DataDirFault,
    message: string,
  ) {
    super(message);
  }
}

/** Error code of LMDB (lmdb.h). */
const lmdbPanic = -30795;
/**
 * Messages of LMDB, lmdb-js and its decoder of keys about a damaged store; some have no code. A damaged list of free pages names pages that
 * no file can have. Keys of records have sizes that LMDB accepts, and no part is a fraction of a large integer.
 */
const damageMessage =
  /^(MDB_(PAGE_NOTFOUND|CORRUPTED|VERSION_MISMATCH|INVALID|CURSOR_FULL|PAGE_FULL|PROBLEM|BAD_TXN|BAD_VALSIZE|ENV_ENCRYPTION)|Invalid key size|Invalid argument: Attempting to write page|Not an integer$)/;

/** `fact`: what is damaged, with its path. */
export function damagedDataDir(fact: string): DataDirError {
  return new DataDirError(
    "damaged",
    `${fact}; "assay doctor --store" says what is lost: restore a backup with "assay restore", or move data.mdb away to begin anew`,
  );
}

/** Begins the name of the folder, within a data directory, in which a restore works. Its store is moved into place last. */
export const restoreFolderPrefix = ".assay-restore-";

/** @throws DataDirError for a directory whose restore was interrupted: a store must not begin empty there. */
export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(dataDir) || existsSync(join(dataDir, "store", "data.mdb"))) return;
  if (readdirSync(dataDir).some((name) => name.startsWith(restoreFolderPrefix)))
    throw new DataDirError("damaged", `data directory ${dataDir} is half restored; run "assay restore" again, which begins anew`);
}

/** Creates the folder with mode 0700, then writes and removes a test file: only a write covers quotas, mounts and rights. */
export function ensureWritable(path: string): void {
  const probe = join(path, `.probe-${process.pid}`);
  inDataDir(dirname(path), () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(probe, Buffer.alloc(freeBytesMin), { mode: 0o600, flush: true });
    } finally {
      rmSync(probe, { force: true });
    }
  });
}

/** Runs the action; errors of the file system and of LMDB become a `DataDirError`. */
export function inDataDir<T>(dataDir: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }
}

/** Maps errors of the file system and of LMDB to a `DataDirError`; returns any other error unchanged. */
export function asDataDirError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof DataDirError) return error;
  // LMDB refuses every change after a state that it could not write.
  if ((error as { readonly code?: unknown }).code === lmdbPanic)
    return new DataDirError("damaged", `data directory ${dataDir} could not be written in full: the disk failed; restart assay`);
  switch (systemErrorCode(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOENT":
    case "ENOTDIR":
    case "EEXIST":
      return new DataDirError("not-writable", `data directory ${dataDir} cannot be written (${error.message})`);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new DataDirError("full", `data directory ${dataDir} has no room left (${error.message})`);
    // LMDB reports a partially written page as an I/O error.
    case "EIO":
      return new DataDirError("full", `data directory ${dataDir} could not be written in full: the disk is full or failing`);
    default:
      return damageMessage.test(error.message) ? damagedDataDir(`data directory ${dataDir} is damaged (${error.message})`) : error;
  }
}

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
      // Unknown counts as free: only a failed change proves otherwise.
      return (diskSpaceOf(path)?.freeBytes ?? freeBytesMin) < freeBytesMin ? "the disk is full" : null;
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
