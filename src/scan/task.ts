/** Tasks and messages between dispatcher and worker: plain JSON, without references to the local machine. */
import type { BrowserEvent } from "../browser/slot.ts";
import type { TargetCredentials } from "../egress/credentials.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ProgressStage, ScanErrorCode, Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { ScriptAdvisories } from "../parse/script-libraries.ts";
import type { PageDeadlines } from "../probe/browser/page.ts";

/** Deadlines of a scan, in milliseconds. */
export interface ScanDeadlines extends PageDeadlines {
  /** The whole scan, from the first lookup to the last fact. */
  readonly scanMs: number;
  /** Each probe other than the browser's. */
  readonly probeMs: number;
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

export interface GatherTask {
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly scannedAt: string;
  readonly egress: EgressSettings;
  readonly caPems: readonly string[];
  /** Advisories of the operator; null for those of the program. */
  readonly scriptAdvisories: ScriptAdvisories | null;
  readonly screenshot: boolean;
  /** Of the user, for pages behind a sign-in; null for none. */
  readonly credentials: TargetCredentials | null;
  /** Characters kept of a header value. */
  readonly headerValueCharsMax: number;
  readonly deadlines: ScanDeadlines;
  /** Set for the second attempt: a browser without earlier pages, which could be the cause if it breaks again. */
  readonly freshBrowser: boolean;
}

export interface Gathered {
  readonly evidence: Evidence;
  /** Apart from the evidence, which is served as JSON. */
  readonly screenshot: Uint8Array | null;
  readonly timings: Timings;
  /** Set if the page was not reachable; then nothing is judged. */
  readonly unreachable: ScanErrorCode | null;
  /** The browser broke, so the page was not read: the scan is gathered once more. */
  readonly browserBroke: boolean;
  /** Refusals of the SSRF guard for the operator's log, with the setting that allows them. */
  readonly refusals: readonly string[];
}

/** No browser could be started; nothing was gathered. */
export interface BrowserUnavailable {
  readonly browserUnavailable: string;
}

export interface JudgeTask {
  readonly evidence: Evidence;
  /** Keys of checks that hung or ended their thread: skipped, `notChecked`. */
  readonly hung: readonly string[];
}

export interface Judged {
  readonly result: StoredResult;
  /** Contract violations of checks, for the operator's log. */
  readonly faults: readonly { readonly key: string; readonly fault: string }[];
}

export interface WorkerTasks {
  readonly gather: { readonly task: GatherTask; readonly value: Gathered | BrowserUnavailable };
  /** Starts the browser of an idle slot before its first scan. */
  readonly startBrowser: { readonly task: null; readonly value: null };
  readonly judge: { readonly task: JudgeTask; readonly value: Judged };
}

/** Steps of a scan for the debug log; their number is bounded. */
export type ScanTrace =
  | { readonly event: "probe started"; readonly probe: string }
  /** `fault` is the message of an exception, which is a defect of the probe. */
  | { readonly event: "probe ended"; readonly probe: string; readonly ms: number; readonly fault?: string }
  /** `ms` since the start of the scan. */
  | { readonly event: "egress blocked"; readonly refusal: string; readonly ms: number };

export type WorkerMessage =
  | { readonly type: "started" }
  | { readonly type: "stage"; readonly stage: ProgressStage }
  | { readonly type: "trace"; readonly trace: ScanTrace }
  | { readonly type: "browser"; readonly event: BrowserEvent }
  /** Sent before each check runs, so that a hung check is known. */
  | { readonly type: "judging"; readonly key: string };

export type ScanOutcome =
  | {
      readonly status: "finished";
      readonly result: StoredResult;
      readonly evidence: Evidence;
      readonly screenshot: Uint8Array | null;
      readonly timings: Timings;
    }
  | { readonly status: "failed"; readonly code: ScanErrorCode; readonly evidence: Evidence | null; readonly timings: Timings };
