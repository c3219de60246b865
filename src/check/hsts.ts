/** Decides which hosts the page's HSTS policy covers, and what the preload list proves about a host. */
import { dayMs } from "../base/units.ts";
import type { Reading, Subject } from "../evidence/evidence.ts";
import type { HstsPreloadFacts, PageFacts } from "../evidence/page-facts.ts";
import type { TlsFacts } from "../evidence/tls-facts.ts";
import { parseIpText } from "../parse/address.ts";
import { fieldsNamed, isHttps } from "../parse/header-fields.ts";
import { hstsMaxAgeSecondsMin, parseHsts } from "../parse/header-values.ts";
import { hostOf } from "../parse/site.ts";
import { isCertificateRejected } from "./tls.ts";

/**
 * Host whose names below it browsers visit over https only; null without such a policy. RFC 6797 section 8.1: browsers obey only the first
 * field, only over https and only with an accepted certificate.
 */
export function hstsWithSubdomains(page: PageFacts, tls: Reading<TlsFacts>, scannedAt: string): string | null {
  const host = hostOf(page.url);
  const [field] = fieldsNamed(page.headers, "strict-transport-security");
  if (host === null || field === undefined || field.truncated || !isHttps(page.url) || parseIpText(host) !== null) return null;
  const policy = parseHsts(field.value);
  if ("defect" in policy || !policy.includeSubDomains || policy.maxAgeSeconds < hstsMaxAgeSecondsMin) return null;
  return isCertificateRejected(tls, host, scannedAt) ? null : host;
}

/** Domains are added with every release of the browsers, so that the absence from an older list proves nothing. */
const listAgeDaysMax = 366;

/** `unknown`: nothing was read, or the host is absent from an old list. */
export type PreloadState = "preloaded" | "absent" | "unknown";

/** State of the scanned host at the time of the scan. */
export function preloadState({ scannedAt }: Subject, reading: Reading<HstsPreloadFacts>): PreloadState {
  if (reading.status === "failed") return "unknown";
  const { hostPreloaded, decidedBy, listDate } = reading.facts;
  if (hostPreloaded) return "preloaded";
  const isOld = listDate !== undefined && Date.parse(scannedAt) - Date.parse(listDate) > listAgeDaysMax * dayMs;
  return decidedBy === "list" && isOld ? "unknown" : "absent";
}

/** Date of the list file, `YYYY-MM-DD`, for texts; `-` for names that no list can contain. */
export function preloadListDate(reading: Reading<HstsPreloadFacts>): string {
  return (reading.status === "read" ? reading.facts.listDate : undefined) ?? "-";
}
