/** One scan from URL to outcome, surviving dead workers, hung checks and a lost browser; the queue and the command line both use it. */

import { type Log, messageOf } from "../base/log.ts";
import type { BrowserHost } from "../browser/browser.ts";
import { blockedPorts, blockPort, unblockPort } from "../egress/blocked-ports.ts";
import type { EgressSettings } from "../egress/settings.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ProgressStage, ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { openPool, type TaskEnd } from "./pool.ts";
import type { Gathered, GatherTask, ScanDeadlines, ScanOutcome } from "./task.ts";

export interface ScannerOptions {
  readonly egress: EgressSettings;
  /** Certificates (PEM) trusted besides the bundled roots. */
  readonly caPems: readonly string[];
  readonly deadlines: ScanDeadlines;
  /** Scans at the same time. */
  readonly concurrency: number;
  readonly checksDir: string | null;
  readonly browser: Pick<BrowserHost, "endpoint" | "retire">;
  /** `worker.ts` of this folder, or where the compiled binary keeps it. */
  readonly workerFile: string;
  readonly log: Log;
  /** Whether scans bring a picture of the page along; left out, they do not. */
  readonly screenshots?: boolean;
  /** How long after its deadline a worker's thread is ended, in milliseconds. */
  readonly graceMs?: number;
}

export interface Scanner {
  /** Never rejects. The URL is taken as valid. An abort gives the scan up at once, as `interrupted`. */
  scanUrl(url: string, onProgress: (stage: ProgressStage) => void, signal?: AbortSignal): Promise<ScanOutcome>;
  close(): Promise<void>;
}

/** Gathering again after a worker or the browser broke: their fault, not the site's. */
const gatherAttemptsMax = 2;
/** Checks that may hang in one scan before it is given up; each costs its deadline. */
const hungMax = 5;
/** Beyond the scan's own deadline, by which a worker stops of its own accord. */
const defaultGraceMs = 5_000;

export function openScanner(options: ScannerOptions): Scanner {
  const { egress, caPems, deadlines, concurrency, checksDir, browser, workerFile, log } = options;
  const { screenshots = false, graceMs = defaultGraceMs } = options;
  const pool = openPool({
    workerFile,
    threads: concurrency,
    workerData: { checksDir, blockedPorts: blockedPorts() },
    onIdleFault: (fault) => log.error("idle worker broke", { fault }),
  });

  /** Shut until the scanner closes: an outgrown browser goes on for the scans that it has, and they may not reach the next one either. */
  const controlPorts = new Set<number>();

  async function taskOf(url: string): Promise<GatherTask> {
    const browserEndpoint = await browser.endpoint();
    const controlPort = Number(new URL(browserEndpoint).port);
    blockPort(controlPort);
    controlPorts.add(controlPort);
    return { url, scannedAt: new Date().toISOString(), egress, browserEndpoint, caPems, screenshot: screenshots, deadlines };
  }

  async function gatherOnce(url: string, onProgress: (stage: ProgressStage) => void, signal?: AbortSignal): Promise<TaskEnd<Gathered>> {
    const ended = await pool.run("gather", await taskOf(url), {
      deadlineMs: deadlines.scanMs + graceMs,
      onSays: (said) => said.says === "stage" && onProgress(said.stage),
      signal,
    });
    if (ended.end === "died" || ended.end === "late")
      log.error("worker lost while gathering", { url, end: ended.end, because: reasonOf(ended) });
    // A worker that misses even its own deadline waits for a browser that no longer answers.
    if (ended.end === "late") await browser.retire();
    return ended;
  }

  async function gather(url: string, onProgress: (stage: ProgressStage) => void, signal?: AbortSignal): Promise<Gathered | ScanErrorCode> {
    let last: TaskEnd<Gathered> = { end: "cancelled" };
    for (let attempt = 1; attempt <= gatherAttemptsMax; attempt++) {
      try {
        last = await gatherOnce(url, onProgress, signal);
      } catch (error) {
        log.error("no browser", { url, because: messageOf(error) });
        return "browser-unavailable";
      }
      const broke = last.end === "died" || (last.end === "done" && browserBroke(last.value.evidence));
      if (!broke) break;
    }
    switch (last.end) {
      case "done":
        return last.value;
      case "late":
        return "timeout";
      case "cancelled":
        return "interrupted";
      case "died":
        return "crashed";
    }
  }

  /** A check that never answers, or takes its thread down, is known by being the last one asked; it is left out and the rest judged again. */
  async function judge(url: string, evidence: Evidence, signal?: AbortSignal): Promise<StoredResult | ScanErrorCode> {
    const hung: string[] = [];
    while (hung.length < hungMax) {
      const asked: string[] = [];
      const ended = await pool.run(
        "judge",
        { evidence, hung },
        { deadlineMs: deadlines.judgeMs, onSays: (said) => said.says === "judging" && asked.push(said.key), signal },
      );
      if (ended.end === "cancelled") return "interrupted";
      if (ended.end === "done") {
        for (const { key, fault } of ended.value.faults) log.error("check failed", { check: key, fault, url });
        return ended.value.result;
      }
      const suspect = asked.at(-1);
      log.error("worker lost while judging", { url, check: suspect ?? null, end: ended.end, because: reasonOf(ended) });
      if (suspect === undefined) break;
      hung.push(suspect);
    }
    return "crashed";
  }

  return {
    scanUrl: async (url, onProgress, signal) => {
      const gathered = await gather(url, onProgress, signal);
      if (typeof gathered === "string") return { status: "failed", code: gathered, evidence: null, timings: {} };
      const { evidence, screenshot, timings, unreachable, refusals } = gathered;
      for (const refusal of refusals) log.warn("egress refused", { url, refusal });
      if (unreachable !== null) return { status: "failed", code: unreachable, evidence, timings };
      onProgress("analysing");
      const judgedFrom = performance.now();
      const result = await judge(url, evidence, signal);
      const allTimings = { ...timings, judge: Math.round(performance.now() - judgedFrom) };
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

function browserBroke({ navigation }: Evidence): boolean {
  return navigation.status === "failed" && navigation.because === "crashed";
}

function reasonOf(ended: TaskEnd<unknown>): string | null {
  return ended.end === "died" ? ended.because : null;
}
