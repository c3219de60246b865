/** Unpacks an archive, proves that it could be restored, and restores it into an empty data directory. */
import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncPath } from "../base/disk.ts";
import { withWorkFolder } from "../base/work-folder.ts";
import { restoreFolderPrefix } from "../store/data-dir.ts";
import { deletionsName } from "../store/deletions-file.ts";
import { lockDataDir } from "../store/lock.ts";
import { schemaVersion } from "../store/migrations.ts";
import type { StoreReport } from "../store/store-walk.ts";
import {
  assertSpace,
  BackupError,
  checksName,
  configName,
  type FileSink,
  type Manifest,
  type ManifestFile,
  outsideName,
  readArchive,
  seedName,
  storeName,
  withPlace,
} from "./archive.ts";
import { type StoreTools, workFolderPrefix } from "./create-backup.ts";

const fileMode = 0o600;
const folderMode = 0o700;

interface UnpackOptions {
  readonly archive: string;
  readonly tools: Pick<StoreTools, "inspect">;
  readonly stop: AbortSignal;
}

/** The files are on disk when the promise resolves. @throws BackupError; the error of `stop` */
async function unpackBackup(into: string, { archive, tools, stop }: UnpackOptions): Promise<Manifest> {
  const manifest = await readArchive(archive, {
    stop,
    onManifest: ({ schema, files }) => {
      if (schema > schemaVersion)
        throw new BackupError(`${archive} was made by a newer assay (schema ${schema}, this one knows ${schemaVersion}); use that version`);
      assertSpace(
        into,
        files.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    },
    openFile: (file) => openFile(into, file),
  });
  for (const folder of new Set(manifest.files.map(({ name }) => dirname(join(into, name))))) syncPath(folder);
  assertEqual(archive, manifest, await tools.inspect(into, stop));
  return manifest;
}

async function openFile(into: string, { name }: ManifestFile): Promise<FileSink> {
  const path = join(into, name);
  const write = <T>(action: () => Promise<T> | T) => withPlace(path, "written", action);
  const file = await write(() => {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode });
    return open(path, "wx", fileMode);
  });
  return {
    write: (chunk) => write(() => file.writeFile(chunk)),
    close: () => write(() => file.sync().finally(() => file.close())),
  };
}

/** The sums of the files prove the archive; this proves the store in it. */
function assertEqual(archive: string, { schema, tables }: Manifest, report: StoreReport): void {
  const found = new Map(report.tables.map((table) => [table.table, table]));
  const wrong = tables.find(({ table, rows, sha256 }) => {
    const inStore = found.get(table);
    // An empty table of another release may be unknown to this one.
    return inStore === undefined ? rows > 0 : inStore.rows !== rows || inStore.sha256 !== sha256;
  });
  const named = new Set(tables.map(({ table }) => table));
  const damaged = wrong ?? report.tables.find(({ table, rows }) => rows > 0 && !named.has(table));
  if (damaged !== undefined)
    throw new BackupError(`${archive} is damaged: the rows of its table ${damaged.table} are not those of its manifest`);
  if (report.schema !== schema) throw new BackupError(`${archive} is damaged: its store has not the schema of its manifest`);
}

/** `folder`: where the store is unpacked meanwhile. @throws BackupError; the error of `stop` */
export async function verifyBackup(folder: string, options: UnpackOptions): Promise<Manifest> {
  return withPlace(folder, "written", () => withWorkFolder(folder, workFolderPrefix, (work) => unpackBackup(work, options)));
}

/** Names in the order in which they are moved. Without the store, the directory is refused: see `refuseHalfRestored`. */
const movedNames = [outsideName, configName, seedName, checksName, "store"];
const lockName = "lock";
/** Root folder of a volume. */
const volumeNames = ["lost+found"];

/** @throws BackupError, DataDirError for a directory in use; the error of `stop`. The directory is then as it was. */
export async function restoreBackup(dataDir: string, options: UnpackOptions): Promise<Manifest> {
  return withPlace(dataDir, "written", async () => {
    const before = statSync(dataDir, { throwIfNoEntry: false });
    if (before !== undefined && !before.isDirectory()) throw new BackupError(`${dataDir} is not a folder`);
    const hadLock = existsSync(join(dataDir, lockName));
    const firstMade = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    assertEmpty(dataDir);
    const lock = lockDataDir(dataDir);
    let isRestored = false;
    try {
      // Checks again, because a server may have used it before the lock was taken.
      assertEmpty(dataDir);
      const manifest = await restoreInto(dataDir, options);
      isRestored = true;
      return manifest;
    } finally {
      if (!isRestored && !hadLock) rmSync(join(dataDir, lockName), { force: true });
      lock.release();
      if (!isRestored && firstMade !== undefined) removeEmpty(dataDir, firstMade);
    }
  });
}

/** Removes a folder and its parents, up to the first one that was made. Another process may already use them. */
function removeEmpty(folder: string, firstMade: string): void {
  try {
    rmdirSync(folder);
    if (folder !== firstMade) removeEmpty(dirname(folder), firstMade);
  } catch {}
}

/** Accepts the files of an interrupted restore, which began in an empty directory. */
function assertEmpty(dataDir: string): void {
  const allowed = [lockName, deletionsName, ...volumeNames, ...leftFolders(dataDir), ...(isHalfRestored(dataDir) ? movedNames : [])];
  const [other] = readdirSync(dataDir).filter((name) => !allowed.includes(name));
  if (other !== undefined)
    throw new BackupError(`data directory ${dataDir} is not empty (${other}); name another one by --data, or move its content away first`);
}

function leftFolders(dataDir: string): readonly string[] {
  return readdirSync(dataDir).filter((name) => name.startsWith(restoreFolderPrefix));
}

/** Files may have been moved into place, but the store was not, which comes last. */
function isHalfRestored(dataDir: string): boolean {
  const hasStore = (folder: string) => existsSync(join(dataDir, folder, storeName));
  return !hasStore("") && leftFolders(dataDir).some(hasStore);
}

async function restoreInto(dataDir: string, options: UnpackOptions): Promise<Manifest> {
  const left = isHalfRestored(dataDir) ? movedNames : [];
  // Made before the earlier one is removed: there is always one until the directory is whole, or empty.
  return withWorkFolder(dataDir, restoreFolderPrefix, async (work) => {
    for (const name of left) rmSync(join(dataDir, name), { recursive: true, force: true });
    const manifest = await unpackBackup(work, options);
    giveToOwnerOf(dataDir, [work, join(dataDir, lockName)]);
    options.stop.throwIfAborted();
    moveAll(work, dataDir);
    return manifest;
  });
}

function moveAll(from: string, to: string): void {
  const names = movedNames.filter((name) => existsSync(join(from, name)));
  try {
    for (const name of names) {
      // Every other file is on disk before the store is moved.
      syncPath(to);
      renameSync(join(from, name), join(to, name));
    }
    syncPath(to);
  } catch (error) {
    for (const name of names) rmSync(join(to, name), { recursive: true, force: true });
    throw error;
  }
}

/** Gives the paths to the owner of the folder, because root restores data of a server that runs as another user. */
function giveToOwnerOf(folder: string, paths: readonly string[]): void {
  const { uid, gid } = statSync(folder);
  if (process.geteuid?.() !== 0 || uid === 0) return;
  for (const path of paths) {
    lchownSync(path, uid, gid);
    if (lstatSync(path).isDirectory())
      giveToOwnerOf(
        path,
        readdirSync(path).map((name) => join(path, name)),
      );
  }
}
