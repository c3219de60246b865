/** Backups of a server: folder, schedule, removal of the oldest, and the outcome of the last ones. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncPath } from "../base/disk.ts";
import { withFolderLock } from "../base/file-lock.ts";
import { tryOr } from "../base/try-or.ts";
import { hourMs } from "../base/units.ts";
import { removeLeftWorkFolders } from "../base/work-folder.ts";
import type { BackupSchedule } from "../settings/settings.ts";
import { withPlace } from "./archive.ts";
import { workFolderPrefix } from "./create-backup.ts";

/** Name of a scheduled backup, and of one without a name of its own; sorts by time. Other files of the folder are never touched. */
const namePattern = /^assay-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z\.tar\.zst$/;

export interface FoundBackup {
  readonly path: string;
  readonly createdAt: Date;
  readonly bytes: number;
}

export function backupName(createdAt: Date): string {
  return `assay-${createdAt.toISOString().replaceAll(/[-:]/g, "")}.tar.zst`;
}

/** Makes the folder if it is missing, for the owner of the folder above it: root makes backups of servers that run as another user. */
export async function ensureBackupFolder(folder: string): Promise<void> {
  await withPlace(folder, "written", () => {
    if (existsSync(folder)) return;
    mkdirSync(folder, { mode: 0o700 });
    const { uid, gid } = statSync(dirname(folder));
    if (process.geteuid?.() === 0 && uid !== 0) chownSync(folder, uid, gid);
  });
}

/** Backups, newest first; empty without the folder. @throws BackupError */
export async function listBackups(folder: string): Promise<readonly FoundBackup[]> {
  if (!existsSync(folder)) return [];
  return withPlace(folder, "read", () => {
    const found = readdirSync(folder).flatMap((name) => {
      const parts = namePattern.exec(name)?.slice(1);
      if (parts === undefined) return [];
      const [year, month, day, hour, minute, second, ms] = parts;
      const createdAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      if (stats === undefined || !stats.isFile() || Number.isNaN(createdAt.getTime())) return [];
      return [{ path: join(folder, name), createdAt, bytes: stats.size }];
    });
    return found.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  });
}

/** Removes all but the newest ones, and what killed backups left. Returns what it removed. @throws BackupError */
export async function pruneBackups(folder: string, keep: number): Promise<readonly FoundBackup[]> {
  const old = (await listBackups(folder)).slice(keep);
  await withPlace(folder, "written", () => {
    if (!existsSync(folder)) return;
    removeLeftWorkFolders(folder, workFolderPrefix);
    for (const { path } of old) rmSync(path);
    syncPath(folder);
  });
  return old;
}

const stateName = "backup-state.json";
const reasonCharsMax = 500;
const pathCharsMax = 4_096;

const instant = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const success = Type.Object({ at: instant, archive: Type.String({ maxLength: pathCharsMax }), bytes: Type.Integer({ minimum: 0 }) });
const failure = Type.Object({ at: instant, because: Type.String({ maxLength: reasonCharsMax }) });
const schema = Type.Object({
  lastSuccess: Type.Union([success, Type.Null()]),
  lastFailure: Type.Union([failure, Type.Null()]),
});

/** Times of the end, as in `2026-11-22T03:30:12.345Z`; `because` is one English sentence. */
export type BackupState = Static<typeof schema>;

const never: BackupState = { lastSuccess: null, lastFailure: null };

/** State of the file; empty if the file is missing or damaged. */
export function readBackupState(dataDir: string): BackupState {
  const state: unknown = tryOr(() => JSON.parse(readFileSync(join(dataDir, stateName), "utf8")), null);
  return Value.Check(schema, state) ? state : never;
}

/** Keeps what it does not change. Readable for the server, whichever user writes it. @throws the error of the file system */
export function noteBackup(dataDir: string, change: Partial<BackupState>): void {
  withFolderLock(dataDir, () => {
    const file = join(dataDir, stateName);
    const draft = `${file}.new`;
    const state = { ...readBackupState(dataDir), ...change };
    const shortened = state.lastFailure && { ...state.lastFailure, because: state.lastFailure.because.slice(0, reasonCharsMax) };
    // A killed process of another user may have left one that cannot be written.
    rmSync(draft, { force: true });
    try {
      writeFileSync(draft, `${JSON.stringify({ ...state, lastFailure: shortened })}\n`, { mode: 0o644 });
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/** Pause after a backup that failed. */
const retryMs = hourMs;

/**
 * When the next backup is due; in the past if one was missed. `since`: the start of the server, from which a first backup is counted. Times
 * of day are in the time zone of the process; one that a change of the clock skips comes as much later.
 */
export function nextBackupAt(
  schedule: BackupSchedule,
  state: BackupState,
  { since, now }: { readonly since: Date; readonly now: Date },
): Date {
  // A time in the future comes from a clock that was wrong, and would put off the next one.
  const pastEnd = (end: { readonly at: string } | null) => (end === null || Date.parse(end.at) > now.getTime() ? null : Date.parse(end.at));
  const [succeeded, failed] = [pastEnd(state.lastSuccess), pastEnd(state.lastFailure)];
  const last = Math.max(succeeded ?? 0, failed ?? 0);
  const first = "everyHours" in schedule ? since : nextAfter(schedule, since);
  const due = last === 0 ? first : nextAfter(schedule, new Date(last));
  const retry = failed !== null && failed > (succeeded ?? 0) ? new Date(failed + retryMs) : due;
  return new Date(Math.min(retry.getTime(), due.getTime()));
}

function nextAfter(schedule: BackupSchedule, last: Date): Date {
  if ("everyHours" in schedule) return new Date(last.getTime() + schedule.everyHours * hourMs);
  const next = new Date(last);
  next.setHours(schedule.hour, schedule.minute, 0, 0);
  if (next <= last) {
    next.setDate(next.getDate() + 1);
    next.setHours(schedule.hour, schedule.minute, 0, 0);
  }
  return next;
}
