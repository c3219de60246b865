/** The host that a visitor means, whether it was typed alone or stands in an address. */

import { hostOf } from "../../evidence/subject.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";

/** An IPv6 address without brackets, which a URL would take for a host and a port. */
const bareIpv6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** In ASCII, lower case, without trailing dot and without brackets, as scans are listed by; null for what holds none. */
export function hostIn(typed: string): string | null {
  const text = typed.trim();
  const address = /^https?:\/\//i.test(text) ? text : `https://${bareIpv6.test(text) ? `[${text}]` : text}`;
  const parsed = parseScanUrl(address);
  return "url" in parsed ? hostOf(parsed.url) : null;
}

/** As a part of a path: nothing but a host, not an address that holds one; null for everything else. */
export function hostNamed(text: string): string | null {
  const isAlone = bareIpv6.test(text) || /^\[[^\]]*\]$/.test(text) || !/[:/?#@]/.test(text);
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
