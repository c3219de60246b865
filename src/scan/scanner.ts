/** Runs one scan from URL to outcome and survives dead workers, hung checks and a lost browser. Used by queue and command line. */
import { type Log, messageOf } from "../base/log.ts";
import type { Browsers } from "../browser/browser.ts";
import { blockedPorts } from "../egress/blocked-ports.ts";
import type { TargetCredentials } from "../egress/credentials.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { headerValueCharsMax as headerValueCharsDefault } from "../evidence/limits.ts";
import type { ProgressStage, ScanErrorCode } from "../evidence/scan.ts";
import type { ScriptAdvisories } from "../parse/script-advisories.ts";
import type { PreloadList } from "../probe/browser/preload-list.ts";
import { withCrashedPage } from "./crashed-page.ts";
import { type JudgedCatalog, openJudging } from "./judging.ts";
import { openPool, type TaskEnd, type TaskWatch, type WorkerPool } from "./pool.ts";
import type { BrowserUnavailable, Gathered, GatherTask, ScanDeadlines, ScanOutcome, WorkerMessage } from "./task.ts";

export interface ScannerOptions {
  readonly egress: EgressSettings;
  readonly caPems: readonly string[];
  /** Null or absent for the advisories of the program. */
  readonly scriptAdvisories?: ScriptAdvisories | null;
  readonly deadlines: ScanDeadlines;
  /** Scan slots: each has a thread and a browser of its own, started when it is first needed. */
  readonly concurrency: number;
  /** For the first scans. */
  readonly catalog: JudgedCatalog;
  /** The embedded one by default. */
  readonly preloadList?: PreloadList | null;
  /** Of this scanner alone. */
  readonly browsers: Pick<Browsers, "prepare" | "watch" | "record">;
  /** Entries of the worker threads: files of `src/app`, or their places in the compiled binary. */
  readonly workerFiles: { readonly gather: string; readonly judge: string };
  readonly log: Log;
  readonly screenshots?: boolean;
  /** TargetCredentials for pages behind a sign-in; null for a URL without. */
  readonly credentialsFor?: (url: string) => TargetCredentials | null;
  /** Characters kept of a header value. */
  readonly headerValueCharsMax?: number;
  /** Delay after the deadline before a worker's thread is ended, in milliseconds. */
  readonly graceMs?: number;
}

type OnProgress = (stage: ProgressStage) => void;

export interface Scanner {
  /** Never rejects. The URL must be valid. An abort ends the scan at once, as `interrupted`. `token` names a stored scan in the log. */
  scanUrl(url: string, onProgress: OnProgress, signal?: AbortSignal, token?: string): Promise<ScanOutcome>;
  /** Starts the browser of an idle slot, so that the next scan need not wait for it. Never rejects: `browsers` knows the outcome. */
  startBrowser(): Promise<void>;
  /** Scans that start from now on are judged with this catalog; running ones end with the one they began with. */
  useCatalog(catalog: JudgedCatalog): void;
  close(): Promise<void>;
}

/** One retry after a broken worker or browser, which is not the site's fault. */
const gatherAttemptsMax = 2;
/** After the scan's own deadline, at which a worker should stop by itself. */
const defaultGraceMs = 5_000;

export function openScanner(options: ScannerOptions): Scanner {
  const { concurrency, catalog, workerFiles, deadlines, log } = options;
  const onIdleFault = (fault: string) => log.error("idle worker broke", { fault });
  const judging = openJudging(
    {
      workerFile: workerFiles.judge,
      threads: concurrency,
      deadlineMs: deadlines.judgeMs,
      onIdleFault,
      onCheckFault: (check, fault, url) => log.error("check failed", { check, fault, url }),
      log,
    },
    catalog,
  );
  const gatherPool = createGatherPool(options, onIdleFault);
  const gather = createGather(gatherPool.open, options);
  return {
    scanUrl: async (url, onProgress, signal, token) => {
      const scan = token === undefined ? { url } : { token, url };
      return judging.withCurrent(async (judge) => {
        const gathered = await gather(url, onWorkerMessage(options, scan, onProgress), signal);
        if (typeof gathered === "string") return { status: "failed", code: gathered, evidence: null, timings: {} };
        const { evidence, screenshot, timings, unreachable, refusals } = gathered;
        for (const refusal of refusals) log.warn("egress refused", { ...scan, refusal });
        if (unreachable !== null) return { status: "failed", code: unreachable, evidence, timings };
        onProgress("analysing");
        const judgeStartMs = performance.now();
        const result = await judge({ url, evidence, signal });
        const allTimings = { ...timings, judge: Math.round(performance.now() - judgeStartMs) };
        if (typeof result === "string") return { status: "failed", code: result, evidence, timings: allTimings };
        onProgress("storing");
        return { status: "finished", result, evidence, screenshot, timings: allTimings };
      });
    },
    useCatalog: judging.replace,
    startBrowser: async () => {
      // A browser that cannot be prepared is reported by `browsers`.
      const pool = await gatherPool.open().catch(() => null);
      const onMessage = onWorkerMessage(options, {}, () => {});
      await pool?.run("startBrowser", null, { deadlineMs: 0, onMessage });
    },
    close: async () => {
      await Promise.all([gatherPool.close(), judging.close()]);
    },
  };
}

/** Opened with the first scan: its threads need the unpacked browser. */
function createGatherPool(
  { browsers, workerFiles, concurrency, preloadList = null }: ScannerOptions,
  onIdleFault: (fault: string) => void,
) {
  let opening: Promise<WorkerPool> | null = null;

  async function openNow(): Promise<WorkerPool> {
    const workerData = { blockedPorts: blockedPorts(), preloadList, browser: await browsers.prepare() };
    const pool = openPool({ workerFile: workerFiles.gather, threads: concurrency, workerData, onIdleFault });
    browsers.watch(pool.threadIds);
    return pool;
  }

  return {
    /** @throws BrowserError; a later call tries again. */
    open: (): Promise<WorkerPool> => {
      opening ??= openNow().catch((error) => {
        opening = null;
        throw error;
      });
      return opening;
    },
    close: async (): Promise<void> => {
      const pool = await opening?.catch(() => null);
      await pool?.close();
    },
  };
}

function onWorkerMessage(
  { browsers, log }: ScannerOptions,
  scan: Readonly<Record<string, string>>,
  onProgress: OnProgress,
): (message: WorkerMessage) => void {
  return (message) => {
    if (message.type === "stage") onProgress(message.stage);
    if (message.type === "browser") browsers.record(message.event);
    if (message.type !== "trace") return;
    const { event, ...fields } = message.trace;
    log.debug(event, { ...scan, ...fields });
  };
}

const errorCodeOf = { late: "timeout", cancelled: "interrupted", died: "crashed" } as const;

/** Gathers evidence in a worker, and once more after a broken worker or browser. */
function createGather(openGatherPool: () => Promise<WorkerPool>, options: ScannerOptions) {
  const { egress, caPems, scriptAdvisories = null, deadlines, log, graceMs = defaultGraceMs } = options;
  const { screenshots: screenshot = false, headerValueCharsMax = headerValueCharsDefault, credentialsFor = () => null } = options;

  async function gatherOnce(
    url: string,
    freshBrowser: boolean,
    onMessage: TaskWatch["onMessage"],
    signal?: AbortSignal,
  ): Promise<TaskEnd<Gathered | BrowserUnavailable>> {
    const scannedAt = new Date().toISOString();
    const ofSettings = { egress, caPems, scriptAdvisories, screenshot, headerValueCharsMax, deadlines };
    const task: GatherTask = { url, scannedAt, freshBrowser, credentials: credentialsFor(url), ...ofSettings };
    let pool: WorkerPool;
    try {
      pool = await openGatherPool();
    } catch (error) {
      return { end: "done", value: { browserUnavailable: messageOf(error) } };
    }
    const ended = await pool.run("gather", task, { deadlineMs: deadlines.scanMs + graceMs, onMessage, signal });
    if (ended.end === "died" || ended.end === "late")
      log.error("worker lost while gathering", { url, end: ended.end, because: reasonOf(ended) });
    return ended;
  }

  /** The last attempt counts. A page that broke the browser each time was not read; the other readings hold. */
  return async (url: string, onMessage: TaskWatch["onMessage"], signal?: AbortSignal): Promise<Gathered | ScanErrorCode> => {
    let last: TaskEnd<Gathered | BrowserUnavailable> = { end: "cancelled" };
    for (let attempt = 1; attempt <= gatherAttemptsMax; attempt++) {
      last = await gatherOnce(url, attempt > 1, onMessage, signal);
      // A browser may also be ended while it starts.
      const broke = last.end === "done" && ("browserUnavailable" in last.value || last.value.browserBroke);
      if (broke) log.warn("browser broke while gathering", { url, attempt });
      if (!broke && last.end !== "died") break;
    }
    if (last.end !== "done") return errorCodeOf[last.end];
    if ("browserUnavailable" in last.value) {
      log.error("browser not available", { url, because: last.value.browserUnavailable });
      return "browser-unavailable";
    }
    return last.value.browserBroke ? withCrashedPage(last.value) : last.value;
  };
}

function reasonOf(ended: TaskEnd<unknown>): string | null {
  return ended.end === "died" ? ended.because : null;
}
