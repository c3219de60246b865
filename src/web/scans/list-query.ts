/** Query parameters of scan lists: cursor and filters. */

/** Ids within the safe integer range. */
const cursorPattern = /^\d{1,15}$/;

/** 1 to 999. */
const pageNumberPattern = /^[1-9]\d{0,2}$/;

/** `?before=`: id of the last scan shown; null starts at the newest, also for invalid values. */
export function cursorOf(query: URLSearchParams): number | null {
  const text = query.get("before") ?? "";
  return cursorPattern.test(text) ? Number(text) : null;
}

/** Path of the list from a cursor on, with its filters; empty filters are left out. */
export function listPath(path: string, filters: Readonly<Record<string, string>>, cursor: number | null): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  if (cursor !== null) query.set("before", String(cursor));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** `?page=`, from 1; 1 also for invalid values. */
export function pageNumberOf(query: URLSearchParams): number {
  const text = query.get("page") ?? "";
  return pageNumberPattern.test(text) ? Number(text) : 1;
}
