/** Stages, timings, error codes and events of a scan, shared by scanner, store, API and pages. */

/** Stages in the order of a scan; `stagePercent` rises in the same order. */
export const progressStages = ["resolving", "connecting", "tls", "browsing", "dns", "mail", "analysing", "storing"] as const;
export type ProgressStage = (typeof progressStages)[number];

/** Progress at the start of each stage, in percent. */
export const stagePercent: Readonly<Record<ProgressStage, number>> = {
  resolving: 2,
  connecting: 5,
  tls: 10,
  browsing: 20,
  dns: 70,
  mail: 80,
  analysing: 90,
  storing: 97,
};

/** Event for the subscribers of a scan. `finished` and `failed` follow only when the outcome is stored. */
export type ScanEvent =
  /** The scan has left the queue; no stage has begun. `location`: absent for scans by the server itself. */
  | { readonly type: "claimed"; readonly location?: string }
  /** `percent` is 0 to 100 and never falls. */
  | { readonly type: "stage"; readonly stage: ProgressStage; readonly percent: number }
  | { readonly type: "finished" }
  | { readonly type: "failed" }
  /** The scan was removed before it began. */
  | { readonly type: "cancelled" }
  /** The position of a waiting scan in the queue has changed. */
  | { readonly type: "moved" };

/** Times of the current stage of a scan, in milliseconds. */
export interface StagePace {
  /** Time since the stage began. */
  readonly sinceMs: number;
  /** Median of the latest scans; null if too few have passed the stage. */
  readonly usualMs: number | null;
}

export type ProgressListener = (event: ScanEvent) => void;

/** Progress of running and waiting scans. */
export interface ScanProgress {
  /** Delivers the latest event of a claimed scan at once. Null when too many listeners exist. Listeners must not block. */
  subscribe(token: string, listener: ProgressListener): (() => void) | null;
  /** Null unless a stage of the scan runs in this process. */
  pace(token: string): StagePace | null;
  /** Estimated wait for a position in the queue of a location (from 1), in milliseconds. Null before any of its scans has ended. */
  waitMs(position: number, location: string): number | null;
}

/** `over`: the scan had ended already. */
export type Cancellation = "cancelled" | "over" | "unknown";

/** For administrators: ends any scan, waiting or running, with the code `cancelled`. Resolves when that is stored. */
export type CancelAnyScan = (token: string, by: { readonly id: number }) => Promise<Cancellation>;

/** Ends a proof, waiting or running, with the code `cancelled`. Resolves when that is stored. */
export type CancelProof = (token: string) => Promise<Cancellation>;

/** Notices of changes of the queue. */
export interface QueueSignals {
  /** Notifies the dispatcher of new scans in the queue. */
  readonly wake: () => void;
  /** Notifies those who follow a scan that it was cancelled. */
  readonly cancelled: (token: string) => void;
}

/** What API and pages know of the locations of workers elsewhere. */
export interface LocationDirectory {
  /** Locations that workers are enrolled for, sorted. */
  names(): readonly string[];
  /** Scans that a location may hold at once: the slots of its present workers, and one that waits for each of them. */
  capacity(location: string): number;
  /** Time since which no worker of the location is present; null while one is. */
  absentSince(location: string): Date | null;
  provers(location: string): Provers;
}

/** Workers of a location that take jobs, as far as proofs are concerned. */
export interface Provers {
  readonly present: number;
  /** Ids of those whose release cannot visit pages for proofs: a location with one makes no proofs. */
  readonly unable: readonly string[];
}

/** Workers of a location share its jobs, so that all of them must be able to visit pages with changed headers. */
export function canProve({ present, unable }: Provers): boolean {
  return present > 0 && unable.length === 0;
}

export const screenshotType = "image/jpeg";

/** Milliseconds by name of probe, and for the whole scan. */
export type Timings = Readonly<Record<string, number>>;

/** Codes of failed scans. Their texts are under `scanErrors` in the locale files. */
export const scanErrorCodes = [
  "unresolved",
  "refused",
  "unreachable",
  "timeout",
  "blocked",
  "tls",
  "invalid",
  "redirects",
  "too-large",
  "crashed",
  "interrupted",
  "browser-unavailable",
  "no-worker",
  "worker-too-old",
  "headers-too-long",
  "cancelled",
] as const;
export type ScanErrorCode = (typeof scanErrorCodes)[number];
