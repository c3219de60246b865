/** Where the scans of one call run: in this process, or on a server. */
import type { Progress } from "./progress.ts";
import type { ReportCatalog, ScannedUrl } from "./scan-outcome.ts";

export interface ScanOrder {
  readonly urls: readonly string[];
  readonly progress: Progress;
  /** The user wants the call to end. */
  readonly stop: AbortSignal;
}

export interface ScanSource {
  /** Checks and texts that judge. */
  readonly catalog: ReportCatalog;
  /** Origin of an appliance whose pages describe the checks; null without one. */
  readonly origin: string | null;
  /** In the order of the URLs. Scans that were interrupted are missing. */
  scan(order: ScanOrder): Promise<readonly ScannedUrl[]>;
  close(): Promise<void>;
}
