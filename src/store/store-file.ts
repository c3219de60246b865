/** The file of the store: its creation in one step, and its check before LMDB maps it. Only meta pages are read (`struct MDB_meta` of lmdb-js 3.5, data version 2). */
import { fstatSync, linkSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncPath, withFile } from "../base/disk.ts";
import { tryOr } from "../base/try-or.ts";
import { DataDirError, damagedDataDir } from "./data-dir.ts";

const metaBytes = 168;
const magic = 0xbeefc0de;
const dataVersion = 2;
/** `P_META` of the page's flags. */
const metaPageFlag = 0x08;
/** Environment flag of lmdb-js: the transaction was committed before it was flushed. */
const overlappingSyncFlag = 0x1000;
const pageBytesAllowed = [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536];
const newPageBytes = 4_096;
/** `MDB_INTEGERKEY`: the free list is keyed by transaction. */
const integerKeysFlag = 0x08;
const bootIdFile = "/proc/sys/kernel/random/boot_id";
/** The two `struct MDB_db`, and their number of the root page. */
const freeTreeAt = 48;
const mainTreeAt = 96;
const treeRootAt = 40;
const noPage = -1n;

export function storeFileOf(dataDir: string): string {
  return join(dataDir, "store", "data.mdb");
}

/** Size of the store's file; null if it cannot be read. */
export function storeBytesOf(dataDir: string): number | null {
  return tryOr(() => statSync(storeFileOf(dataDir)).size, null);
}

/**
 * `unflushed`: the machine stopped before the newest state was on disk; an opening for writing returns to the last flushed one. `short`: pages
 * are missing at the end, which are free or lost.
 */
export type StoreFileState = "missing" | "sound" | "short" | "unflushed";

/**
 * Checks kind, meta pages and length. LMDB has no checksums, and may end the process at a damaged page.
 * @throws DataDirError `damaged`; the error of the file system.
 */
export function checkStoreFile(path: string): StoreFileState {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined) return "missing";
  if (!state.isFile()) throw damaged(path, "is not a file");
  if (state.size === 0) throw damaged(path, "is empty");
  return withFile(path, "r", (file) => {
    const metas = readMetaPages(file);
    if (metas === null) throw damaged(path, "is not a store of assay");
    const { newest, recovered } = metas;
    // The length is read last: another process may have committed meanwhile, and a file only grows.
    if (fstatSync(file).size < (recovered.lastPage + 1) * recovered.pageBytes) return "short";
    return newest.transaction === recovered.transaction ? "sound" : "unflushed";
  });
}

/**
 * Checks the file before LMDB maps it, and creates it for an opening for writing. @throws DataDirError for a damaged file, and for one that
 * cannot be read without writing; the error of the file system.
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

/** Number of the newest transaction. */
export function transactionOf(path: string): number {
  return withFile(path, "r", readMetaPages)?.newest.transaction ?? 0;
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
  if (!noSync) syncPath(dirname(path));
}

/** Content of the file of an empty store: two meta pages before the first transaction, as `mdb_env_init_meta` writes them. */
function emptyStore(): Buffer {
  const bytes = Buffer.alloc(2 * newPageBytes);
  for (const [page, at] of [0, newPageBytes].entries()) {
    bytes.writeBigUInt64LE(BigInt(page), at);
    bytes.writeUInt16LE(metaPageFlag, at + 18);
    bytes.writeUInt32LE(magic, at + 24);
    bytes.writeUInt32LE(dataVersion, at + 28);
    bytes.writeUInt32LE(newPageBytes, at + freeTreeAt);
    bytes.writeUInt16LE(integerKeysFlag, at + freeTreeAt + 4);
    for (const tree of [freeTreeAt, mainTreeAt]) bytes.writeBigInt64LE(noPage, at + tree + treeRootAt);
    bytes.writeBigUInt64LE(1n, at + 144);
  }
  return bytes;
}

interface MetaPage {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: number;
  /** Whether it has no table and no free page. */
  readonly isEmpty: boolean;
  readonly flushed: boolean;
  readonly bootId: bigint;
}

export interface MetaPages {
  /** The newest one: what a process that only reads uses, and every process beside a running one. */
  readonly newest: MetaPage;
  /** The one from which LMDB opens for writing: an unflushed one counts only within the same start of the machine. */
  readonly recovered: MetaPage;
}

/** Reads of the meta pages. Commits of another process between two reads look like damage, which lasts. */
const metaReadsMax = 10;

/** Null if the file has no valid meta pages of this format. @throws the error of the file system. */
function readMetaPages(file: number): MetaPages | null {
  for (let reads = 1; reads < metaReadsMax; reads++) {
    const metas = readMetaPagesOnce(file);
    if (metas !== null) return metas;
  }
  return readMetaPagesOnce(file);
}

function readMetaPagesOnce(file: number): MetaPages | null {
  const first = readMeta(file, 0);
  if (first === null) return null;
  const second = readMeta(file, first.pageBytes);
  if (second === null || second.pageBytes !== first.pageBytes || !areNeighbours(first, second)) return null;
  // Without magic number: lmdb-js writes the last flushed state into the second half of page 0.
  const copy = readMeta(file, first.pageBytes / 2, { isCopy: true });
  const flushed = copy !== null && copy.transaction <= Math.max(first.transaction, second.transaction) ? copy : null;
  const bootId = currentBootId();
  const both = restored(first, second, bootId);
  return {
    newest: first.transaction >= second.transaction ? first : second,
    recovered: flushed === null ? both : restored(both, flushed, bootId),
  };
}

/** Transactions write the two pages in turn: even numbers into the first, odd ones into the second. A compact copy has only the second. */
function areNeighbours(first: MetaPage, second: MetaPage): boolean {
  const isUnwritten = first.transaction === 0 && first.isEmpty;
  if (isUnwritten && (second.transaction === 0 || second.transaction % 2 === 1)) return true;
  return first.transaction % 2 === 0 && Math.abs(first.transaction - second.transaction) === 1;
}

/** Copy of `mdb_pick_meta` with `MDB_PREVSNAPSHOT` and `MDB_OVERLAPPINGSYNC`. */
function restored(one: MetaPage, other: MetaPage, bootId: bigint): MetaPage {
  if (other.transaction === 0) return one;
  const latest = one.transaction >= other.transaction ? one : other;
  if (latest.flushed || (latest.bootId !== 0n && latest.bootId === bootId)) return latest;
  return one.transaction > other.transaction ? other : one;
}

/** First field of the UUID, as `strtoll` reads it. */
function currentBootId(): bigint {
  return tryOr(() => BigInt(`0x${readFileSync(bootIdFile, "utf8").split("-")[0]}`), 0n);
}

function readMeta(file: number, at: number, { isCopy = false } = {}): MetaPage | null {
  const bytes = Buffer.alloc(metaBytes);
  if (readSync(file, bytes, 0, metaBytes, at) < metaBytes) return null;
  if (!isCopy && ((bytes.readUInt16LE(18) & metaPageFlag) === 0 || bytes.readUInt32LE(24) !== magic)) return null;
  if (!isCopy && (bytes.readUInt32LE(28) & 0xffff) !== dataVersion) return null;
  const pageBytes = bytes.readUInt32LE(freeTreeAt);
  const flags = bytes.readUInt16LE(freeTreeAt + 4);
  // Other flags would make LMDB read the file in another way: encrypted, or as keys of another order.
  if (!pageBytesAllowed.includes(pageBytes) || (flags & ~overlappingSyncFlag) !== integerKeysFlag) return null;
  if (bytes.readUInt32LE(mainTreeAt) !== 0 || bytes.readUInt16LE(mainTreeAt + 4) !== 0) return null;
  return {
    pageBytes,
    isEmpty: [freeTreeAt, mainTreeAt].every((at) => bytes.readBigInt64LE(at + treeRootAt) === noPage),
    lastPage: Number(bytes.readBigUInt64LE(144)),
    transaction: Number(bytes.readBigUInt64LE(152)),
    flushed: (flags & overlappingSyncFlag) === 0,
    bootId: bytes.readBigInt64LE(160),
  };
}
