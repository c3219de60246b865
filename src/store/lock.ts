/** File lock for one server per data directory; the kernel releases it when the process ends. */
import { dlopen } from "bun:ffi";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { asDataDirError, DataDirError } from "./data-dir.ts";

/** flock(2): LOCK_EX and LOCK_NB. */
const lockExclusive = 2;
const lockNonBlocking = 4;

export interface DataDirLock {
  release(): void;
}

/**
 * The file descriptor is closed on exec, so that a browser that outlives its server does not keep the lock.
 * @throws DataDirError `locked` while another server holds it, also from another container on the same volume.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const file = openLockFile(dataDir);
  const { symbols } = dlopen("libc.so.6", { flock: { args: ["i32", "i32"], returns: "i32" } });
  if (symbols.flock(file, lockExclusive | lockNonBlocking) !== 0) {
    closeSync(file);
    throw new DataDirError(
      "locked",
      `data directory ${dataDir} is in use by another assay server; stop that one or name another directory`,
    );
  }
  return { release: () => closeSync(file) };
}

function openLockFile(dataDir: string): number {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return openSync(join(dataDir, "lock"), "a", 0o600);
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }
}
