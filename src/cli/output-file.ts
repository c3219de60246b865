/** Files that a command writes: tried before any work begins, then written as a whole or not at all. */
import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, openSync, readlinkSync, realpathSync, type Stats, statSync, unlinkSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CliError, exitCodes, usageError } from "./exit.ts";

export interface OutputFile {
  /** Path as it was given. */
  readonly path: string;
  /** Equal for two paths of one file. */
  readonly identity: string;
  /** @throws CliError */
  write(text: string): Promise<void>;
  /** Removes what an earlier call left; true if there was something. @throws CliError */
  remove(): Promise<boolean>;
}

const linksMax = 40;
/** Files of open descriptors. One of a regular file is written at its end: another program may hold it open. */
const descriptorPath = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/;
const { O_APPEND, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;

/** Leaves the file as it is, and creates none. @throws CliError if the file could not be written. */
export function openOutputFile(path: string): OutputFile {
  try {
    const target = followed(path);
    const stats = statSync(target, { throwIfNoEntry: false });
    const mode = writingMode(path, target, stats);
    return {
      path,
      identity: fileIdentity(target),
      write: (text) => orCliError(path, "written", () => writers[mode](target, text, stats)),
      remove: () => orCliError(path, "removed", () => removed(target, mode)),
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`${path} cannot be written: ${systemReason(error)}`);
  }
}

/** Equal for two paths of one file; a file that does not exist yet is known by its folder and name. */
export function fileIdentity(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return `${stats.dev}:${stats.ino}`;
  const folder = dirname(resolve(path));
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : resolve(path);
}

type WritingMode = "replace" | "overwrite" | "append";

const writers: Readonly<Record<WritingMode, (target: string, text: string, stats: Stats | undefined) => Promise<void>>> = {
  replace: replaceFile,
  overwrite: (target, text) => writeInto(target, O_WRONLY | O_TRUNC, text),
  append: (target, text) => writeInto(target, O_WRONLY | O_APPEND, text),
};

/** @throws Error of the system if the file cannot be written. */
function writingMode(path: string, target: string, stats: Stats | undefined): WritingMode {
  if (stats?.isDirectory() || path.endsWith("/")) throw usageError(`${path} cannot be written: it is a folder`);
  if (stats === undefined) {
    tryFolder(target);
    return "replace";
  }
  // Opening a pipe for writing waits for its reader.
  if (!stats.isFIFO()) closeSync(openSync(target, O_WRONLY | O_NONBLOCK));
  if (!stats.isFile() || descriptorPath.test(target)) return "append";
  // A rename would change the owner, and folders such as /tmp refuse it.
  if (stats.uid !== process.geteuid?.()) return "overwrite";
  try {
    tryFolder(target);
    return "replace";
  } catch {
    // A writable file in a folder that is not, as a single file in a container can be.
    return "overwrite";
  }
}

/** Path behind symbolic links, so that the link stays. Descriptors are links to what they opened, and are not followed. */
function followed(path: string): string {
  let target = resolve(path);
  for (let links = 0; links < linksMax && !descriptorPath.test(target); links++) {
    const next = linkTarget(target);
    if (next === null) return target;
    target = resolve(dirname(target), next);
  }
  return target;
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function temporaryBeside(target: string): string {
  return join(dirname(target), `.assay-${randomBytes(8).toString("hex")}.tmp`);
}

function tryFolder(target: string): void {
  const temporary = temporaryBeside(target);
  closeSync(openSync(temporary, "wx"));
  unlinkSync(temporary);
}

/** Renames a temporary file, so that no reader sees half a file. Keeps the permissions of the earlier file. */
async function replaceFile(target: string, text: string, stats: Stats | undefined): Promise<void> {
  const temporary = temporaryBeside(target);
  try {
    const file = await open(temporary, "wx");
    try {
      if (stats !== undefined) await file.chmod(stats.mode);
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    // A file that is mounted by itself cannot be replaced.
    if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error;
    await writers.overwrite(target, text, stats);
  }
}

async function writeInto(target: string, flags: number, text: string): Promise<void> {
  const file = await open(target, flags);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function removed(target: string, mode: WritingMode): Promise<boolean> {
  if (mode === "append") return false;
  try {
    await unlink(target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function orCliError<T>(path: string, done: "written" | "removed", action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new CliError(exitCodes.internal, `${path} could not be ${done}: ${systemReason(error)}`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
  EACCES: "it is not permitted",
  EPERM: "it is not permitted",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links lead back to it",
};

/** Why the system refuses a file, as the end of a sentence. */
export function systemReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (code || message);
}
