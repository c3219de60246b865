/** Tables of JSON rows. A row that cannot be read is passed over, so that one damaged row never stops a list. */
import type { Database, RangeOptions, RootDatabase } from "lmdb";

/** Rows reported apart: bounds the memory of a store with many damaged ones. */
const reportedRowsMax = 1_000;
const shownKeyCharsMax = 100;

export type TableKey = string | number | (string | number)[];

/** Part of LMDB's table that repositories use. */
export interface RowTable<V, K extends TableKey>
  extends Pick<Database<V, K>, "put" | "putSync" | "remove" | "getKeys" | "getCount" | "getKeysCount" | "doesExist"> {
  /** Undefined if there is no row, or none that can be read. */
  get(key: K): V | undefined;
  /** Readable rows only; `limit` counts them. */
  getRange(options?: RangeOptions): Iterable<{ readonly key: K; readonly value: V }>;
}

export interface UnreadableRow {
  readonly table: string;
  /** As JSON, cut to `shownKeyCharsMax`; null for all rows after the first `reportedRowsMax`. */
  readonly key: string | null;
}

export interface RowFormat<V> {
  /** Whether parsed JSON is a row of this table. */
  readonly accepts: (value: unknown) => boolean;
  /** Member that repeats the key: a row under another key is damaged. */
  readonly keyedBy?: string;
  /** Stands for an unreadable row where the key must stay visible: a reference that leads nowhere. */
  readonly fallback?: V;
}

/** Calls `report` once for each row, and once more for all beyond the limit. */
export function createUnreadableReport(report: (row: UnreadableRow) => void = () => {}): (table: string, key: TableKey) => void {
  const reported = new Set<string>();
  return (table, key) => {
    const shown = JSON.stringify(key).slice(0, shownKeyCharsMax);
    const row = `${table} ${shown}`;
    if (reported.has(row) || reported.size > reportedRowsMax) return;
    reported.add(row);
    report({ table, key: reported.size > reportedRowsMax ? null : shown });
  };
}

export interface TableOptions<V> extends RowFormat<V> {
  readonly name: string;
  readonly onUnreadable: (table: string, key: TableKey) => void;
  /** Maps an error of LMDB to the one to throw. */
  readonly asFault: (error: unknown) => unknown;
}

/** Undefined if the store is open for reading and has no such table. */
export function openTable<V, K extends TableKey>(root: RootDatabase, options: TableOptions<V>): RowTable<V, K> | undefined {
  const { name, onUnreadable, asFault } = options;
  // Bun parses JSON three times as fast as lmdb-js decodes its own format. The text is parsed here, because lmdb-js throws at a damaged row.
  const raw: Database<string, K> | undefined = root.openDB<string, K>({ name, encoding: "string" });
  if (raw === undefined) return undefined;
  const table = raw;

  function parse(key: K, text: string): V | undefined {
    const row = parseRow(options, key, text);
    if (row !== undefined) return row;
    onUnreadable(name, key);
    return options.fallback;
  }

  function* getRange({ limit = Number.POSITIVE_INFINITY, ...range }: RangeOptions = {}): Generator<{ key: K; value: V }, void> {
    if (limit <= 0) return;
    let left = limit;
    try {
      for (const { key, value: text } of table.getRange(range)) {
        const value = parse(key, text);
        if (value === undefined) continue;
        yield { key, value };
        if (--left <= 0) return;
      }
    } catch (error) {
      throw asFault(error);
    }
  }

  return {
    get: (key) => {
      const text = attempt(() => table.get(key));
      return text === undefined ? undefined : parse(key, text);
    },
    getRange,
    put: (key: K, value: V) => table.put(key, JSON.stringify(value)),
    putSync: (key: K, value: V) => table.putSync(key, JSON.stringify(value)),
    remove: (key: K) => table.remove(key),
    getKeys: (range) => attempt(() => table.getKeys(range)),
    getCount: (range) => attempt(() => table.getCount(range)),
    getKeysCount: (range) => attempt(() => table.getKeysCount(range)),
    doesExist: (key: K) => attempt(() => table.doesExist(key)),
  };

  function attempt<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw asFault(error);
    }
  }
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
      const number = readNumber(() => raw?.get(key));
      if (number === undefined && raw?.doesExist(key) === true) onUnreadable(name, key);
      return number;
    },
    put: (key: K, number: number) => raw.put(key, number),
    putSync: (key: K, number: number) => raw.putSync(key, number),
    remove: (key: K) => raw.remove(key),
    doesExist: (key: K) => raw.doesExist(key),
  };
}

/** Undefined for anything but a whole number that counts. */
function readNumber(read: () => unknown): number | undefined {
  try {
    const value = read();
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  } catch {
    return undefined;
  }
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
