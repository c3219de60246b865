/** What a cached report page depends on. */
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { CachedPage } from "../page-cache.ts";
import { scanHost } from "../scans/host-name.ts";
import { endOf } from "../scans/scan-end.ts";
import type { SharedVisit } from "../visit.ts";
import { findingChoiceParams } from "./finding-filter.tsx";
import { serverParam } from "./server-choice.tsx";
import { ledgerParams } from "./state-filter.tsx";
import { earlierScansMax } from "./stored-report.ts";

/** A search is not cached: its words are anything. */
const params = [...findingChoiceParams, ...ledgerParams, serverParam];

/** A finished scan never changes, but its evidence and screenshot expire, and scans of its host come and go. */
export function reportCacheKey({ settings: { store } }: Pick<SharedVisit, "settings">, scan: ScanRecord): Omit<CachedPage, "content"> {
  const host = scanHost(scan);
  const location = scanLocationOf(scan);
  const newest = store.publicScans.idsOfHost(host, location, { limit: earlierScansMax, cursor: null });
  const earlier = store.publicScans.idsOfHost(host, location, { limit: earlierScansMax, cursor: scan.id });
  const key = [scan.token, store.evidence.has(scan.token), store.screenshots.has(scan.token), newest.join(), earlier.join()];
  return { key, params, daysSince: endOf(scan) };
}
