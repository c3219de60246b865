/** Exclusive file locks between processes (flock(2), fcntl(2)). The kernel releases a lock when its process ends, also in another container. */
import { dlopen, ptr } from "bun:ffi";
import { closeSync, constants, openSync } from "node:fs";
import { systemLibrary } from "./system-library.ts";

const lockShared = 1;
const lockExclusive = 2;
const lockNonBlocking = 4;
const lockRelease = 8;
const interruptionsMax = 100;

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
 * Lock of a folder, held by one or shared by several. Each method waits for the others, so all actions must be brief; none may call another.
 * There is no lock file, which one user (root) would create and another could not open.
 */
export interface FolderLock {
  exclusive<T>(action: () => T): T;
  shared<T>(action: () => T): T;
  close(): void;
}

/** The folder must exist. @throws the error of the file system */
export function openFolderLock(path: string): FolderLock {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  const holding = <T>(operation: number, action: () => T): T => {
    lockHeld(folder, operation);
    try {
      return action();
    } finally {
      systemLock(folder, lockRelease);
    }
  };
  let isOpen = true;
  return {
    exclusive: (action) => holding(lockExclusive, action),
    shared: (action) => holding(lockShared, action),
    // The number of a closed file belongs to the next file that is opened.
    close: () => {
      if (isOpen) closeSync(folder);
      isOpen = false;
    },
  };
}

/** Runs the action while holding the lock of a folder that exists; waits for other processes. @throws the error of the file system */
export function withFolderLock<T>(path: string, action: () => T): T {
  const lock = openFolderLock(path);
  try {
    return lock.exclusive(action);
  } finally {
    lock.close();
  }
}

/** Null while another process holds the lock of this folder. @throws the error of the file system; also for a symbolic link. */
export function tryLockFolder(path: string): FileLock | null {
  return lockOpened(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW), lockExclusive | lockNonBlocking);
}

/** `struct flock` of 64-bit Linux: type and origin, then offset and length from byte 8 on. */
const recordLock = { bytes: 32, lengthAt: 16, exclusive: 1 };
const setRecordLock = 6;

/**
 * Exclusive record lock (fcntl(2)) on the first byte of a file, as LMDB uses on its lock file. Null while another process holds any. Closing
 * the file anywhere in this process releases it. @throws the error of the file system
 */
export function tryLockFirstByte(path: string): FileLock | null {
  const file = openSync(path, "r+");
  const lock = Buffer.alloc(recordLock.bytes);
  lock.writeInt16LE(recordLock.exclusive, 0);
  lock.writeBigInt64LE(1n, recordLock.lengthAt);
  const { symbols } = dlopen(systemLibrary, { fcntl: { args: ["i32", "i32", "ptr"], returns: "i32" } });
  if (symbols.fcntl(file, setRecordLock, ptr(lock)) === 0) return { release: () => closeSync(file) };
  closeSync(file);
  return null;
}

function lockOpened(file: number, operation: number): FileLock | null {
  if (systemLock(file, operation)) return { release: () => closeSync(file) };
  closeSync(file);
  return null;
}

/** A signal can end the wait. @throws Error on a file system without locks */
function lockHeld(file: number, operation: number): void {
  for (let tries = 0; tries < interruptionsMax; tries++) if (systemLock(file, operation)) return;
  throw new Error("the file system of the data directory has no locks (flock)");
}

let flock: ((file: number, operation: number) => number) | undefined;

function systemLock(file: number, operation: number): boolean {
  flock ??= dlopen(systemLibrary, { flock: { args: ["i32", "i32"], returns: "i32" } }).symbols.flock;
  return flock(file, operation) === 0;
}
