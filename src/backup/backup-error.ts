/** A backup cannot be made, verified or restored. */
import { getSystemErrorName } from "node:util";
import { DataDirError } from "../store/data-dir.ts";

/** The message is one sentence for the operator. Nothing was changed, and no unfinished file is left. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "its disk is full",
  EDQUOT: "the quota of its disk is used up",
  EFBIG: "the file would be larger than allowed",
  EIO: "its disk is full or failing",
  EROFS: "its disk is read-only",
  EACCES: "it is not permitted",
  EPERM: "it is not permitted",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link",
  ENAMETOOLONG: "its name is too long",
};

/** Runs what reads or writes below `place`; an error of the system becomes a `BackupError` that names it. */
export async function withPlace<T>(place: string, doing: string, action: () => Promise<T> | T): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asBackupError(error, place, doing);
  }
}

function asBackupError(error: unknown, place: string, doing: string): unknown {
  if (!(error instanceof Error) || error instanceof BackupError || error instanceof DataDirError) return error;
  const code = systemCode((error as { readonly code?: unknown }).code);
  return code === null ? error : new BackupError(`${place} cannot be ${doing}: ${reasons[code] ?? error.message}`);
}

/** LMDB gives errors of the system as numbers, and its own ones as negative numbers. */
function systemCode(code: unknown): string | null {
  if (typeof code === "string") return code;
  return typeof code === "number" && code > 0 ? getSystemErrorName(-code) : null;
}
