/** Faults of the data directory, and the check that it can be written. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Free space required at start, in bytes: with less, the first scans would fail. */
export const freeBytesMin = 1_048_576;
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

/** Error codes of LMDB (lmdb.h). */
const lmdb = { pageNotFound: -30797, corrupted: -30796, panic: -30795, versionMismatch: -30794, invalid: -30793, encrypted: -30776 };

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
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const file = openSync(probe, "w", 0o600);
    try {
      const bytes = Buffer.alloc(freeBytesMin);
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(probe, { force: true });
    }
  } catch (error) {
    throw asDataDirError(error, dirname(path));
  }
}

/** Maps errors of the file system and of LMDB to a `DataDirError`; returns any other error unchanged. */
export function asDataDirError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof DataDirError) return error;
  const { code } = error as { code?: string | number };
  switch (code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOENT":
    case "ENOTDIR":
    case "EEXIST":
    case 13:
    case 1:
    case 30:
    case 2:
      return new DataDirError("not-writable", `data directory ${dataDir} cannot be written (${error.message})`);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
    case 28:
    case 122:
    case 27:
      return new DataDirError("full", `data directory ${dataDir} has no room left (${error.message})`);
    case lmdb.corrupted:
    case lmdb.pageNotFound:
    case lmdb.invalid:
    case lmdb.versionMismatch:
    case lmdb.encrypted:
      return damagedDataDir(`data directory ${dataDir} is damaged (${error.message})`);
    // LMDB refuses every change after a state that it could not write.
    case lmdb.panic:
      return new DataDirError("damaged", `data directory ${dataDir} could not be written in full: the disk failed; restart assay`);
    // LMDB reports a partially written page as an I/O error.
    case "EIO":
    case 5:
      return new DataDirError("full", `data directory ${dataDir} could not be written in full: the disk is full or failing`);
    default:
      return error;
  }
}
