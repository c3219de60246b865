/** When a scan was over, as pages tell it. */
import type { ScanRecord } from "../../store/scans.ts";

/** ISO 8601, UTC. Of a scan that is not over yet, when it was asked for. */
export function endOf({ endedAt, createdAt }: Pick<ScanRecord, "endedAt" | "createdAt">): string {
  return endedAt ?? createdAt;
}
