/** Gathers scans on the pool of this process, and names what dispatcher and fleet share. */
import type { Clock } from "../base/clock.ts";
import { type Log, type LogFields, logWith, messageOf } from "../base/log.ts";
import type { Browsers } from "../browser/browser.ts";
import { blockedPorts } from "../egress/address-policy.ts";
import type { TargetCredentials } from "../egress/credentials.ts";
import type { EgressSettings } from "../egress/settings.ts";
import { headerValueCharsMax as headerValueCharsDefault } from "../evidence/limits.ts";
import type { LocationDirectory, ProgressStage, ScanErrorCode } from "../evidence/scan.ts";
import type { ScriptAdvisories } from "../parse/script-libraries.ts";
import type { PreloadList } from "../probe/browser/page-preload.ts";
import { openPool, type TaskEnd, type TaskWatch, type WorkerPool } from "./pool.ts";
import {
  type BrowserUnavailable,
  type Gathered,
  type GatherTask,
  type ScanDeadlines,
  type Visited,
  type VisitTask,
  visitDeadlines,
  type WorkerMessage,
  type WorkerTasks,
  withCrashedPage,
} from "./task.ts";

/** What a gatherer needs to know of a scan that is stored. */
export interface StoredJob {
  readonly token: string;
  /** Number of the attempt, from 1; a result of an earlier one is dropped. */
  readonly attempt: number;
  readonly location: string;
  /** An earlier process of this server handed it out: its result may be waiting. */
  readonly adopted: boolean;
  /** Id of the request that started the scan. */
  readonly requestId?: string | undefined;
  /** Part of a proof: the token is of the job alone, nothing is stored under it, and no later process waits for its result. */
  readonly ofProof?: true;
}

/** Fields of every log line about the scan. */
export function scanFields(url: string, stored: Omit<StoredJob, "adopted"> | null): LogFields {
  if (stored === null) return { url };
  const { token, location, attempt, requestId } = stored;
  return { token, url, location, attempt, ...(requestId === undefined ? {} : { requestId }) };
}

export interface GatherJob {
  readonly url: string;
  /** Stored scan; null on the command line, which stores nothing. */
  readonly stored: StoredJob | null;
}

/** Reason of an abort. `stopping`: the server ends, and its next start goes on with the scan. `cancelled`: by an administrator. */
export type ScanEnding = "stopping" | "cancelled";

export function isCancelled(signal: AbortSignal | undefined): boolean {
  return signal?.reason === ("cancelled" satisfies ScanEnding);
}

export interface GatherWatch {
  readonly onStage: (stage: ProgressStage) => void;
  /**
   * Aborted with a `ScanEnding`; a local scan then ends as `interrupted`. A worker elsewhere goes on while the server stops: the next
   * process gets its result. It ends a scan that is cancelled.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface GatherEnd<V = Gathered> {
  readonly gathered: V | ScanErrorCode;
  /** Id of the worker elsewhere that had the scan last; null while none was heard of. */
  readonly worker?: string | null;
  /** Must be called once the outcome is stored: until then a worker's result can be had again. Never rejects. */
  readonly release: () => Promise<void>;
}

export interface Gatherer {
  /** Never rejects. */
  gather(job: GatherJob, watch: GatherWatch): Promise<GatherEnd>;
}

/** Locations of a server without a fleet. Scans of a location may wait since it had one. `since`: start of the server. */
export function noRemoteLocations(since: Date): LocationDirectory {
  return { names: () => [], capacity: () => 0, absentSince: () => since, provers: () => ({ present: 0, unable: [] }) };
}

/** Locations other than the server's own. */
export interface RemoteLocations extends Gatherer, LocationDirectory {
  /**
   * Visits a page for a proof. Ends with `worker-too-old` before a worker that cannot visit pages could get the job, and with
   * `headers-too-long` if the job would exceed its limit. Never rejects.
   */
  visit(job: VisitJob, stored: StoredJob, watch: GatherWatch): Promise<GatherEnd<Visited>>;
  /** Calls the listener after a capacity has risen. */
  onCapacity(listener: () => void): void;
}

export interface LocalGathererOptions {
  readonly egress: EgressSettings;
  readonly caPems: readonly string[];
  /** Null or absent for the advisories of the program. */
  readonly scriptAdvisories?: ScriptAdvisories | null;
  readonly deadlines: ScanDeadlines;
  /** Scan slots: each has a thread and a browser of its own, started when it is first needed. */
  readonly concurrency: number;
  /** The embedded one by default. */
  readonly preloadList?: PreloadList | null;
  /** Browsers of this gatherer alone. */
  readonly browsers: Pick<Browsers, "prepare" | "watch" | "record">;
  /** Entry of the threads: a file of `src/app`, or its place in the compiled binary. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly screenshots?: boolean;
  /** TargetCredentials for pages behind a sign-in; null for a URL without. */
  readonly credentialsFor?: (url: string) => TargetCredentials | null;
  /** Characters kept of a header value. */
  readonly headerValueCharsMax?: number;
  /** Delay after the deadline before a worker's thread is ended, in milliseconds. */
  readonly graceMs?: number;
}

/** Terms of one scan that differ between this process and a head elsewhere. */
export interface ScanTerms extends Pick<GatherTask, "screenshot" | "headerValueCharsMax" | "deadlines"> {
  /** ISO 8601, UTC; null for the start of each attempt. */
  readonly scannedAt: string | null;
}

/** Visit of a page, which is never stored as a scan. */
export type VisitJob = Pick<VisitTask, "url" | "overrides" | "screenshot">;

export interface LocalGatherer extends Gatherer {
  /** Visits a page for a proof. */
  visit(job: VisitJob, watch: GatherWatch): Promise<Visited | ScanErrorCode>;
  /** Visits on the terms of a head elsewhere, for one job of a proof. */
  visitOn(terms: ScanTerms, job: VisitJob, stored: StoredJob, watch: GatherWatch): Promise<Visited | ScanErrorCode>;
  /** Gathers on the terms of a head elsewhere. */
  gatherOn(terms: ScanTerms, job: GatherJob, watch: GatherWatch): Promise<Gathered | ScanErrorCode>;
  /** Starts the browser of an idle slot, so that the next scan need not wait for it. Never rejects: `browsers` knows the outcome. */
  startBrowser(): Promise<void>;
  close(): Promise<void>;
}

/** One retry after a broken worker or browser, which is not the site's fault. */
const gatherAttemptsMax = 2;
/** Time after the scan's own deadline, at which a worker should stop by itself. */
const defaultGraceMs = 5_000;

const errorCodeOf = { late: "timeout", cancelled: "interrupted", died: "crashed" } as const;
const release = () => Promise.resolve();

export function openLocalGatherer(options: LocalGathererOptions): LocalGatherer {
  const gatherPool = createGatherPool(options);
  const runTask = createTaskRunner(gatherPool.open, options);
  const { screenshots: screenshot = false, headerValueCharsMax = headerValueCharsDefault, deadlines } = options;
  const gatherOn: LocalGatherer["gatherOn"] = async (terms, job, watch) => {
    const gathered = await runTask("gather", { url: job.url, ...terms }, job.stored, watch);
    return typeof gathered === "object" && gathered.browserBroke ? withCrashedPage(gathered) : gathered;
  };

  return {
    gatherOn,
    gather: async (job, watch) => {
      const terms = { scannedAt: null, screenshot, headerValueCharsMax, deadlines };
      return { gathered: await gatherOn(terms, job, watch), release };
    },
    visit: (job, watch) => {
      return runTask("visit", { ...job, scannedAt: null, headerValueCharsMax, deadlines: visitDeadlines(deadlines) }, null, watch);
    },
    visitOn: (terms, job, stored, watch) => runTask("visit", { ...terms, ...job }, stored, watch),
    startBrowser: async () => {
      // A browser that cannot be prepared is reported by `browsers`.
      const pool = await gatherPool.open().catch(() => null);
      const onMessage = onWorkerMessage(options, () => {});
      await pool?.run("startBrowser", null, { deadlineMs: 0, onMessage });
    },
    close: gatherPool.close,
  };
}

/** Opened with the first scan: its threads need the unpacked browser. */
function createGatherPool({ browsers, workerFile, concurrency, preloadList = null, clock, log }: LocalGathererOptions) {
  let opening: Promise<WorkerPool> | null = null;

  async function openNow(): Promise<WorkerPool> {
    const workerData = { blockedPorts: blockedPorts(), preloadList, browser: await browsers.prepare() };
    const onIdleFault = (fault: string) => log.error("idle worker broke", { fault });
    const pool = openPool({ workerFile, threads: concurrency, workerData, onIdleFault, clock });
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

function onWorkerMessage({ browsers, log }: LocalGathererOptions, onStage: GatherWatch["onStage"]): (message: WorkerMessage) => void {
  return (message) => {
    if (message.type === "stage") onStage(message.stage);
    if (message.type === "browser") browsers.record(message.event);
    if (message.type !== "trace") return;
    const { event, ...fields } = message.trace;
    log.debug(event, fields);
  };
}

type SlotTask = "gather" | "visit";
type TaskTerms<N extends SlotTask> = ScanTerms & Pick<GatherTask, "url"> & (N extends "visit" ? VisitJob : unknown);

/** Runs a task in a worker, and once more after a broken worker or browser. The last attempt counts. */
function createTaskRunner(openGatherPool: () => Promise<WorkerPool>, options: LocalGathererOptions) {
  const { egress, caPems, scriptAdvisories = null, graceMs = defaultGraceMs, credentialsFor = () => null } = options;

  async function runOnce<N extends SlotTask>(
    name: N,
    task: WorkerTasks[N]["task"],
    { onMessage, signal, log }: Pick<TaskWatch, "onMessage" | "signal"> & Pick<LocalGathererOptions, "log">,
  ): Promise<TaskEnd<WorkerTasks[N]["value"]>> {
    let pool: WorkerPool;
    try {
      pool = await openGatherPool();
    } catch (error) {
      return { end: "done", value: { browserUnavailable: messageOf(error) } };
    }
    const ended = await pool.run(name, task, { deadlineMs: task.deadlines.scanMs + graceMs, onMessage, signal });
    if (ended.end === "died" || ended.end === "late")
      log.error("worker lost while gathering", { end: ended.end, because: ended.end === "died" ? ended.because : null });
    return ended;
  }

  return async <N extends SlotTask>(
    name: N,
    terms: TaskTerms<N>,
    stored: StoredJob | null,
    { onStage, signal }: GatherWatch,
  ): Promise<Exclude<WorkerTasks[N]["value"], BrowserUnavailable> | ScanErrorCode> => {
    const log = logWith(options.log, scanFields(terms.url, stored));
    const watch = { onMessage: onWorkerMessage({ ...options, log }, onStage), signal, log };
    const ofSettings = { egress, caPems, scriptAdvisories, credentials: credentialsFor(terms.url) };
    let last: TaskEnd<WorkerTasks[N]["value"]> = { end: "cancelled" };
    for (let attempt = 1; attempt <= gatherAttemptsMax; attempt++) {
      const scannedAt = terms.scannedAt ?? options.clock.now().toISOString();
      last = await runOnce(name, { ...terms, scannedAt, ...ofSettings, freshBrowser: attempt > 1 } as WorkerTasks[N]["task"], watch);
      // A browser may also be ended while it starts.
      const broke = last.end === "done" && ("browserUnavailable" in last.value || last.value.browserBroke);
      if (broke) log.warn("browser broke while gathering", { gathering: attempt });
      if (!broke && last.end !== "died") break;
    }
    if (last.end !== "done") return errorCodeOf[last.end];
    const { value } = last;
    if ("browserUnavailable" in value) {
      log.error("browser not available", { because: value.browserUnavailable });
      return "browser-unavailable";
    }
    for (const refusal of value.refusals) log.warn("egress refused", { refusal });
    return value as Exclude<WorkerTasks[N]["value"], BrowserUnavailable>;
  };
}
