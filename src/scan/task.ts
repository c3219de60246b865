/** Tasks and messages between dispatcher and worker: plain JSON, without anything that exists on one machine only. */
import type { EgressSettings } from "../egress/settings.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ProgressStage, ScanErrorCode, Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";

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

export type ScanOutcome =
  | {
      readonly status: "finished";
      readonly result: StoredResult;
      readonly evidence: Evidence;
      readonly screenshot: Uint8Array | null;
      readonly timings: Timings;
    }
  | { readonly status: "failed"; readonly code: ScanErrorCode; readonly evidence: Evidence | null; readonly timings: Timings };
