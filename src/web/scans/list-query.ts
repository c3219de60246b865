/** Query parameters of scan lists: cursor and filters. */

import { parseLocation } from "../../parse/location.ts";
import type { Page, PageRequest } from "../../store/page.ts";
import type { ScanRecord } from "../../store/scans.ts";

/** Ids within the safe integer range. */
const cursorPattern = /^\d{1,15}$/;

/** 1 to 999. */
const pageNumberPattern = /^[1-9]\d{0,2}$/;

/** `?before=`: id of the last scan shown; null starts at the newest, also for invalid values. */
export function cursorOf(query: URLSearchParams): number | null {
  const text = query.get("before") ?? "";
  return cursorPattern.test(text) ? Number(text) : null;
}

/** `?location=`; null for all, also for invalid values. */
export function locationOf(query: URLSearchParams): string | null {
  return parseLocation(query.get("location") ?? "");
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

/** A page of the scans that match, among so many that are read. */
interface Matching {
  /** Newest first, at most as many as a page has. */
  readonly shown: readonly ScanRecord[];
  /** The match before the last one shown. */
  readonly before: ScanRecord | undefined;
  /** Cursor of the next page; null at the end. */
  readonly next: number | null;
}

/** Reads at most `readMax` scans of a list from the cursor on: rare matches end up on later pages. */
export function matchingScans(
  read: (request: PageRequest) => Page<ScanRecord>,
  matches: (scan: ScanRecord) => boolean,
  { cursor, rows, readMax }: { readonly cursor: number | null; readonly rows: number; readonly readMax: number },
): Matching {
  const { items, nextCursor } = read({ limit: readMax, cursor });
  const matching = items.filter(matches);
  const shown = matching.slice(0, rows);
  const isCut = matching.length > shown.length;
  return { shown, before: matching[rows], next: isCut ? (shown.at(-1)?.id ?? null) : nextCursor };
}
