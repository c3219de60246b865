/** Meta pages of an LMDB file, read without mapping it (`struct MDB_meta` of lmdb-js 3.5, data version 2). */
import { readFileSync, readSync } from "node:fs";

/** Bytes of `MDB_page_header`. */
export const pageHeaderBytes = 24;
const metaBytes = pageHeaderBytes + 144;
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

const freeTreeAt = 48;
const mainTreeAt = 96;

/** `struct MDB_db`: the root and the counts of one tree. */
export interface TreeRoot {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** Null for an empty tree. */
  readonly root: number | null;
}

export const treeRootBytes = 48;

export interface MetaPage {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: TreeRoot;
  readonly main: TreeRoot;
  readonly flushed: boolean;
  readonly bootId: bigint;
}

export interface MetaPages {
  /** The newest one: what a process that only reads uses, and every process beside a running one. */
  readonly newest: MetaPage;
  /** The one from which LMDB opens for writing: an unflushed one counts only within the same start of the machine. */
  readonly recovered: MetaPage;
}

/** Null if the file has no valid meta pages of this format. @throws the error of the file system. */
export function readMetaPages(file: number): MetaPages | null {
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
  const isUnwritten = first.transaction === 0 && first.main.root === null && first.free.root === null;
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
  try {
    return BigInt(`0x${readFileSync(bootIdFile, "utf8").split("-")[0]}`);
  } catch {
    return 0n;
  }
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
    free: readTreeRoot(bytes, freeTreeAt),
    main: readTreeRoot(bytes, mainTreeAt),
    lastPage: Number(bytes.readBigUInt64LE(144)),
    transaction: Number(bytes.readBigUInt64LE(152)),
    flushed: (flags & overlappingSyncFlag) === 0,
    bootId: bytes.readBigInt64LE(160),
  };
}

/** Content of the file of an empty store: two meta pages before the first transaction, as `mdb_env_init_meta` writes them. */
export function emptyStore(): Buffer {
  const bytes = Buffer.alloc(2 * newPageBytes);
  for (const [page, at] of [0, newPageBytes].entries()) {
    bytes.writeBigUInt64LE(BigInt(page), at);
    bytes.writeUInt16LE(metaPageFlag, at + 18);
    bytes.writeUInt32LE(magic, at + 24);
    bytes.writeUInt32LE(dataVersion, at + 28);
    bytes.writeUInt32LE(newPageBytes, at + freeTreeAt);
    bytes.writeUInt16LE(integerKeysFlag, at + freeTreeAt + 4);
    for (const tree of [freeTreeAt, mainTreeAt]) bytes.writeBigInt64LE(-1n, at + tree + 40);
    bytes.writeBigUInt64LE(1n, at + 144);
  }
  return bytes;
}

export function readTreeRoot(bytes: Buffer, at: number): TreeRoot {
  const count = (offset: number) => Number(bytes.readBigUInt64LE(at + offset));
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: count(8),
    leafPages: count(16),
    overflowPages: count(24),
    entries: count(32),
    root: bytes.readBigInt64LE(at + 40) === -1n ? null : count(40),
  };
}
