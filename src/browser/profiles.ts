/** Folder for the profiles of this process's browsers. A lock shows other processes that the folder is in use. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { threadId as ownThreadId } from "node:worker_threads";
import { type FileLock, tryLockFile, withFolderLock } from "../base/file-lock.ts";
import { tryOr } from "../base/try-or.ts";
import { BrowserError } from "./executable.ts";
import { endProcessTree, pidsMentioning } from "./processes.ts";

export type ProfilesDir = ReturnType<typeof openProfilesDir>;

/**
 * Also deletes the folders of processes that were killed, and ends their browsers. Process ids cannot identify them: a container starts
 * with the same ids again. @throws BrowserError
 */
export function openProfilesDir(dir: string) {
  const profiles = join(dir, "profiles");
  try {
    mkdirSync(profiles, { recursive: true, mode: 0o700 });
    return withFolderLock(profiles, () => {
      removeAbandoned(profiles);
      const path = mkdtempSync(join(profiles, "process-"));
      const lock = tryLockFile(lockPathOf(path));
      return {
        path,
        /** Deletes profiles of a terminated thread. Its browser must have ended. */
        deleteOf: (threadId: number): void => {
          const names = readdirSync(path).filter((name) => name.startsWith(prefixOf(threadId)));
          for (const name of names) deleteFolder(join(path, name));
        },
        /** Deletes the folder. The browsers must have ended. */
        close: (): void => {
          deleteFolder(path);
          lock?.release();
        },
      };
    });
  } catch (error) {
    throw new BrowserError(
      `the browser's profiles cannot be written below ${dir} (${(error as Error).message}); set browser.dir to another folder`,
    );
  }
}

/** Folder for one browser of this thread. @throws the error of the file system */
export function createProfile(profilesDir: string): string {
  return mkdtempSync(join(profilesDir, prefixOf(ownThreadId)));
}

/** Never throws. Files that cannot be deleted now are deleted at a later start. */
export function deleteFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Reached also for a folder of another user, such as root.
  }
}

function prefixOf(threadId: number): string {
  return `profile-${threadId}-`;
}

function removeAbandoned(profiles: string): void {
  for (const name of readdirSync(profiles)) {
    const path = join(profiles, name);
    const lock = lockAbandoned(path);
    if (lock === null) continue;
    for (const pid of pidsMentioning(`${path}/`)) endProcessTree(pid);
    deleteFolder(path);
    lock.release();
  }
}

/** Locks a folder whose process is gone; null while a process uses it, or if it belongs to another user. */
function lockAbandoned(path: string): FileLock | null {
  // Folders of older releases have no lock file.
  return existsSync(lockPathOf(path)) ? tryOr(() => tryLockFile(lockPathOf(path)), null) : { release: () => {} };
}

function lockPathOf(path: string): string {
  return join(path, "lock");
}
