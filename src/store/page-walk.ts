/** Walk over the pages of an LMDB file without mapping it: damage becomes a value, where LMDB would end the process. */
import { readSync } from "node:fs";
import { type MetaPage, pageHeaderBytes, readTreeRoot, type TreeRoot, treeRootBytes } from "./meta-pages.ts";

/** Flags of pages and nodes (mdb.c). */
const branchPage = 0x01;
const leafPage = 0x02;
const overflowPage = 0x04;
const inOverflow = 0x01;
const isTable = 0x02;
const duplicates = 0x04;
const nodeHeaderBytes = 8;
/** `struct MDB_ovpage`: first page, transaction and count of the pages that hold a long value. */
const overflowReferenceBytes = 24;
/** Trees deeper than this do not occur: LMDB's cursor stack ends here. */
const depthMax = 32;
/** Names of the two trees that every LMDB file has. */
const freeList = "(free list)";
const tableList = "(list of tables)";
export const lmdbTrees: readonly string[] = [freeList, tableList];

export interface PageFault {
  /** Table that the page belongs to. */
  readonly table: string;
  readonly page: number;
  readonly reason: string;
}

export interface PageWalkOptions {
  readonly fileBytes: number;
  /** Highest pages of all trees first, and no more than this; null walks all of them. */
  readonly pagesMax: number | null;
  readonly onFault: (fault: PageFault) => void;
  /** Called for every table that is found. */
  readonly onTable?: (table: string, root: TreeRoot) => void;
  /** Called before the first page of a table. */
  readonly onStart?: (table: string) => void;
  /**
   * Called for every row of the tables; without a limit of pages in the order of the keys of each table. The key is valid during the call only;
   * `value` reads it, null if it cannot be read.
   */
  readonly onRow?: (table: string, key: Buffer, value: () => Buffer | null) => void;
  /** Called after each step: pages so far, and the pages of all tables that are known by then, by their own counts. */
  readonly onPages?: (pages: number, counted: number) => void;
}

interface Tree {
  readonly name: string;
  readonly root: TreeRoot;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  faulty: boolean;
}

interface Visit {
  readonly tree: Tree;
  readonly page: number;
  readonly level: number;
  /** First key that the page may hold, and the first one after it; null: no limit. */
  readonly from: Buffer | null;
  readonly to: Buffer | null;
}

interface Node {
  readonly at: number;
  readonly keyBytes: number;
  readonly flags: number;
  /** Bytes of the value, in this page or in overflow pages. */
  readonly valueBytes: number;
}

/** Visits the pages of one snapshot. @throws the error of the file system. */
export function walkPages(file: number, meta: MetaPage, options: PageWalkOptions): { readonly pages: number } {
  return new PageWalk(file, meta, options).run();
}

class PageWalk {
  private readonly filePages: number;
  /** One bit per page of the file. */
  private readonly used: Uint8Array;
  private readonly trees: Tree[] = [];
  private readonly pending: Visit[] = [];
  private takenPages = 0;
  private countedPages = 0;
  private readonly freePages: { readonly first: number; readonly count: number; readonly page: number }[] = [];

  constructor(
    private readonly file: number,
    private readonly meta: MetaPage,
    private readonly options: PageWalkOptions,
  ) {
    this.filePages = Math.floor(options.fileBytes / meta.pageBytes);
    this.used = new Uint8Array(Math.ceil(this.filePages / 8));
  }

  run(): { readonly pages: number } {
    const { pagesMax } = this.options;
    this.openTree(freeList, this.meta.free);
    this.openTree(tableList, this.meta.main);
    for (let pages = 0; pagesMax === null || pages < pagesMax; pages++) {
      // From the top down within a limit; depth first otherwise, which needs little memory.
      const visit = pagesMax === null ? this.pending.pop() : this.pending[pages];
      if (visit === undefined) {
        this.compareCounts();
        this.findFreeInUse();
        this.findLostEnd();
        break;
      }
      this.visit(visit);
      this.options.onPages?.(this.takenPages, this.countedPages);
    }
    return { pages: this.trees.reduce((sum, tree) => sum + tree.branchPages + tree.leafPages + tree.overflowPages, 0) };
  }

  private fault(tree: Tree, page: number, reason: string): false {
    tree.faulty = true;
    this.options.onFault({ table: tree.name, page, reason });
    return false;
  }

  private openTree(name: string, root: TreeRoot): void {
    const tree: Tree = { name, root, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0, faulty: false };
    this.trees.push(tree);
    this.countedPages += root.branchPages + root.leafPages + root.overflowPages;
    this.options.onTable?.(name, root);
    if (root.root === null && root.entries + root.depth > 0) this.fault(tree, 0, "a table that has lost its root");
    if (root.root !== null) this.pending.push({ tree, page: root.root, level: 1, from: null, to: null });
  }

  /** False, with a fault, unless the pages lie in the file and nothing else uses them. */
  private take(tree: Tree, page: number, count = 1): boolean {
    if (!(page >= 2 && page + count - 1 <= this.meta.lastPage)) return this.fault(tree, page, "a page number outside of the store");
    if (page + count > this.filePages) return this.fault(tree, page, "a page beyond the end of the file");
    for (let each = page; each < page + count; each++) {
      if (this.isUsed(each)) return this.fault(tree, each, "a page that is used twice");
      this.used[each >> 3] = (this.used[each >> 3] ?? 0) | (1 << (each & 7));
    }
    this.takenPages += count;
    return true;
  }

  private read(page: number, bytes: number): Buffer | null {
    const buffer = Buffer.allocUnsafe(bytes);
    return readSync(this.file, buffer, 0, bytes, page * this.meta.pageBytes) === bytes ? buffer : null;
  }

  private visit(at: Visit): void {
    const { tree, page, level } = at;
    if (level === 1) this.options.onStart?.(tree.name);
    if (level > Math.min(tree.root.depth, depthMax)) return void this.fault(tree, page, "a tree deeper than its root says");
    if (!this.take(tree, page)) return;
    const bytes = this.read(page, this.meta.pageBytes);
    if (bytes === null) return void this.fault(tree, page, "a page that cannot be read");
    const reason = headerFault(bytes, page, this.meta, level === tree.root.depth ? leafPage : branchPage);
    if (reason !== null) return void this.fault(tree, page, reason);
    const nodes = nodesOf(bytes, level < tree.root.depth);
    if (nodes === null) return void this.fault(tree, page, "a page whose nodes do not fit");
    if (level < tree.root.depth) this.visitBranch(at, bytes, nodes);
    else this.visitLeaf(at, bytes, nodes);
  }

  private visitBranch({ tree, page, level, from, to }: Visit, bytes: Buffer, nodes: readonly Node[]): void {
    tree.branchPages++;
    if (nodes.length < 2) return void this.fault(tree, page, "a branch with less than two pages");
    // The first node has no key of its own.
    const keys = nodes.map((node, at) => (at === 0 ? from : keyOf(bytes, node)));
    if (!areOrdered(keys, to, tree.name)) return void this.fault(tree, page, "keys out of order");
    const children = nodes.map((node, at) => ({
      tree,
      page: bytes.readUIntLE(node.at, 6),
      level: level + 1,
      from: keys[at] ?? null,
      to: keys[at + 1] ?? to,
    }));
    const { pagesMax } = this.options;
    if (pagesMax !== null) this.pending.push(...children.slice(0, Math.max(0, pagesMax - this.pending.length)));
    // The last one is visited next.
    else this.pending.push(...children.reverse());
  }

  private visitLeaf({ tree, page, from, to }: Visit, bytes: Buffer, nodes: readonly Node[]): void {
    tree.leafPages++;
    tree.entries += nodes.length;
    const keys = nodes.map((node) => keyOf(bytes, node));
    if (!areOrdered([from, ...keys], to, tree.name)) this.fault(tree, page, "keys out of order");
    for (const node of nodes) this.visitNode(tree, page, bytes, node);
  }

  private visitNode(tree: Tree, page: number, bytes: Buffer, node: Node): void {
    const key = keyOf(bytes, node);
    if ((node.flags & ~(inOverflow | isTable)) !== 0 || (node.flags & duplicates) !== 0)
      return void this.fault(tree, page, "a row of unknown kind");
    const valueAt = node.at + nodeHeaderBytes + node.keyBytes;
    if ((node.flags & isTable) !== 0) {
      const isPlain = tree.name === tableList && node.valueBytes === treeRootBytes && bytes.readUIntLE(valueAt, 6) === 0;
      if (!isPlain) return void this.fault(tree, page, "a table of unknown kind");
      this.openTree(key.toString("utf8").replace(/\0+$/, ""), readTreeRoot(bytes, valueAt));
      return;
    }
    const overflow = (node.flags & inOverflow) === 0 ? null : Number(bytes.readBigUInt64LE(valueAt));
    if (overflow !== null && !this.takeOverflow(tree, overflow, Number(bytes.readBigUInt64LE(valueAt + 16)), node.valueBytes)) return;
    const value = () =>
      overflow === null ? bytes.subarray(valueAt, valueAt + node.valueBytes) : this.readOverflow(overflow, node.valueBytes);
    if (tree.name === freeList) this.noteFreePages(tree, page, value());
    else if (tree.name !== tableList) this.options.onRow?.(tree.name, key, value);
  }

  private takeOverflow(tree: Tree, page: number, count: number, valueBytes: number): boolean {
    if (count < Math.ceil((pageHeaderBytes + valueBytes) / this.meta.pageBytes))
      return this.fault(tree, page, "an overflow page that is too short");
    if (!this.take(tree, page, count)) return false;
    tree.overflowPages += count;
    // Only a whole walk reads them: their content cannot lead LMDB astray.
    if (this.options.pagesMax !== null) return true;
    const head = this.read(page, pageHeaderBytes);
    const reason = head === null ? "a page that cannot be read" : headerFault(head, page, this.meta, overflowPage);
    if (reason !== null) return this.fault(tree, page, reason);
    if (head?.readUInt32LE(20) !== count) return this.fault(tree, page, "a count that differs from its rows");
    return true;
  }

  private readOverflow(page: number, valueBytes: number): Buffer | null {
    const bytes = this.read(page, pageHeaderBytes + valueBytes);
    return bytes === null ? null : bytes.subarray(pageHeaderBytes);
  }

  /** A list of page numbers; a negative entry is the length of a run that starts at the next one. */
  private noteFreePages(tree: Tree, page: number, list: Buffer | null): void {
    const length = list === null || list.length < 8 ? -1 : Number(list.readBigInt64LE(0));
    if (list === null || length < 0 || (length + 1) * 8 > list.length)
      return void this.fault(tree, page, "a list of free pages that does not fit");
    for (let at = 1; at <= length; at++) {
      const entry = Number(list.readBigInt64LE(at * 8));
      if (entry === 0) continue;
      const first = entry > 0 ? entry : Number(list.readBigInt64LE(Math.min(++at, length) * 8));
      const count = entry > 0 ? 1 : -entry;
      if (first < 2 || first + count - 1 > this.meta.lastPage) return void this.fault(tree, page, "a list of free pages that does not fit");
      this.freePages.push({ first, count, page });
    }
  }

  private compareCounts(): void {
    for (const tree of this.trees) {
      const { root } = tree;
      if (tree.faulty || root.root === null) continue;
      const asCounted = (["branchPages", "leafPages", "overflowPages", "entries"] as const).every((kind) => tree[kind] === root[kind]);
      if (!asCounted) this.fault(tree, root.root, "a count that differs from its rows");
    }
  }

  /** LMDB would write over a page that is in use. Only a walk without other faults knows all of those. */
  private findFreeInUse(): void {
    const [free] = this.trees;
    if (free === undefined || this.trees.some(({ faulty }) => faulty)) return;
    for (const { first, count, page } of this.freePages)
      for (let each = first; each < Math.min(first + count, this.filePages); each++)
        if (this.isUsed(each)) return void this.fault(free, page, "a page that is free and in use");
  }

  /** Pages that were freed before they were written may be missing at the end of the file, and no others. */
  private findLostEnd(): void {
    const [free] = this.trees;
    const missing = Math.max(0, this.meta.lastPage + 1 - this.filePages);
    const missingFree = this.freePages.reduce(
      (sum, { first, count }) => sum + Math.max(0, first + count - Math.max(first, this.filePages)),
      0,
    );
    if (free !== undefined && missing !== missingFree) this.fault(free, this.filePages, "a page beyond the end of the file");
  }

  private isUsed(page: number): boolean {
    return ((this.used[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }
}

function headerFault(bytes: Buffer, page: number, { transaction }: MetaPage, kind: number): string | null {
  if (Number(bytes.readBigUInt64LE(0)) !== page) return "a page with the number of another one";
  if (Number(bytes.readBigUInt64LE(8)) > transaction) return "a page from a later transaction";
  return bytes.readUInt16LE(18) === kind ? null : "a page of the wrong kind";
}

/** Nodes of a branch or leaf page; null unless they fill it exactly. */
function nodesOf(bytes: Buffer, isBranch: boolean): readonly Node[] | null {
  const room = bytes.length - pageHeaderBytes;
  const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > room) return null;
  const nodes: Node[] = [];
  let nodeBytes = 0;
  for (let pointer = pageHeaderBytes; pointer < pageHeaderBytes + lower; pointer += 2) {
    const offset = bytes.readUInt16LE(pointer);
    if (offset % 2 !== 0 || offset < upper || offset + nodeHeaderBytes > room) return null;
    const at = offset + pageHeaderBytes;
    const [flags, keyBytes] = [isBranch ? 0 : bytes.readUInt16LE(at + 4), bytes.readUInt16LE(at + 6)];
    const valueBytes = isBranch ? 0 : bytes.readUInt32LE(at);
    const used = nodeHeaderBytes + keyBytes + ((flags & inOverflow) === 0 ? valueBytes : overflowReferenceBytes);
    if (at + used > bytes.length) return null;
    nodeBytes += used + (used & 1);
    nodes.push({ at, flags, keyBytes, valueBytes });
  }
  // LMDB keeps nodes without gaps: overlapping and stray ones change the sum.
  return nodeBytes === room - upper ? nodes : null;
}

function keyOf(bytes: Buffer, { at, keyBytes }: Node): Buffer {
  return bytes.subarray(at + nodeHeaderBytes, at + nodeHeaderBytes + keyBytes);
}

/** Whether the keys rise and stay below `to`. */
function areOrdered(keys: readonly (Buffer | null)[], to: Buffer | null, table: string): boolean {
  const compare = table === freeList ? compareNumbers : Buffer.compare;
  const all = [...keys, to];
  return all.every((key, at) => {
    const next = all[at + 1];
    if (key === null || next === null || next === undefined) return true;
    const order = compare(key, next);
    // The first key of a page may equal the one by which its branch finds it.
    return order < 0 || (order === 0 && at === 0);
  });
}

function compareNumbers(one: Buffer, other: Buffer): number {
  if (one.length !== 8 || other.length !== 8) return 1;
  return Number(one.readBigUInt64LE(0) - other.readBigUInt64LE(0));
}
