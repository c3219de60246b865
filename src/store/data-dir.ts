/** Checks of the data directory before LMDB maps a file: mapping a truncated file ends the process without an error. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Free space required at start, in bytes: with less, the first scans would fail. */
const freeBytesMin = 1_048_576;
/** LMDB's magic number: little-endian, after the 24-byte header of the first page. */
const lmdbMagic = 0xbeefc0de;
const lmdbMagicOffset = 24;
/** Two pages of metadata, which LMDB reads before it knows the file length. */
const lmdbBytesMin = 2 * 4_096;

export type DataDirFault = "not-writable" | "full" | "newer" | "older" | "locked" | "damaged";

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

/** Accepts a missing or empty file, or one with LMDB's magic number and metadata. */
export function ensureValidFile(path: string): void {
  const file = join(path, "data.mdb");
  const bytes = existsSync(file) ? statSync(file).size : 0;
  if (bytes === 0) return;
  try {
    const handle = openSync(file, "r");
    const head = Buffer.alloc(lmdbMagicOffset + 4);
    const length = readSync(handle, head);
    closeSync(handle);
    if (bytes >= lmdbBytesMin && length === head.length && head.readUInt32LE(lmdbMagicOffset) === lmdbMagic) return;
  } catch (error) {
    throw asDataDirError(error, dirname(path));
  }
  throw new DataDirError("damaged", `${file} is not a store of assay; restore it from a backup or move it away`);
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
    // LMDB reports a partially written page as an I/O error.
    case "EIO":
    case 5:
      return new DataDirError("full", `data directory ${dataDir} could not be written in full: the disk is full or failing`);
    default:
      return error;
  }
}
