/** The host that a visitor means, whether it was typed alone or stands in an address. */

import { parseScanUrl } from "../../parse/scan-url.ts";
import { hostOf } from "../../parse/site.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { addressMeant, isBareIpv6 } from "../typed-address.ts";

/** In ASCII, lower case, without trailing dot and without brackets, as scans are listed by; null for what holds none. */
export function hostIn(typed: string): string | null {
  const parsed = parseScanUrl(addressMeant(typed));
  return "url" in parsed ? hostOf(parsed.url) : null;
}

/** Host of a scan; stored URLs always have one. */
export function scanHost({ url }: Pick<ScanRecord, "url">): string {
  return hostOf(url) ?? url;
}

/** As a part of a path: nothing but a host, not an address that holds one; null for everything else. */
export function hostNamed(text: string): string | null {
  const isAlone = isBareIpv6(text) || /^\[[^\]]*\]$/.test(text) || !/[:/?#@]/.test(text);
  return isAlone ? hostIn(text) : null;
}

/** Own path of a host's scans. */
export function hostPath(host: string): string {
  return `/hosts/${encodeURIComponent(host)}`;
}

/** For `/`, so that the host is typed already. */
export function scanPath(host: string): string {
  return `/?url=${encodeURIComponent(host.includes(":") ? `[${host}]` : host)}`;
}
