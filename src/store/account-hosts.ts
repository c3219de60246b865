/** Hosts that an account has scanned, from each location. */
import { hostOf } from "../parse/site.ts";
import type { Db } from "./database.ts";
import { scanLocationOf } from "./scan-location.ts";
import type { ScanRecord } from "./scans.ts";

export interface AccountHostsRequest {
  readonly hostsMax: number;
  /** Scans that are read at most: bounds the time for an account that scans few hosts often. */
  readonly scansMax: number;
}

/** Newest scan for each host and location, in any state, newest first; found among the newest `scansMax` scans of the account. */
export function newestScanPerHost(
  db: Pick<Db, "scansByAccount" | "scans">,
  accountId: number,
  { hostsMax, scansMax }: AccountHostsRequest,
): readonly ScanRecord[] {
  const found = new Map<string, ScanRecord>();
  const start: [number, number] = [accountId, Number.POSITIVE_INFINITY];
  for (const { value: token } of db.scansByAccount.getRange({ start, end: [accountId, 0], reverse: true, limit: scansMax })) {
    const scan = db.scans.get(token);
    const host = scan === undefined ? null : hostOf(scan.url);
    if (scan === undefined || host === null) continue;
    const key = `${host} ${scanLocationOf(scan)}`;
    if (!found.has(key)) found.set(key, scan);
    if (found.size >= hostsMax) break;
  }
  return [...found.values()];
}
