/** Cursor pagination, newest first. */
import { newestFirst, type RowTable } from "./table.ts";

/** `cursor` is the id of the last item of the previous page; null starts at the newest. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor: number | null;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; null on the last page. */
  readonly nextCursor: number | null;
}

/** Page from at most `limit + 1` items; the extra one shows that a next page exists. */
export function pageOf<T extends { readonly id: number }>(items: readonly T[], limit: number): Page<T> {
  const kept = items.slice(0, limit);
  return { items: kept, nextCursor: items.length > limit ? (kept.at(-1)?.id ?? null) : null };
}

/**
 * Page of a table whose keys are `prefix` and an id, which is the cursor. `find` gives what a row leads to; a row that leads to nothing is
 * passed over and does not end the page.
 */
export function newestPage<V, K extends (string | number)[], T>(
  table: Pick<RowTable<V, K>, "getRange">,
  prefix: readonly (string | number)[],
  { limit, cursor }: PageRequest,
  find: (row: { readonly key: K; readonly value: V }) => T | undefined,
): Page<T> {
  const items: T[] = [];
  let last: number | null = null;
  for (const row of table.getRange(newestFirst(prefix, cursor))) {
    const item = find(row);
    if (item === undefined) continue;
    if (items.length >= limit) return { items, nextCursor: last };
    items.push(item);
    last = row.key.at(-1) as number;
  }
  return { items, nextCursor: null };
}
