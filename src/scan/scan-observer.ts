/** What happens to the scans of a server, for metrics and for the figures of a day. */
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { ScanTimer } from "../metrics/scan-metrics.ts";
import type { ScanRecord } from "../store/scans.ts";

/** No method may throw. */
export interface ScanObserver {
  /** The scan has left the queue, where it waited so long. */
  claimed(waitedMs: number): void;
  /** A scan begins, or one that workers elsewhere hold is adopted. */
  begin(): ScanTimer;
  /** The outcome is stored; `code` of a failure, else null. `scan` is as it was before. */
  ended(scan: ScanRecord, code: ScanErrorCode | null): void;
}
