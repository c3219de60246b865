/** Runs one scan from URL to outcome: gathers evidence here or elsewhere, and judges it here. Used by queue and command line. */
import { randomId } from "../base/clock.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { LinesScore, StoredResult } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import {
  type GatherEnd,
  type GatherJob,
  type GatherWatch,
  type LocalGatherer,
  type LocalGathererOptions,
  openLocalGatherer,
  type RemoteLocations,
  type StoredJob,
  scanFields,
  type VisitJob,
} from "./gatherer.ts";
import { type Judge, type JudgedCatalog, type Judging, openJudging } from "./judging.ts";
import { type AskedLines, linesToJudge } from "./predict.ts";
import type { ScanOutcome, Visited } from "./task.ts";
import { type GiveWay, inTurns, type ProofPlace, type VisitWatch } from "./visit-turns.ts";

export interface ScannerOptions extends Omit<LocalGathererOptions, "workerFile"> {
  /** Catalog of the first scans. */
  readonly catalog: JudgedCatalog;
  /** Entries of the worker threads: files of `src/app`, or their places in the compiled binary. */
  readonly workerFiles: { readonly gather: string; readonly judge: string };
  /** Called with the key of a check that threw or returned no verdict. */
  readonly onCheckFault?: (check: string) => void;
  /** Gathers the scans of other locations; null without any. */
  readonly remote?: Pick<RemoteLocations, "gather" | "visit"> | null;
}

type OnProgress = GatherWatch["onStage"];

/** The outcome of a scan, and what is to be called once it is stored. */
export interface ScanEnd {
  readonly outcome: ScanOutcome;
  /** See `GatherEnd`, here and below. */
  readonly worker?: string | null;
  readonly release: () => Promise<void>;
}

/** What a proof needs of the scanner. No function rejects. */
export interface ProvingParts {
  readonly scan: (url: string, signal: AbortSignal) => Promise<ScanOutcome>;
  readonly visit: (job: VisitJob, signal: AbortSignal, giveWay: GiveWay) => Promise<Visited | ScanErrorCode>;
  readonly judge: (evidence: Evidence, signal: AbortSignal) => Promise<StoredResult | ScanErrorCode>;
}

export type Scanner = ReturnType<typeof openScanner>;

export function openScanner(options: ScannerOptions) {
  const { concurrency, catalog, workerFiles, deadlines, clock, log, onCheckFault } = options;
  const judging = openJudging(
    {
      workerFile: workerFiles.judge,
      threads: concurrency,
      deadlineMs: deadlines.judgeMs,
      onIdleFault: (fault) => log.error("idle worker broke", { fault }),
      onCheckFault: (check, fault, fields) => {
        log.error("check failed", { check, fault, ...fields });
        onCheckFault?.(check);
      },
      ...{ clock, log },
    },
    catalog,
  );
  return createScanner(options, { judging, local: openLocalGatherer({ ...options, workerFile: workerFiles.gather }) });
}

/** Threads of this process that gather and judge. */
interface ScannerParts {
  readonly judging: Judging;
  readonly local: Pick<LocalGatherer, "gather" | "visit" | "startBrowser" | "close">;
}

/** A scanner over parts that are open, which its `close` closes. */
export function createScanner(options: Pick<ScannerOptions, "clock" | "remote">, { judging, local }: ScannerParts) {
  const { clock } = options;
  const { elsewhere, visitAt } = jobsOfProofs(options, local.visit);
  const visit = inTurns(visitAt, clock);
  const judged = judgedBy(clock);

  /** The first scan of a proof. */
  async function scanForProof(judge: Judge, url: string, watch: GatherWatch, at: ProofPlace | null): Promise<ScanOutcome> {
    if (at === null) return (await scanHere(judge, { url, stored: null }, watch)).outcome;
    const job = { url, stored: partOfProof(at, clock) };
    const end = await elsewhere(at).gather(job, watch);
    // It is in memory: the next process begins the proof again.
    await end.release();
    return (await judged(judge, job, watch, end)).outcome;
  }

  const scanHere = async (judge: Judge, job: GatherJob, watch: GatherWatch) => judged(judge, job, watch, await local.gather(job, watch));

  function scan(job: GatherJob, watch: GatherWatch): Promise<ScanEnd> {
    const { stored } = job;
    if (stored === null || stored.location === localLocation) return judging.withCurrent((judge) => scanHere(judge, job, watch));
    // A scan may wait for a worker for hours, and its catalog would keep threads meanwhile.
    return elsewhere(stored)
      .gather(job, watch)
      .then((end) => judging.withCurrent((judge) => judged(judge, job, watch, end)));
  }

  return {
    /** Score of chosen lines, by the judge of scans. Null also while it is busy. */
    scoreOfLines: createLinesScorer(judging),
    /** Never rejects. The URL must be valid. An abort ends the scan at once, as `interrupted`. */
    scanUrl: async (url: string, onStage: OnProgress, signal?: AbortSignal): Promise<ScanOutcome> =>
      (await scan({ url, stored: null }, { onStage, signal })).outcome,
    /** Visits a page for a proof, when it is the turn of its host. Never rejects. */
    visitUrl: (job: VisitJob, onStage: OnProgress, signal?: AbortSignal) => visit(job, { onStage, signal }),
    /** Scans, visits and judges with one catalog, also if another takes its place meanwhile. `at`: null for this process. */
    withCatalog: <T>(use: (parts: ProvingParts) => Promise<T>, at: ProofPlace | null = null): Promise<T> =>
      judging.withCurrent((judge) => use(provingWith(judge, (url, watch) => scanForProof(judge, url, watch, at), visit, at))),
    /** Runs a scan of the store at its location. */
    scanStored: (url: string, stored: StoredJob, onStage: OnProgress, signal?: AbortSignal): Promise<ScanEnd> =>
      scan({ url, stored }, { onStage, signal }),
    /** Scans that start from now on are judged with this catalog; running ones end with the one they began with. */
    useCatalog: judging.replace,
    startBrowser: local.startBrowser,
    close: async (): Promise<void> => {
      await Promise.all([local.close(), judging.close()]);
    },
  };
}

/** The function that judges what was gathered. */
function judgedBy(clock: ScannerOptions["clock"]) {
  return async (
    judge: Judge,
    { url, stored }: GatherJob,
    { onStage, signal }: GatherWatch,
    { gathered, worker = null, release }: GatherEnd,
  ): Promise<ScanEnd> => {
    const ended = (outcome: ScanOutcome): ScanEnd => ({ outcome, worker, release });
    if (typeof gathered === "string") return ended({ status: "failed", code: gathered, evidence: null, timings: {} });
    const { evidence, screenshot, timings, unreachable } = gathered;
    if (unreachable !== null) return ended({ status: "failed", code: unreachable, evidence, timings });
    onStage("analysing");
    const judgeStartMs = clock.monotonicMs();
    const result = await judge({ fields: scanFields(url, stored), evidence, signal });
    const allTimings = { ...timings, judge: Math.round(clock.monotonicMs() - judgeStartMs) };
    if (typeof result === "string") return ended({ status: "failed", code: result, evidence, timings: allTimings });
    onStage("storing");
    return ended({ status: "finished", result, evidence, screenshot, timings: allTimings });
  };
}

/** Locations of workers elsewhere, and visits here and there. */
function jobsOfProofs({ remote = null, clock }: Pick<ScannerOptions, "clock" | "remote">, visitHere: LocalGatherer["visit"]) {
  function elsewhere({ location }: Pick<StoredJob, "location">) {
    if (remote === null) throw new Error(`a job was claimed for location ${location} without a fleet`);
    return remote;
  }

  return {
    elsewhere,
    visitAt: async (job: VisitJob, watch: VisitWatch): Promise<Visited | ScanErrorCode> => {
      const { at = null } = watch;
      if (at === null) return visitHere(job, watch);
      const { gathered, release } = await elsewhere(at).visit(job, partOfProof(at, clock), watch);
      await release();
      return gathered;
    },
  };
}

/** Each job of a proof has a token of its own: no result of an earlier process or visit can be taken for it. */
function partOfProof(at: ProofPlace, clock: ScannerOptions["clock"]): StoredJob {
  return { ...at, token: randomId(clock), attempt: 1, adopted: false, ofProof: true };
}

function provingWith(
  judge: Judge,
  scan: (url: string, watch: GatherWatch) => Promise<ScanOutcome>,
  visit: ReturnType<typeof inTurns>,
  at: ProofPlace | null,
): ProvingParts {
  const onStage = () => {};
  return {
    scan: (url, signal) => scan(url, { onStage, signal }),
    visit: (job, signal, giveWay) => visit(job, { onStage, signal, giveWay, at }),
    judge: (evidence, signal) => judge({ fields: scanFields(evidence.subject.url, null), evidence, signal }),
  };
}

/** Judgements of lines at a time: readers must not hold up scans. */
const linesAskedMax = 2;

function createLinesScorer({ withCurrent }: Pick<Judging, "withCurrent">) {
  let running = 0;
  return async (asked: AskedLines): Promise<LinesScore | null> => {
    const lines = running < linesAskedMax ? linesToJudge(asked) : null;
    if (lines === null) return null;
    running += 1;
    try {
      const fields = scanFields(asked.evidence.subject.url, null);
      const judgement = await withCurrent((judge) => judge({ fields, evidence: lines.evidence }));
      return typeof judgement === "string" ? null : lines.scoreOf(judgement);
    } finally {
      running -= 1;
    }
  };
}
