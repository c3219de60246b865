/** Walk over the whole store: every page, and every row decoded. Maps nothing that a first check refuses. */
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { bufferToKeyValue } from "lmdb";
import { openEnvironment } from "./environment.ts";
import { readMetaPages } from "./meta-pages.ts";
import { lmdbTrees, type PageFault, walkPages } from "./page-walk.ts";
import { rowFormats, tableNames } from "./row-formats.ts";
import { checkStoreFile, storeFileOf } from "./store-file.ts";
import { parseRow, type RowFormat } from "./table.ts";

declare module "lmdb" {
  /** Missing in the package's types. */
  export function bufferToKeyValue(key: Buffer): unknown;
}

/** Lost rows and damaged pages named apart; the counts include all. */
const namedMax = 50;
const keyCharsMax = 100;
const schemaKey = "schemaVersion";
const fixintEnd = 0x80;
/** Stands for the length of a value that cannot be read; LMDB allows none as long. */
const unreadableLength = 0xffffffff;

export interface TableReport {
  readonly table: string;
  /** As the table counts them. */
  readonly rows: number;
  /** Cannot be read, or cannot be reached. */
  readonly lost: number;
  /** SHA-256 of all rows in the order of their keys, in hexadecimal: equal for tables of equal content. */
  readonly sha256: string;
}

export interface StoreReport {
  readonly pages: number;
  readonly fileBytes: number;
  /** Null if it is lost, or not yet written. */
  readonly schema: number | null;
  readonly tables: readonly TableReport[];
  /** At most `namedMax`. The key is JSON, such as the token of a scan or the id of an account. */
  readonly lostRows: readonly { readonly table: string; readonly key: string }[];
  readonly damagedPageCount: number;
  /** At most `namedMax`. */
  readonly damagedPages: readonly PageFault[];
}

/**
 * Null without a store. `onTable` is called before each table, and `onPercent` with each whole percent of the pages.
 * @throws the error of the file system.
 */
export async function walkStore(
  dataDir: string,
  onTable: (table: string) => void,
  onPercent: (percent: number) => void = () => {},
): Promise<StoreReport | null> {
  const path = storeFileOf(dataDir);
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined) return null;
  if (!state.isFile()) return notAStore(0);
  const reader = openReader(dataDir);
  const file = openSync(path, "r");
  try {
    const metas = readMetaPages(file);
    const fileBytes = fstatSync(file).size;
    if (metas === null) return notAStore(fileBytes);
    return reportOf(file, { meta: reader === null ? metas.recovered : metas.newest, fileBytes, onTable, onPercent });
  } finally {
    closeSync(file);
    reader?.done();
    await reader?.close();
  }
}

/** Holds the current state: no process writes over its pages meanwhile. Null if the file must not be mapped. */
function openReader(dataDir: string): { done(): void; close(): Promise<void> } | null {
  try {
    if (checkStoreFile(storeFileOf(dataDir)) !== "sound") return null;
  } catch {
    return null;
  }
  return openEnvironment(join(dataDir, "store"), { readOnly: true }, ({ root, close }) => {
    const transaction = root.useReadTransaction();
    return { done: () => transaction.done(), close };
  });
}

function notAStore(fileBytes: number): StoreReport {
  const damagedPages = [{ table: lmdbTrees[0] ?? "", page: 0, reason: "a page that is not of a store" }];
  return { pages: 0, fileBytes, schema: null, tables: [], lostRows: [], damagedPageCount: 1, damagedPages };
}

interface WalkInput {
  readonly meta: Parameters<typeof walkPages>[1];
  readonly fileBytes: number;
  readonly onTable: (table: string) => void;
  readonly onPercent: (percent: number) => void;
}

function reportOf(file: number, { meta, fileBytes, onTable, onPercent }: WalkInput): StoreReport {
  const tables = new Map(tableNames.map((name) => [name, emptyCounts()]));
  let schema: number | null = null;
  const lostRows: { table: string; key: string }[] = [];
  const damagedPages: PageFault[] = [];
  let damagedPageCount = 0;
  const { pages } = walkPages(file, meta, {
    fileBytes,
    pagesMax: null,
    onStart: onTable,
    onPages: risingPercent(onPercent),
    onTable: (table, { entries }) => {
      if (!lmdbTrees.includes(table)) tables.set(table, { ...emptyCounts(), rows: entries });
    },
    onFault: (fault) => {
      damagedPageCount++;
      if (damagedPages.length < namedMax) damagedPages.push(fault);
    },
    onRow: (table, key, value) => {
      const counts = tables.get(table);
      if (counts === undefined) return;
      const bytes = value();
      addRow(counts.hash, key, bytes);
      if (table === "meta" && bytes !== null && keyOf(key) === schemaKey) schema = smallNumber(bytes);
      if (isReadable(table, key, bytes)) counts.read++;
      else if (lostRows.length < namedMax) lostRows.push({ table, key: shownKey(key) });
    },
  });
  return {
    pages,
    fileBytes,
    schema,
    // A damaged count may be any number; it is bounded by the bytes of the file.
    tables: [...tables].map(([table, { rows, read, hash }]) => ({
      table,
      rows,
      lost: Math.max(0, Math.min(rows, fileBytes) - read),
      sha256: hash.digest("hex"),
    })),
    lostRows,
    damagedPageCount,
    damagedPages,
  };
}

/** Damaged counts may be any number, and tables become known while others are read: the percentage stays within bounds and never falls. */
function risingPercent(onPercent: (percent: number) => void): (pages: number, counted: number) => void {
  let latest = 0;
  return (pages, counted) => {
    const percent = Math.floor((100 * pages) / Math.max(pages, counted, 1));
    if (percent > latest) onPercent(percent);
    latest = Math.max(latest, percent);
  };
}

interface TableCounts {
  readonly rows: number;
  read: number;
  readonly hash: Bun.CryptoHasher;
}

function emptyCounts(): TableCounts {
  return { rows: 0, read: 0, hash: new Bun.CryptoHasher("sha256") };
}

/** With their lengths, so that no two lists of rows give the same bytes. */
function addRow(hash: Bun.CryptoHasher, key: Buffer, value: Buffer | null): void {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(key.length, 0);
  lengths.writeUInt32LE(value?.length ?? unreadableLength, 4);
  hash.update(lengths).update(key);
  if (value !== null) hash.update(value);
}

/** A positive fixint of MessagePack, in which lmdb-js writes small whole numbers. */
function smallNumber(bytes: Buffer): number | null {
  const [first] = bytes;
  return bytes.length === 1 && first !== undefined && first < fixintEnd ? first : null;
}

function isReadable(table: string, key: Buffer, value: Buffer | null): boolean {
  if (value === null) return false;
  const format: RowFormat<unknown> | undefined = rowFormats[table as keyof typeof rowFormats];
  // Rows of other tables are bytes, or numbers that the comparison of the indexes covers.
  return format === undefined || parseRow(format, keyOf(key), value.toString("utf8")) !== undefined;
}

/** Undefined for a damaged key. */
function keyOf(key: Buffer): unknown {
  try {
    return bufferToKeyValue(Buffer.from(key));
  } catch {
    return undefined;
  }
}

/** As JSON, or in hexadecimal if damaged. */
function shownKey(key: Buffer): string {
  return (JSON.stringify(keyOf(key)) ?? key.toString("hex")).slice(0, keyCharsMax);
}
