/** Paths and queries of the lists of scans and of hosts; hosts as visitors type them, and as scans have them. */
import { urlHost } from "../../parse/address.ts";
import { localLocation, parseLocation } from "../../parse/location.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";
import { hostOf } from "../../parse/site.ts";
import type { Page, PageRequest } from "../../store/page.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { completeUrl, isBareIpv6 } from "./typed-url.ts";

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

interface HostFilters {
  readonly location?: string | undefined;
  /** URL; "" for all. */
  readonly address?: string;
}

/** Host as the scan index stores it: ASCII, lower case, no trailing dot, no brackets. Null for other texts. */
export function hostFromText(typed: string): string | null {
  const parsed = parseScanUrl(completeUrl(typed));
  return "url" in parsed ? hostOf(parsed.url) : null;
}

/** Host of a scan; stored URLs always have one. */
export function scanHost({ url }: Pick<ScanRecord, "url">): string {
  return hostOf(url) ?? url;
}

/** Host in a path segment; null for anything else, also for a URL that contains one. */
export function hostFromSegment(text: string): string | null {
  const isAlone = isBareIpv6(text) || /^\[[^\]]*\]$/.test(text) || !/[:/?#@]/.test(text);
  return isAlone ? hostFromText(text) : null;
}

/** History of the host as a location sees it. */
export function hostPath(host: string, { location = localLocation, address = "" }: HostFilters = {}, cursor: number | null = null): string {
  const filters = { address, location: location === localLocation ? "" : location };
  return listPath(`/hosts/${encodeURIComponent(host)}`, filters, cursor);
}

/** Path of the home page with host and location prefilled. */
export function scanPath(host: string, location = localLocation): string {
  const chosen = location === localLocation ? "" : `&location=${location}`;
  return `/?url=${encodeURIComponent(urlHost(host))}${chosen}`;
}

/** ISO 8601, UTC; the creation time for unfinished scans. */
export function endOf({ endedAt, createdAt }: Pick<ScanRecord, "endedAt" | "createdAt">): string {
  return endedAt ?? createdAt;
}
