/** Cursor pagination, newest first. */

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
  return pageBy(items, limit, ({ id }) => id);
}

/** Does the same for items whose cursor is not their member `id`. */
export function pageBy<T>(items: readonly T[], limit: number, cursorOf: (item: T) => number): Page<T> {
  const kept = items.slice(0, limit);
  const last = kept.at(-1);
  return { items: kept, nextCursor: items.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** The first `count` things that rows lead to; a row that leads to nothing is passed over and does not end the page. */
export function takeFound<R, T>(rows: Iterable<R>, count: number, find: (row: R) => T | undefined): readonly T[] {
  const found: T[] = [];
  for (const row of rows) {
    const one = find(row);
    if (one === undefined) continue;
    found.push(one);
    if (found.length >= count) break;
  }
  return found;
}
