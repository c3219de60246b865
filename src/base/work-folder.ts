/** Folders for unfinished work beside its result. What a killed process left is removed by the next one that works there. */
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FileLock, tryLockFolder } from "./file-lock.ts";

const attemptsMax = 5;

/**
 * Runs the action with a folder of mode 0700 and a random name below an existing one, and removes it with its content. Folders with the same
 * prefix whose process has ended are removed too. @throws the error of the file system or of the action
 */
export async function withWorkFolder<T>(parent: string, prefix: string, action: (path: string) => Promise<T>): Promise<T> {
  const { path, remove } = openWorkFolder(parent, prefix);
  try {
    return await action(path);
  } finally {
    remove();
  }
}

function openWorkFolder(parent: string, prefix: string): { readonly path: string; remove(): void } {
  for (let attempt = 1; ; attempt++) {
    const path = mkdtempSync(join(parent, prefix));
    const lock = tryLockMade(path);
    const remove = () => {
      rmSync(path, { recursive: true, force: true });
      lock?.release();
    };
    // Another process took it for a leftover before it was locked; or the file system has no locks.
    if (lock === null && attempt < attemptsMax) remove();
    else {
      removeLeftWorkFolders(parent, prefix);
      return { path, remove };
    }
  }
}

function tryLockMade(path: string): FileLock | null {
  try {
    const lock = tryLockFolder(path);
    if (lock === null || existsSync(path)) return lock;
    lock.release();
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Removes the folders that killed processes of this user left, as far as it can be removed. @throws the error of the file system for the parent. */
export function removeLeftWorkFolders(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) if (name.startsWith(prefix)) removeUnused(join(parent, name));
}

function removeUnused(path: string): void {
  let lock: FileLock | null = null;
  try {
    const stats = lstatSync(path);
    // In a folder such as /tmp, other users may have made it.
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return;
    lock = tryLockFolder(path);
    if (lock !== null) rmSync(path, { recursive: true, force: true });
  } catch {
    // Removed meanwhile, or not removable: the work itself does not depend on it.
  } finally {
    lock?.release();
  }
}
