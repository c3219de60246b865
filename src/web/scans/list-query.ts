/** What a list of scans is asked for in a query: where to go on, and which filters stay. */

/** Ids are whole numbers that JavaScript can tell apart. */
const cursorPattern = /^\d{1,15}$/;

/** `?before=`: the id of the last scan already seen; null begins at the newest, and so does what is none. */
export function cursorOf(query: URLSearchParams): number | null {
  const text = query.get("before") ?? "";
  return cursorPattern.test(text) ? Number(text) : null;
}

/** Own path of the list from there on, its filters kept; empty ones are left out. */
export function listPath(path: string, filters: Readonly<Record<string, string>>, cursor: number | null): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  if (cursor !== null) query.set("before", String(cursor));
  return query.size === 0 ? path : `${path}?${query}`;
}
