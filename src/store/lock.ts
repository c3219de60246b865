/** File lock for one server per data directory; the kernel releases it when the process ends. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, tryLockFile } from "../base/file-lock.ts";
import { asDataDirError, DataDirError } from "./data-dir.ts";

export type DataDirLock = FileLock;

/** @throws DataDirError `locked` while another server holds it, also from another container on the same volume. */
export function lockDataDir(dataDir: string): DataDirLock {
  const lock = lockOf(dataDir);
  if (lock !== null) return lock;
  throw new DataDirError("locked", `data directory ${dataDir} is in use by another assay server; stop that one or name another directory`);
}

function lockOf(dataDir: string): FileLock | null {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return tryLockFile(join(dataDir, "lock"));
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }
}
