/** Extracts the host from typed text, which may be a host or a URL. */
import { urlHost } from "../../parse/address.ts";
import { localLocation } from "../../parse/location.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";
import { hostOf } from "../../parse/site.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { listPath } from "./list-query.ts";
import { completeUrl, isBareIpv6 } from "./typed-url.ts";

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
