/** The folder of backups: names by time, the list, and the removal of the oldest. */
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../base/sync-folder.ts";
import { removeLeftWorkFolders } from "../base/work-folder.ts";
import { withPlace } from "./backup-error.ts";
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

/** The newest first; none without the folder. @throws BackupError */
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
    syncFolder(folder);
  });
  return old;
}
