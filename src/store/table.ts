/** Tables of JSON rows. A row that cannot be read is passed over, so that one damaged row never stops a list. */
import type { Database, RangeOptions, RootDatabase } from "lmdb";
import { createLruByteCache } from "../base/lru-cache.ts";
import { tryOr } from "../base/try-or.ts";
import type { IndexDefinition, RowFormat, TableKey } from "./define-table.ts";

/** Rows reported apart: bounds the memory of a store with many damaged ones. */
const reportedRowsMax = 1_000;
const shownKeyCharsMax = 100;
/** Estimate for a character of a cached row: its text, and what was parsed from it. */
const bytesOfChar = 4;

/** Part of LMDB's table that repositories use. */
export interface RowTable<V, K extends TableKey>
  extends Pick<Database<V, K>, "put" | "remove" | "getCount" | "getKeysCount" | "doesExist"> {
  getKeys(options?: RangeOptions): Iterable<K>;
  /** Undefined if there is no row, or none that can be read. */
  get(key: K): V | undefined;
  /** Writes what `change` makes of the row, and returns it; undefined without a row. Only within a transaction. */
  update(key: K, change: (row: V) => Partial<V>): V | undefined;
  /** Readable rows without their keys. */
  values(options?: RangeOptions): readonly V[];
  /** Removes the rows of a range, or the readable ones that match; only within a transaction. */
  removeAll(options?: RangeOptions, matches?: (row: V) => boolean): void;
  /** Readable rows only; `limit` counts them. */
  getRange(options?: RangeOptions): Iterable<{ readonly key: K; readonly value: V }>;
}

export interface UnreadableRow {
  readonly table: string;
  /** As JSON, cut to `shownKeyCharsMax`; null for all rows after the first `reportedRowsMax`. */
  readonly key: string | null;
}

/** Calls `report` once for each row, and once more for all beyond the limit. */
export function createUnreadableReport(report: (row: UnreadableRow) => void = () => {}): (table: string, key: TableKey) => void {
  const reported = new Set<string>();
  return (table, key) => {
    const shown = shownKey(key);
    const row = `${table} ${shown}`;
    if (reported.has(row) || reported.size > reportedRowsMax) return;
    reported.add(row);
    report({ table, key: reported.size > reportedRowsMax ? null : shown });
  };
}

/** A damaged key may be of any kind, also one that JSON has no notation for. */
function shownKey(key: unknown): string {
  const text = JSON.stringify(key, (_name, part: unknown) => (typeof part === "bigint" ? String(part) : part));
  return String(text).slice(0, shownKeyCharsMax);
}

/** An index whose table is open. */
export interface OpenIndex<V> {
  readonly table: Pick<RowTable<string | number, TableKey>, "put" | "remove">;
  readonly rows: IndexDefinition<V, TableKey, TableKey, string | number>["rows"];
}

export interface TableOptions<V> extends RowFormat<V> {
  readonly name: string;
  readonly onUnreadable: (table: string, key: TableKey) => void;
  /** Kept by `put` and `remove`. */
  readonly indexes?: readonly OpenIndex<V>[] | undefined;
  /** Maps an error of LMDB to the one to throw. */
  readonly asFault: (error: unknown) => unknown;
}

/** Parses rows, and reports those that cannot be read. */
function rowParser<V, K extends TableKey>(options: TableOptions<V>): (key: K, text: string) => V | undefined {
  const { name, onUnreadable, keyedBy, cachedBytesMax } = options;
  // A text of another key is no row of this one, so that tables with `keyedBy` have no cache.
  const cached =
    cachedBytesMax === undefined || keyedBy !== undefined
      ? null
      : createLruByteCache<{ readonly row: V }>(cachedBytesMax, (_row, text) => text.length * bytesOfChar);
  return (key, text) => {
    const known = cached?.get(text);
    if (known !== undefined) return known.row;
    const row = parseRow(options, key, text);
    if (row === undefined) {
      onUnreadable(name, key);
      return options.fallback;
    }
    cached?.set(text, { row });
    return row;
  };
}

/** Undefined if the store is open for reading and has no such table. */
export function openTable<V, K extends TableKey>(root: RootDatabase, options: TableOptions<V>): RowTable<V, K> | undefined {
  const { name, asFault, indexes = [] } = options;
  // Bun parses JSON three times as fast as lmdb-js decodes its own format. The text is parsed here, because lmdb-js throws at a damaged row.
  const raw: Database<string, K> | undefined = root.openDB<string, K>({ name, encoding: "string" });
  if (raw === undefined) return undefined;
  const table = raw;
  const parse = rowParser<V, K>(options);
  const getRange = (range: RangeOptions = {}) => readableRows(table, range, parse, asFault);

  return {
    get,
    getRange,
    values: (range) => Array.from(getRange(range), ({ value }) => value),
    put,
    update,
    remove,
    // Copied first: a cursor over a table under change may pass over a row.
    removeAll: (range, matches) => {
      if (matches === undefined) for (const key of [...table.getKeys(range)]) remove(key);
      else for (const { key, value } of [...getRange(range)]) if (matches(value)) remove(key);
    },
    getKeys: (range) => iterate(() => table.getKeys(range), asFault),
    getCount: (range) => attempt(() => table.getCount(range)),
    getKeysCount: (range) => attempt(() => table.getKeysCount(range)),
    doesExist: (key: K) => attempt(() => table.doesExist(key)),
  };

  function get(key: K): V | undefined {
    const text = attempt(() => table.get(key));
    return text === undefined ? undefined : parse(key, text);
  }

  function put(key: K, value: V) {
    moveIndexRows(indexes, key, indexedRow(key), value);
    return table.put(key, JSON.stringify(value));
  }

  function update(key: K, change: (row: V) => Partial<V>): V | undefined {
    const before = get(key);
    if (before === undefined) return undefined;
    const after: V = { ...before, ...change(before) };
    // No index row follows from a fallback.
    moveIndexRows(indexes, key, before === options.fallback ? undefined : before, after);
    table.put(key, JSON.stringify(after));
    return after;
  }

  function remove(key: K) {
    moveIndexRows(indexes, key, indexedRow(key), undefined);
    return table.remove(key);
  }

  /** Row whose index rows change; undefined also without indexes, where no read is needed. */
  function indexedRow(key: K): V | undefined {
    const text = indexes.length === 0 ? undefined : attempt(() => table.get(key));
    return text === undefined ? undefined : parseRow(options, key, text);
  }

  function attempt<T>(read: () => T): T {
    return withFaults(read, asFault);
  }
}

function withFaults<T>(read: () => T, asFault: (error: unknown) => unknown): T {
  try {
    return read();
  } catch (error) {
    throw asFault(error);
  }
}

/** LMDB reads a range step by step, so each step can meet damage. */
function* iterate<T>(range: () => Iterable<T>, asFault: (error: unknown) => unknown): Generator<T, void> {
  try {
    yield* range();
  } catch (error) {
    throw asFault(error);
  }
}

function* readableRows<V, K extends TableKey>(
  table: Database<string, K>,
  { limit = Number.POSITIVE_INFINITY, ...range }: RangeOptions,
  parse: (key: K, text: string) => V | undefined,
  asFault: (error: unknown) => unknown,
): Generator<{ key: K; value: V }, void> {
  if (limit <= 0) return;
  let left = limit;
  for (const { key, value: text } of iterate(() => table.getRange(range), asFault)) {
    const value = parse(key, text);
    if (value === undefined) continue;
    yield { key, value };
    if (--left <= 0) return;
  }
}

/** Removes index rows that no longer follow from the record, and adds what is missing. */
function moveIndexRows<V>(indexes: readonly OpenIndex<V>[], key: TableKey, before: V | undefined, after: V | undefined): void {
  for (const { table, rows } of indexes) {
    const former = before === undefined ? [] : rows(before, key);
    const next = after === undefined ? [] : rows(after, key);
    for (const row of former) if (!next.some((other) => isSameKey(row[0], other[0]))) table.remove(row[0]);
    for (const row of next) if (!former.some((other) => isSameKey(row[0], other[0]) && row[1] === other[1])) table.put(...row);
  }
}

export function isSameKey(one: TableKey, other: TableKey): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((part, at) => part === other[at]);
}

/** Range of the rows whose keys are these parts and an id: from the newest down, or from the one before a cursor. */
export function newestFirst<P extends readonly (string | number)[]>(prefix: P, cursor: number | null = null) {
  const start: [...P, number] = [...prefix, (cursor ?? Number.POSITIVE_INFINITY) - 1];
  const end: [...P, number] = [...prefix, 0];
  return { start, end, reverse: true } as const;
}

/** Rows of one account, or of one site, in a table whose keys begin with its id; oldest first. */
export function accountRange(accountId: number): { readonly start: [number, number]; readonly end: [number, number] } {
  return { start: [accountId, 0], end: [accountId + 1, 0] };
}

/**
 * Different first parts of keys that begin with two texts, in order, from one text to before another. Costs one lookup for each, however
 * many rows share it. The second parts are of ASCII characters before `~`.
 */
export function firstKeyParts(
  table: { getKeys(range: RangeOptions): Iterable<unknown> },
  { from, to }: { readonly from: string; readonly to?: string },
): readonly string[] {
  const parts: string[] = [];
  const end = to === undefined ? {} : { end: [to, ""] };
  for (let start = [from, ""]; ; ) {
    const [key] = table.getKeys({ start, ...end, limit: 1 });
    // A damaged key may be of any kind, and must not lead back to an earlier one.
    const part: unknown = Array.isArray(key) ? key[0] : undefined;
    if (typeof part !== "string" || part === parts.at(-1)) return parts;
    parts.push(part);
    start = [part, "~"];
  }
}

/** Table of numbers in the encoding of lmdb-js. */
export type NumberTable<K extends string> = Pick<Database<number, K>, "get" | "put" | "putSync" | "remove" | "doesExist">;

export function openNumberTable<K extends string>(
  root: RootDatabase,
  name: string,
  onUnreadable: TableOptions<number>["onUnreadable"],
): NumberTable<K> {
  // Undefined if the store is open for reading and was never written.
  const raw: Database<unknown, K> | undefined = root.openDB<unknown, K>({ name });
  return {
    get: (key: K) => {
      const value = tryOr(() => raw?.get(key), undefined);
      if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
      if (raw?.doesExist(key) === true) onUnreadable(name, key);
      return undefined;
    },
    put: (key: K, number: number) => raw.put(key, number),
    putSync: (key: K, number: number) => raw.putSync(key, number),
    remove: (key: K) => raw.remove(key),
    doesExist: (key: K) => raw.doesExist(key),
  };
}

/** Undefined for broken JSON, for a value of another shape, and for the row of another key. */
export function parseRow<V>({ accepts, keyedBy }: RowFormat<V>, key: unknown, text: string): V | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!accepts(value)) return undefined;
    return keyedBy === undefined || (value as Record<string, unknown>)[keyedBy] === key ? (value as V) : undefined;
  } catch {
    return undefined;
  }
}
