/** End of a scan as shown on pages. */
import type { ScanRecord } from "../../store/scans.ts";

/** ISO 8601, UTC; the creation time for unfinished scans. */
export function endOf({ endedAt, createdAt }: Pick<ScanRecord, "endedAt" | "createdAt">): string {
  return endedAt ?? createdAt;
}
