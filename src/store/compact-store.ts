/**
 * Copies of a store. Compaction: a new file has the rows of the store and no free pages; verified, it takes the place of the old one. Copy
 * for a backup: one consistent state, compact, also while a server writes.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { syncPath } from "../base/disk.ts";
import { type FileLock, tryLockFirstByte } from "../base/file-lock.ts";
import { withWorkFolder } from "../base/work-folder.ts";
import { asDataDirError, DataDirError, damagedDataDir } from "./data-dir.ts";
import { openDatabase } from "./database.ts";
import { type ByteTable, byteEncoding, openByteTable, openUnprepared, tablesMax } from "./environment.ts";
import { lockDataDir } from "./lock.ts";
import { createStoreFile, prepareStoreFile, storeFileOf, transactionOf } from "./store-file.ts";
import { type StoreReport, usedBytesOf, walkStore } from "./store-walk.ts";
import { tableNames } from "./tables.ts";

/** Begins the name of the folder, within the data directory, of the new file. */
const workFolderPrefix = ".assay-compact-";
/** One transaction of the copy: bounds its memory. */
const batchBytesMax = 8 * 2 ** 20;
const batchRowsMax = 5_000;

export interface Compaction {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Needs the server stopped, and brings a store of an older release up to date. A process that is killed leaves the old file or the new one.
 * @throws DataDirError; nothing is changed then.
 */
export async function compactStore(dataDir: string): Promise<Compaction> {
  if (!existsSync(storeFileOf(dataDir))) throw new DataDirError("missing", `data directory ${dataDir} has no store yet`);
  const lock = lockDataDir(dataDir);
  try {
    await openDatabase(dataDir, { readOnly: false, lock }).close();
    return await withWorkFolder(dataDir, workFolderPrefix, (folder) => compactInto(folder, dataDir));
  } catch (error) {
    throw asDataDirError(error, dataDir);
  } finally {
    lock.release();
  }
}

async function compactInto(folder: string, dataDir: string): Promise<Compaction> {
  const [path, draft] = [storeFileOf(dataDir), storeFileOf(folder)];
  const bytesBefore = statSync(path).size;
  const transaction = transactionOf(path);
  const before = await soundReportOf(dataDir);
  mkdirSync(join(folder, "store"), { mode: 0o700 });
  createStoreFile(draft);
  await copyRows(dataDir, folder);
  const after = await soundReportOf(folder);
  if (contentOf(before) !== contentOf(after)) throw changedMeanwhile(dataDir);
  syncPath(draft);
  const bytesAfter = statSync(draft).size;
  replaceStore(dataDir, draft, transaction);
  return { bytesBefore, bytesAfter };
}

/** @throws DataDirError for a damaged table. */
async function soundReportOf(dataDir: string): Promise<StoreReport> {
  const report = await walkStore(dataDir);
  const [fault] = report?.damagedTables ?? [];
  if (report === null || fault !== undefined)
    throw damagedDataDir(`data directory ${dataDir} is damaged (table ${fault?.table}: ${fault?.reason})`);
  return report;
}

/** Names, numbers and sums of the rows of all tables. Tables of older releases, which are empty, are left out. */
function contentOf({ tables }: StoreReport): string {
  return JSON.stringify(tables.flatMap(({ table, rows, sha256 }) => (rows === 0 ? [] : `${table} ${rows} ${sha256}`)).toSorted());
}

/** Row by row, as bytes. LMDB's own compact copy refuses a store that has lost track of free pages. */
async function copyRows(dataDir: string, into: string): Promise<void> {
  const { root: source, close } = openUnprepared(join(dataDir, "store"), { readOnly: true });
  try {
    const target = open({ path: join(into, "store"), maxDbs: tablesMax });
    try {
      for (const name of tableNames) copyTable(source, target, name);
    } finally {
      await target.close();
    }
  } finally {
    await close();
  }
}

function copyTable(source: RootDatabase, target: RootDatabase, name: string): void {
  const from = openByteTable(source, name);
  if (from === undefined) return;
  const to: ByteTable = target.openDB({ name, ...byteEncoding });
  let batch: [Buffer, Buffer][] = [];
  let bytes = 0;
  const flush = () => {
    target.transactionSync(() => {
      for (const [key, value] of batch) to.put(key, value);
    });
    [batch, bytes] = [[], 0];
  };
  for (const { key, value } of from.getRange()) {
    // The range may use its buffers again.
    batch.push([Buffer.from(key), Buffer.from(value)]);
    bytes += key.length + value.length;
    if (bytes >= batchBytesMax || batch.length >= batchRowsMax) flush();
  }
  flush();
}

/** No process can open the store between the last look at it and the new name. */
function replaceStore(dataDir: string, draft: string, transaction: number): void {
  const path = storeFileOf(dataDir);
  const lock: FileLock | null = tryLockFirstByte(join(dataDir, "store", "lock.mdb"));
  if (lock === null) throw changedMeanwhile(dataDir);
  try {
    if (transactionOf(path) !== transaction) throw changedMeanwhile(dataDir);
    const { uid, gid } = statSync(path);
    // Root may run the command, and another user the server.
    if (process.geteuid?.() === 0) chownSync(draft, uid, gid);
    renameSync(draft, path);
    syncPath(join(dataDir, "store"));
  } finally {
    lock.release();
  }
}

function changedMeanwhile(dataDir: string): DataDirError {
  return new DataDirError("locked", `another command used the store of ${dataDir} meanwhile; nothing was changed, run it again`);
}

/** The store has pages that are neither used nor free: no damage, but LMDB makes no compact copy of it. The error has no code. */
const pageLeak = "MDB_INCOMPATIBLE";

/**
 * Writes the current state of the store of one data directory into another one, which must not have a store. Free pages are left out. The
 * copy is not flushed to disk. `onBytes` is called before it begins, with its size. @throws DataDirError for a store that cannot be opened; the error of LMDB or of the file system.
 */
export async function copyStore(dataDir: string, into: string, onBytes: (bytes: number) => void = () => {}): Promise<void> {
  prepareStoreFile(dataDir, { readOnly: true, noSync: false });
  const { root, close } = openUnprepared(join(dataDir, "store"), { readOnly: true });
  try {
    onBytes(usedBytesOf(root));
    mkdirSync(join(into, "store"), { mode: 0o700 });
    await root.backup(join(into, "store"), true).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith(pageLeak))) throw error;
      rmSync(storeFileOf(into), { force: true });
      return root.backup(join(into, "store"), false);
    });
    chmodSync(storeFileOf(into), 0o600);
  } catch (error) {
    const fault = asDataDirError(error, dataDir);
    throw fault instanceof DataDirError && fault.fault === "damaged" ? fault : error;
  } finally {
    await close();
  }
}
