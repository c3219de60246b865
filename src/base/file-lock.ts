/** Exclusive file locks between processes (flock(2)). The kernel releases a lock when its process ends, also in another container. */
import { dlopen } from "bun:ffi";
import { closeSync, constants, openSync } from "node:fs";

const lockExclusive = 2;
const lockNonBlocking = 4;

export interface FileLock {
  release(): void;
}

/**
 * Null while another process holds the lock. The file is created if missing, and closed on exec: a browser that outlives its server
 * does not keep the lock. @throws the error of the file system
 */
export function tryLockFile(path: string): FileLock | null {
  return lockOpened(openSync(path, "a", 0o600), lockExclusive | lockNonBlocking);
}

/**
 * Runs the action while holding the lock of a folder that exists; waits for other processes, so all of them must be brief. There is no lock
 * file, which one user (root) would create and another could not open.
 */
export function withFolderLock<T>(path: string, action: () => T): T {
  const lock = lockOpened(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY), lockExclusive);
  try {
    return action();
  } finally {
    lock?.release();
  }
}

/** Null while another process holds the lock of this folder. @throws the error of the file system; also for a symbolic link. */
export function tryLockFolder(path: string): FileLock | null {
  return lockOpened(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW), lockExclusive | lockNonBlocking);
}

function lockOpened(file: number, operation: number): FileLock | null {
  const { symbols } = dlopen("libc.so.6", { flock: { args: ["i32", "i32"], returns: "i32" } });
  if (symbols.flock(file, operation) === 0) return { release: () => closeSync(file) };
  closeSync(file);
  return null;
}
