/** Walk over the whole store: every row of every table, decoded. LMDB may end the process at a damaged page: run it in a child process. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { bufferToKeyValue, type RootDatabase } from "lmdb";
import { messageOf } from "../base/log.ts";
import { tryOr } from "../base/try-or.ts";
import { type ByteTable, type OpenedStore, openByteTable, openUnprepared } from "./environment.ts";
import { checkStoreFile, storeFileOf } from "./store-file.ts";
import { parseRow } from "./table.ts";
import { hasRenamedTable, rowFormats, tableNames } from "./tables.ts";

declare module "lmdb" {
  /** Missing in the package's types. */
  export function bufferToKeyValue(key: Buffer): unknown;
}

/** Lost rows that a report names one by one; its counts include all. */
const namedMax = 50;
const keyCharsMax = 100;
const schemaKey = "schemaVersion";
const fixintEnd = 0x80;
/** Rows between two looks at the progress. */
const rowsPerPercent = 1_000;
/** Stands for the store itself, before its first table. */
const listOfTables = "(list of tables)";

export interface TableReport {
  readonly table: string;
  /** Rows by the table's own count. */
  readonly rows: number;
  /** Rows that cannot be read or cannot be reached. */
  readonly lost: number;
  /** SHA-256 of all rows in the order of their keys, in hexadecimal: equal for tables of equal content. */
  readonly sha256: string;
}

export interface TableFault {
  readonly table: string;
  readonly reason: string;
}

export interface StoreReport {
  /** Pages of all tables, by their own counts. */
  readonly pages: number;
  readonly fileBytes: number;
  /** Null if it is lost, or not yet written. */
  readonly schema: number | null;
  readonly tables: readonly TableReport[];
  /** At most `namedMax`. The key is JSON, such as the token of a scan or the id of an account. */
  readonly lostRows: readonly { readonly table: string; readonly key: string }[];
  /** Tables with damaged pages, as far as LMDB notices damage. */
  readonly damagedTables: readonly TableFault[];
}

/**
 * Null without a store. `onTable` is called before each table, and `onPercent` with each whole percent of the pages.
 * @throws the error of the file system.
 */
export async function walkStore(
  dataDir: string,
  onTable: (table: string) => void = () => {},
  onPercent: (percent: number) => void = () => {},
): Promise<StoreReport | null> {
  const path = storeFileOf(dataDir);
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined) return null;
  const fileBytes = state.isFile() ? state.size : 0;
  onTable(listOfTables);
  try {
    // An opening for writing returns to the last flushed state, as the next start does.
    const readOnly = checkStoreFile(path) !== "unflushed";
    const open = () => openUnprepared(join(dataDir, "store"), { readOnly });
    return { fileBytes, ...(await walkTables(open, onTable, onPercent)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    const damagedTables = [{ table: listOfTables, reason: reasonOf(error) }];
    return { pages: 0, fileBytes, schema: null, tables: [], lostRows: [], damagedTables };
  }
}

/** Walks without a pause, so that all tables show one state of the store. Only after a damaged table it opens the store again. */
async function walkTables(open: () => OpenedStore, onTable: (table: string) => void, onPercent: (percent: number) => void) {
  let store = open();
  try {
    const pages = pagesOf(store.root);
    const advance = risingPercent(pages, onPercent);
    const tables: TableReport[] = [];
    const lostRows: { table: string; key: string }[] = [];
    const damagedTables: TableFault[] = hasRenamedTable(store.root) ? [{ table: listOfTables, reason: "a table has lost its name" }] : [];
    let schema: number | null = null;
    let pagesBefore = 0;
    for (const name of tableNames) {
      onTable(name);
      const table = openByteTable(store.root, name);
      const { rows, pages: ownPages } = statsOf(table);
      const hash = new Bun.CryptoHasher("sha256");
      let [seen, read] = [0, 0];
      const reason = faultOf(table, rows, (key, value) => {
        addRow(hash, key, value);
        if (name === "meta" && keyOf(key) === schemaKey) schema = smallNumber(value);
        if (isReadable(name, key, value)) read++;
        else if (lostRows.length < namedMax) lostRows.push({ table: name, key: shownKey(key) });
        if (++seen % rowsPerPercent === 0) advance(pagesBefore + (ownPages * seen) / rows);
      });
      tables.push({ table: name, rows, lost: Math.max(0, rows - read), sha256: hash.digest("hex") });
      pagesBefore += ownPages;
      advance(pagesBefore);
      if (reason === null) continue;
      damagedTables.push({ table: name, reason });
      // LMDB refuses further reads of a transaction after an error.
      await store.close();
      store = open();
    }
    return { pages, schema, tables, lostRows, damagedTables };
  } finally {
    await store.close();
  }
}

function statsOf(table: ByteTable | undefined): { readonly rows: number; readonly pages: number; readonly pageBytes: number } {
  if (table === undefined) return { rows: 0, pages: 0, pageBytes: 0 };
  const { entryCount, treeBranchPageCount, treeLeafPageCount, overflowPages, pageSize } = table.getStats() as Record<string, number>;
  return {
    rows: entryCount ?? 0,
    pages: (treeBranchPageCount ?? 0) + (treeLeafPageCount ?? 0) + (overflowPages ?? 0),
    pageBytes: pageSize ?? 0,
  };
}

function pagesOf(root: RootDatabase): number {
  return tableNames.reduce((sum, name) => sum + statsOf(openByteTable(root, name)).pages, 0);
}

/** Bytes of the pages of all tables, without free pages. */
export function usedBytesOf(root: RootDatabase): number {
  return pagesOf(root) * statsOf(openByteTable(root, "meta")).pageBytes;
}

/** Fault of a table; null if its rows are as many as it counts, in the order of their keys. A damaged page may lead to the same rows again. */
function faultOf(table: ByteTable | undefined, rows: number, onRow: (key: Buffer, value: Buffer) => void): string | null {
  if (table === undefined) return null;
  try {
    let count = 0;
    let former: Buffer | null = null;
    for (const { key, value } of table.getRange()) {
      if (++count > rows) return "more rows than it counts";
      if (former !== null && Buffer.compare(former, key) >= 0) return "keys out of order";
      // The range may use its buffers again.
      former = Buffer.from(key);
      // A damaged key of a branch page hides rows from lookups only.
      if (!table.doesExist(former)) return "a row that no lookup finds";
      onRow(former, value);
    }
    return count === rows ? null : "fewer rows than it counts";
  } catch (error) {
    return reasonOf(error);
  }
}

/** Message of an error, without the advice that follows it. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/; .*/s, "");
}

function risingPercent(pages: number, onPercent: (percent: number) => void): (done: number) => void {
  let latest = 0;
  return (done) => {
    const percent = Math.min(100, Math.floor((100 * done) / Math.max(pages, 1)));
    if (percent > latest) onPercent(percent);
    latest = Math.max(latest, percent);
  };
}

/** Adds a row with the lengths of its parts, so that two different lists of rows never give the same bytes. */
function addRow(hash: Bun.CryptoHasher, key: Buffer, value: Buffer): void {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(key.length, 0);
  lengths.writeUInt32LE(value.length, 4);
  hash.update(lengths).update(key).update(value);
}

/** A positive fixint of MessagePack, in which lmdb-js writes small whole numbers. */
function smallNumber(bytes: Buffer): number | null {
  const [first] = bytes;
  return bytes.length === 1 && first !== undefined && first < fixintEnd ? first : null;
}

/** Rows of tables without a format are bytes, or numbers that the comparison of the indexes covers. */
function isReadable(table: string, key: Buffer, value: Buffer): boolean {
  const format = rowFormats.get(table);
  return format === undefined || parseRow(format, keyOf(key), value.toString("utf8")) !== undefined;
}

/** Undefined for a damaged key. */
function keyOf(key: Buffer): unknown {
  return tryOr(() => bufferToKeyValue(Buffer.from(key)), undefined);
}

/** As JSON, or in hexadecimal if damaged. */
function shownKey(key: Buffer): string {
  return (JSON.stringify(keyOf(key)) ?? key.toString("hex")).slice(0, keyCharsMax);
}
