/** Runs one scan from URL to outcome and survives dead workers, hung checks and a lost browser. Used by queue and command line. */
import { type Log, messageOf } from "../base/log.ts";
import type { BrowserHost } from "../browser/browser.ts";
import { blockedPorts, blockPort, unblockPort } from "../egress/blocked-ports.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { Evidence } from "../evidence/evidence.ts";
import { headerValueCharsMax as headerValueCharsDefault } from "../evidence/limits.ts";
import type { ProgressStage, ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { ScriptAdvisories } from "../parse/script-advisories.ts";
import type { PreloadList } from "../probe/browser/preload-list.ts";
import { openPool, type TaskEnd, type TaskWatch, type WorkerPool } from "./pool.ts";
import type { Gathered, GatherTask, ScanDeadlines, ScanOutcome, WorkerMessage } from "./task.ts";

export interface ScannerOptions {
  readonly egress: EgressSettings;
  readonly caPems: readonly string[];
  /** Null or absent for the advisories of the program. */
  readonly scriptAdvisories?: ScriptAdvisories | null;
  readonly deadlines: ScanDeadlines;
  readonly concurrency: number;
  readonly checksDir: string | null;
  /** The embedded one by default. */
  readonly preloadList?: PreloadList | null;
  readonly browser: Pick<BrowserHost, "endpoint" | "retire">;
  /** Entry of the worker: `src/app/worker.ts` or its place in the compiled binary. */
  readonly workerFile: string;
  readonly log: Log;
  readonly screenshots?: boolean;
  /** Characters kept of a header value. */
  readonly headerValueCharsMax?: number;
  /** Delay after the deadline before a worker's thread is ended, in milliseconds. */
  readonly graceMs?: number;
}

type OnProgress = (stage: ProgressStage) => void;

export interface Scanner {
  /** Never rejects. The URL must be valid. An abort ends the scan at once, as `interrupted`. `token` names a stored scan in the log. */
  scanUrl(url: string, onProgress: OnProgress, signal?: AbortSignal, token?: string): Promise<ScanOutcome>;
  close(): Promise<void>;
}

/** One retry after a broken worker or browser, which is not the site's fault. */
const gatherAttemptsMax = 2;
/** Hung checks before the scan fails; each costs its deadline. */
const hungMax = 5;
/** After the scan's own deadline, at which a worker should stop by itself. */
const defaultGraceMs = 5_000;

export function openScanner(options: ScannerOptions): Scanner {
  const {
    egress,
    caPems,
    scriptAdvisories = null,
    deadlines,
    concurrency,
    checksDir,
    preloadList = null,
    browser,
    workerFile,
    log,
  } = options;
  const pool = openPool({
    workerFile,
    threads: concurrency,
    workerData: { checksDir, blockedPorts: blockedPorts(), preloadList },
    onIdleFault: (fault) => log.error("idle worker broke", { fault }),
  });

  /** Ports blocked until the scanner closes: scans of a replaced browser still run and must not reach its successor either. */
  const controlPorts = new Set<number>();

  async function taskOf(url: string): Promise<GatherTask> {
    const browserEndpoint = await browser.endpoint();
    const controlPort = Number(new URL(browserEndpoint).port);
    blockPort(controlPort);
    controlPorts.add(controlPort);
    const { screenshots: screenshot = false, headerValueCharsMax = headerValueCharsDefault } = options;
    const scannedAt = new Date().toISOString();
    return { url, scannedAt, egress, browserEndpoint, caPems, scriptAdvisories, screenshot, headerValueCharsMax, deadlines };
  }

  function onWorkerMessage(scan: Readonly<Record<string, string>>, onProgress: OnProgress): (message: WorkerMessage) => void {
    return (message) => {
      if (message.type === "stage") onProgress(message.stage);
      if (message.type !== "trace") return;
      const { event, ...fields } = message.trace;
      log.debug(event, { ...scan, ...fields });
    };
  }

  const gather = createGather(pool, taskOf, options);
  return {
    scanUrl: async (url, onProgress, signal, token) => {
      const scan = token === undefined ? { url } : { token, url };
      const gathered = await gather(url, onWorkerMessage(scan, onProgress), signal);
      if (typeof gathered === "string") return { status: "failed", code: gathered, evidence: null, timings: {} };
      const { evidence, screenshot, timings, unreachable, refusals } = gathered;
      for (const refusal of refusals) log.warn("egress refused", { ...scan, refusal });
      if (unreachable !== null) return { status: "failed", code: unreachable, evidence, timings };
      onProgress("analysing");
      const judgeStartMs = performance.now();
      const result = await judge(pool, options, { url, evidence, signal });
      const allTimings = { ...timings, judge: Math.round(performance.now() - judgeStartMs) };
      if (typeof result === "string") return { status: "failed", code: result, evidence, timings: allTimings };
      onProgress("storing");
      return { status: "finished", result, evidence, screenshot, timings: allTimings };
    },
    close: async () => {
      await pool.close();
      for (const port of controlPorts) unblockPort(port);
    },
  };
}

const errorCodeOf = { late: "timeout", cancelled: "interrupted", died: "crashed" } as const;

/** Gathers evidence in a worker, and once more after a broken worker or browser. */
function createGather(
  pool: WorkerPool,
  taskOf: (url: string) => Promise<GatherTask>,
  { deadlines, browser, log, graceMs = defaultGraceMs }: ScannerOptions,
) {
  async function gatherOnce(url: string, onMessage: TaskWatch["onMessage"], signal?: AbortSignal): Promise<TaskEnd<Gathered>> {
    const ended = await pool.run("gather", await taskOf(url), {
      deadlineMs: deadlines.scanMs + graceMs,
      onMessage,
      signal,
    });
    if (ended.end === "died" || ended.end === "late")
      log.error("worker lost while gathering", { url, end: ended.end, because: reasonOf(ended) });
    // A worker that misses its own deadline waits for a hung browser.
    if (ended.end === "late") await browser.retire();
    return ended;
  }

  async function gather(url: string, onMessage: TaskWatch["onMessage"], signal?: AbortSignal): Promise<Gathered | ScanErrorCode> {
    let last: TaskEnd<Gathered> = { end: "cancelled" };
    for (let attempt = 1; attempt <= gatherAttemptsMax; attempt++) {
      try {
        last = await gatherOnce(url, onMessage, signal);
      } catch (error) {
        log.error("browser not available", { url, because: messageOf(error) });
        return "browser-unavailable";
      }
      const broken = last.end === "died" || (last.end === "done" && isBrowserBroken(last.value.evidence));
      if (!broken) break;
    }
    return last.end === "done" ? last.value : errorCodeOf[last.end];
  }

  return gather;
}

/** Judges again without a check that hangs or ends its thread: the last one started. */
async function judge(
  pool: WorkerPool,
  { deadlines, log }: ScannerOptions,
  { url, evidence, signal }: { readonly url: string; readonly evidence: Evidence; readonly signal: AbortSignal | undefined },
): Promise<StoredResult | ScanErrorCode> {
  const hung: string[] = [];
  while (hung.length < hungMax) {
    const started: string[] = [];
    const ended = await pool.run(
      "judge",
      { evidence, hung },
      { deadlineMs: deadlines.judgeMs, onMessage: (message) => message.type === "judging" && started.push(message.key), signal },
    );
    if (ended.end === "cancelled") return "interrupted";
    if (ended.end === "done") {
      for (const { key, fault } of ended.value.faults) log.error("check failed", { check: key, fault, url });
      return ended.value.result;
    }
    const suspect = started.at(-1);
    log.error("worker lost while judging", { url, check: suspect ?? null, end: ended.end, because: reasonOf(ended) });
    if (suspect === undefined) break;
    hung.push(suspect);
  }
  return "crashed";
}

function isBrowserBroken({ navigation }: Evidence): boolean {
  return navigation.status === "failed" && navigation.because === "crashed";
}

function reasonOf(ended: TaskEnd<unknown>): string | null {
  return ended.end === "died" ? ended.because : null;
}
