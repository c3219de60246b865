/** What crosses between dispatcher and worker: plain JSON both ways, free of anything that only one machine has. */
import type { EgressSettings } from "../egress/settings.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { StoredResult } from "../judge/result.ts";

/** In the order a scan passes through them; the percentages of `stagePercent` rise with it. */
export const progressStages = ["resolving", "connecting", "tls", "browsing", "dns", "mail", "analysing", "storing"] as const;
export type ProgressStage = (typeof progressStages)[number];

/** Where a stage begins, in percent of a scan. */
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

/** What is told of a scan to those who watch it; of one that is over only once it can be read. */
export type ScanEvent =
  /** A worker has it in hand; no stage has begun. */
  | { readonly type: "claimed" }
  /** `percent` is 0 to 100 and never falls. */
  | { readonly type: "stage"; readonly stage: ProgressStage; readonly percent: number }
  | { readonly type: "finished" }
  | { readonly type: "failed" }
  /** The queue went on, and with it the place of each scan that waits. */
  | { readonly type: "moved" };

export type ProgressListener = (told: ScanEvent) => void;

/** Lets pages watch scans as they run. */
export interface ScanProgress {
  /**
   * Tells of the scan with that token until it ends or the returned function is called; one that is in hand is told of at once, before
   * this returns. Null when too many listen already. Listeners must not wait.
   */
  subscribe(token: string, listener: ProgressListener): (() => void) | null;
  /** About how long until the scan at that place of the queue (from 1) begins, in milliseconds; null before any scan has ended. */
  waitMs(position: number): number | null;
}

/** Every bound on a scan's time, in milliseconds. */
export interface ScanDeadlines {
  /** The whole scan, from the first lookup to the last fact. */
  readonly scanMs: number;
  /** Until the main document's load event. */
  readonly navigationMs: number;
  /** How long the network must be quiet after the load event ... */
  readonly settleMs: number;
  /** ... and the longest wait for that quiet. */
  readonly settleMaxMs: number;
  /** Reading the document of a page whose thread may be busy. */
  readonly documentMs: number;
  /** Each probe of our own. */
  readonly probeMs: number;
  /** All checks together. */
  readonly judgeMs: number;
}

export const defaultDeadlines: ScanDeadlines = {
  scanMs: 90_000,
  navigationMs: 30_000,
  settleMs: 500,
  settleMaxMs: 5_000,
  documentMs: 5_000,
  probeMs: 10_000,
  judgeMs: 5_000,
};

/** Facts to gather of one URL. */
export interface GatherTask {
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly scannedAt: string;
  readonly egress: EgressSettings;
  /** DevTools WebSocket URL of the running browser. */
  readonly browserEndpoint: string;
  /** Certificates (PEM) trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  /** Whether a picture of the page is wanted. */
  readonly screenshot: boolean;
  readonly deadlines: ScanDeadlines;
}

/** Media type of every screenshot. */
export const screenshotType = "image/jpeg";

/** Milliseconds by name of probe and for the whole. */
export type Timings = Readonly<Record<string, number>>;

export interface Gathered {
  readonly evidence: Evidence;
  /** Beside the evidence, which goes out as JSON. */
  readonly screenshot: Uint8Array | null;
  readonly timings: Timings;
  /** Set when the page could not be reached at all; then nothing is judged. */
  readonly unreachable: ScanErrorCode | null;
  /** What the egress guard refused, for the operator's log: names the setting that would open it. */
  readonly refusals: readonly string[];
}

/** Evidence to judge. */
export interface JudgeTask {
  readonly evidence: Evidence;
  /** Keys of checks that never answered and ended their thread with them: not asked again, `notChecked`. */
  readonly hung: readonly string[];
}

export interface Judged {
  readonly result: StoredResult;
  /** Checks that broke their contract, for the operator's log. */
  readonly faults: readonly { readonly key: string; readonly fault: string }[];
}

/** Every kind of work that crosses to a worker, and what comes back. */
export interface WorkerTasks {
  readonly gather: { readonly task: GatherTask; readonly value: Gathered };
  readonly judge: { readonly task: JudgeTask; readonly value: Judged };
}

/** What a worker says while it works. */
export type WorkerMessage =
  | { readonly says: "started" }
  | { readonly says: "stage"; readonly stage: ProgressStage }
  /** Before each check is asked, so that one which never answers is known. */
  | { readonly says: "judging"; readonly key: string };

/** Codes behind `scanErrorMessage`; texts under `scanErrors` in the locale files. */
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
] as const;
export type ScanErrorCode = (typeof scanErrorCodes)[number];

export type ScanOutcome =
  | {
      readonly status: "finished";
      readonly result: StoredResult;
      readonly evidence: Evidence;
      readonly screenshot: Uint8Array | null;
      readonly timings: Timings;
    }
  | { readonly status: "failed"; readonly code: ScanErrorCode; readonly evidence: Evidence | null; readonly timings: Timings };
