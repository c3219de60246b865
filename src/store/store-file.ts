/** The file of the store: its creation in one step, and its check before LMDB maps it. */
import { closeSync, fstatSync, linkSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../base/sync-folder.ts";
import { DataDirError, damagedDataDir } from "./data-dir.ts";
import { emptyStore, type MetaPages, readMetaPages, type TreeRoot } from "./meta-pages.ts";
import { lmdbTrees, type PageFault, walkPages } from "./page-walk.ts";
import { tableNames } from "./row-formats.ts";

/** Pages checked at every opening, from the roots down: some milliseconds. A store of 200 scans is checked whole. */
const pagesAtOpenMax = 128;
/** Tables of older schemas, which stay empty after their migration. */
const retiredTables = ["finished", "queue"];
/** Attempts to read a file between two commits of another process. */
const attemptsMax = 20;

export function storeFileOf(dataDir: string): string {
  return join(dataDir, "store", "data.mdb");
}

/** `unflushed`: the machine stopped before the newest state was on disk; an opening for writing returns to the last flushed one. */
export type StoreFileState = "missing" | "sound" | "unflushed";

/**
 * Checks kind, length, meta pages and the upper pages. LMDB has no checksums, and ends the process at a damaged page.
 * @throws DataDirError `damaged`; the error of the file system.
 */
export function checkStoreFile(path: string): StoreFileState {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined) return "missing";
  if (!state.isFile()) throw damaged(path, "is not a file");
  if (state.size === 0) throw damaged(path, "is empty");
  const file = openSync(path, "r");
  try {
    return checkPages(path, file);
  } finally {
    closeSync(file);
  }
}

/** Faults count only if no other process committed meanwhile: it may have written over the pages of this snapshot. */
function checkPages(path: string, file: number): StoreFileState {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const metas = readMetaPages(file);
    const reason = metas === null ? "is not a store of assay" : faultOf(file, metas);
    if (reason === null) return metas?.newest.transaction === metas?.recovered.transaction ? "sound" : "unflushed";
    if (JSON.stringify(snapshotOf(metas)) === JSON.stringify(snapshotOf(readMetaPages(file)))) throw damaged(path, reason);
  }
  return "sound";
}

function faultOf(file: number, { recovered }: MetaPages): string | null {
  const fileBytes = fstatSync(file).size;
  const faults: PageFault[] = [];
  const tables: string[] = [];
  // The last pages may be missing if they are free. Only a whole walk distinguishes that from a truncated file.
  const isShort = fileBytes < (recovered.lastPage + 1) * recovered.pageBytes;
  walkPages(file, recovered, {
    fileBytes,
    pagesMax: isShort ? null : pagesAtOpenMax,
    onFault: (fault) => faults.push(fault),
    onTable: (table) => tables.push(table),
  });
  const [first] = faults;
  if (first === undefined && hasRenamedTable(tables)) return "has lost a table";
  return first === undefined ? null : `has ${isShort ? "lost its end" : "damaged pages"} (${describeFault(first)})`;
}

function describeFault({ table, page, reason }: PageFault): string {
  return `table ${table}, page ${page}: ${reason}`;
}

/** A damaged name hides a table: LMDB would create it anew, empty. Older and newer releases have either fewer tables or more. */
function hasRenamedTable(found: readonly string[]): boolean {
  const known = [...lmdbTrees, ...tableNames, ...retiredTables];
  return found.some((name) => !known.includes(name)) && tableNames.some((name) => !found.includes(name));
}

function snapshotOf(metas: MetaPages | null) {
  return metas === null ? null : [metas.newest.transaction, metas.recovered.transaction];
}

/**
 * Checks the file before LMDB maps it, and creates it for an opening for writing. @throws DataDirError for a damaged or truncated file, and for
 * one that cannot be read without writing; the error of the file system.
 */
export function prepareStoreFile(dataDir: string, { readOnly, noSync }: { readonly readOnly: boolean; readonly noSync: boolean }): void {
  const file = storeFileOf(dataDir);
  const state = checkStoreFile(file);
  if (state === "missing" && readOnly) throw new DataDirError("missing", `data directory ${dataDir} has no store yet`);
  if (state === "missing") createStoreFile(file, { noSync });
  // LMDB would read the unflushed state here, and the flushed one in a process that writes.
  if (state === "unflushed" && readOnly)
    throw new DataDirError(
      "unflushed",
      `data directory ${dataDir} was in use when this machine stopped; start "assay serve" once, which returns to the last complete state`,
    );
}

/** Bytes of a copy without free pages, by the counts of each table. 0 for a store that is missing or refused, whose copy says why. */
export function compactBytesOf(dataDir: string): number {
  try {
    const file = openSync(storeFileOf(dataDir), "r");
    try {
      const meta = readMetaPages(file)?.newest;
      if (meta === undefined) return 0;
      const fileBytes = fstatSync(file).size;
      let pages = 0;
      const onTable = (_table: string, { branchPages, leafPages, overflowPages }: TreeRoot) => {
        pages += branchPages + leafPages + overflowPages;
      };
      walkPages(file, meta, { fileBytes, pagesMax: pagesAtOpenMax, onFault: () => {}, onTable });
      return Math.min(pages * meta.pageBytes, fileBytes);
    } finally {
      closeSync(file);
    }
  } catch {
    return 0;
  }
}

function damaged(path: string, reason: string): DataDirError {
  return damagedDataDir(`${path} ${reason}`);
}

/**
 * Creates the file of an empty store: written beside its place and linked into it whole, so that a crash leaves no half-made file.
 * Keeps a file that another process created meanwhile. @throws the error of the file system.
 */
export function createStoreFile(path: string, { noSync = false } = {}): void {
  const draft = `${path}.new-${process.pid}`;
  try {
    writeFileSync(draft, emptyStore(), { mode: 0o600, flush: !noSync });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  if (!noSync) syncFolder(dirname(path));
}
