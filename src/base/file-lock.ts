/** Exclusive file locks between processes (flock(2)). The kernel releases a lock when its process ends, also in another container. */
import { dlopen } from "bun:ffi";
import { closeSync, openSync } from "node:fs";

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
  return lockFile(path, lockExclusive | lockNonBlocking);
}

/** Runs the action while holding the lock; waits for other processes, so all of them must be brief. */
export function withFileLock<T>(path: string, action: () => T): T {
  const lock = lockFile(path, lockExclusive);
  try {
    return action();
  } finally {
    lock?.release();
  }
}

function lockFile(path: string, operation: number): FileLock | null {
  const file = openSync(path, "a", 0o600);
  const { symbols } = dlopen("libc.so.6", { flock: { args: ["i32", "i32"], returns: "i32" } });
  if (symbols.flock(file, operation) === 0) return { release: () => closeSync(file) };
  closeSync(file);
  return null;
}
