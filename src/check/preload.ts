/** What the HSTS preload list proves about a host. */
import { dayMs } from "../base/units.ts";
import type { Reading, Subject } from "../evidence/evidence.ts";
import type { HstsPreloadFacts } from "../evidence/page-facts.ts";

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
