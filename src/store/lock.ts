/** File lock for one server per data directory; the kernel releases it when the process ends. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, tryLockFile } from "../base/file-lock.ts";
import { DataDirError, inDataDir } from "./data-dir.ts";

/** Content of the lock file while a server runs; empty after an orderly end. */
const runningMark = "running\n";

export interface DataDirLock extends FileLock {
  /** Whether the last server that held the lock ended in order. */
  readonly endedInOrder: boolean;
  /** Makes an end without `markStopped` visible to the next start. */
  markRunning(): void;
  /** Call after the store is closed. */
  markStopped(): void;
}

/** @throws DataDirError `locked` while another server holds it, also from another container on the same volume. */
export function lockDataDir(dataDir: string): DataDirLock {
  const file = join(dataDir, "lock");
  return inDataDir(dataDir, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const lock = tryLockFile(file);
    if (lock === null)
      throw new DataDirError(
        "locked",
        `data directory ${dataDir} is in use by another assay server; stop that one or name another directory`,
      );
    const mark = (text: string) => inDataDir(dataDir, () => writeFileSync(file, text, { flush: true }));
    return {
      ...lock,
      endedInOrder: statSync(file).size === 0,
      markRunning: () => mark(runningMark),
      markStopped: () => mark(""),
    };
  });
}
