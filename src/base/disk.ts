/** Disks and files: space, durability, owners, and errors of the system. */
import { closeSync, fsyncSync, openSync, statfsSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import { tryOr } from "./try-or.ts";

/** Makes the content of a file, or new and removed names of a folder, durable. */
export function syncPath(path: string): void {
  withFile(path, "r", fsyncSync);
}

/** Opens the file for the action. @throws the error of the file system */
export function withFile<T>(path: string, flags: string, action: (file: number) => T, mode?: number): T {
  const file = openSync(path, flags, mode);
  try {
    return action(file);
  } finally {
    closeSync(file);
  }
}

/** Blocks reserved for root are not available to the server. */
interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** @throws the error of the file system */
export function readDiskSpace(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Null where the system does not report it. */
export function diskSpaceOf(folder: string): DiskSpace | null {
  return tryOr(() => readDiskSpace(folder), null);
}

/** Name of an error of the system, such as `ENOSPC`. LMDB gives such errors as numbers, and its own ones as negative numbers: null. */
export function systemErrorCode(error: Error): string | null {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string") return code;
  return typeof code === "number" && code > 0 ? getSystemErrorName(-code) : null;
}
