/** Dispatcher: claims queued scans and proofs, runs a bounded number of them at each location, and stores the outcomes. */
import { type Clock, pause, within } from "../base/clock.ts";
import { type Log, type LogFields, logWith, messageOf } from "../base/log.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { ProofBody, ProofPictures, ProofStep } from "../evidence/proof.ts";
import type { Cancellation, ProgressStage, ScanErrorCode } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { ProofRecord } from "../store/proofs.ts";
import { isBackgroundLane, isNetworkBusy } from "../store/queue.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import { isProof, type Job, type ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { isCancelled, noRemoteLocations, type RemoteLocations, type ScanEnding, scanFields } from "./gatherer.ts";
import { type Slot, type SlotUse, waysOf } from "./giving-way.ts";
import { createProgressWriter, type ProgressHub, type ScanObserver } from "./progress.ts";
import type { Scanner } from "./scanner.ts";
import type { ScanOutcome } from "./task.ts";
import type { GiveWay, TakeFree } from "./visit-turns.ts";

/** Wait before a retry after a failed write, as on a full disk. */
const storeRetryMs = 2_000;
/** Longest wait for the outcome of a cancelled scan. */
const cancelMsMax = 5_000;
/** Interval of the search for scans that have waited too long for a worker. */
const sweepEveryMs = 60_000;

/** Replaces an outcome that cannot be stored; contains nothing that could fail again. */
const storageFailure = failureOf("crashed");

function failureOf(code: ScanErrorCode): Extract<ScanOutcome, { readonly status: "failed" }> {
  return { status: "failed", code, evidence: null, timings: {} };
}

interface FinishedProof {
  readonly body: ProofBody;
  readonly pictures: ProofPictures;
}

interface ProofWatch {
  readonly onStep: (step: ProofStep) => void;
  /** An abort ends the proof at once, as `interrupted`. */
  readonly signal: AbortSignal;
  /** Runs waiting scans of people in the slot of the proof; the runner calls it before each visit. */
  readonly giveWay: GiveWay;
  /** For a further visit at the same time. */
  readonly takeFree: TakeFree;
}

/** Runs a proof, in a layer above. Never rejects. */
export type RunProof = (
  proof: Pick<ProofRecord, "token" | "url" | "urls" | "plan" | "location" | "requestId">,
  watch: ProofWatch,
) => Promise<FinishedProof | ScanErrorCode>;

/** Called before the scan runs. The result never rejects, and changes nothing of the scan, which has ended for all others. */
export type AfterScan = (scan: ScanRecord) => ((evidence: Evidence, signal: AbortSignal) => Promise<void>) | null;

type JobOutcome = ScanOutcome | (FinishedProof & { readonly status: "proven" });

export interface DispatcherOptions {
  readonly store: {
    readonly scans: Pick<
      Store["scans"],
      | "cancelQueued"
      | "claimNext"
      | "fail"
      | "failWaiting"
      | "findJob"
      | "finish"
      | "finishProof"
      | "lanesOf"
      | "listRunning"
      | "requeueInterrupted"
      | "setProgress"
    >;
    readonly proofs: Pick<Store["proofs"], "setStep">;
    readonly workers: Pick<Store["workers"], "list">;
  };
  readonly scanner: Pick<Scanner, "scanStored">;
  readonly prove: RunProof;
  /** What is to be done in the slot of a scan once it is stored; null for nothing. Absent without watched sites. */
  readonly afterScan?: AfterScan;
  /** Scans at a time in this process. */
  readonly concurrency: number;
  /** Locations of workers on other machines; null without a fleet. */
  readonly remote: RemoteLocations | null;
  /** How long a scan waits for a location without workers, in milliseconds. */
  readonly waitMaxMs: number;
  readonly progress: Pick<ProgressHub, "publish">;
  readonly observer: ScanObserver;
  readonly log: Log;
  readonly clock: Clock;
}

export type Dispatcher = Awaited<ReturnType<typeof startDispatcher>>;

/** Requeues interrupted local scans of an earlier process, adopts those that workers elsewhere have, then starts. */
export async function startDispatcher(options: DispatcherOptions) {
  const { store, remote, log, clock } = options;
  await requeueInterrupted(options);
  const active = createActiveScans(options, { wake: () => wake(), claiming: () => (claiming ? latestClaim : null) });
  let stopped = false;
  let claiming = false;
  let latestClaim = Promise.resolve();
  let wokenDuringClaim = false;
  let cancelRetry = () => {};

  async function claimScans(): Promise<void> {
    claiming = true;
    try {
      let claimed = true;
      // A scan queued during `claimNext` may be missed by it.
      while (claimed || wokenDuringClaim) {
        wokenDuringClaim = false;
        claimed = false;
        for (const location of [localLocation, ...(remote?.names() ?? [])])
          claimed = (!stopped && (await claimAt(options, active, location))) || claimed;
      }
    } catch (error) {
      log.error("queue not readable", { because: messageOf(error) });
      cancelRetry();
      cancelRetry = clock.after(storeRetryMs, wake);
    } finally {
      claiming = false;
    }
  }

  function wake(): void {
    wokenDuringClaim = true;
    if (!claiming) latestClaim = claimScans();
  }

  for (const scan of store.scans.listRunning()) active.start(scan, true);
  remote?.onCapacity(wake);
  const stopSweep = sweepWaiting(options);
  wake();
  return {
    wake,
    running: active.total,
    cancel: createCancel(options, active, () => latestClaim),
    /** Waits at most `drainMs` for local scans. The others stay `running` in the store: the next start requeues or adopts them. */
    stop: async (drainMs: number): Promise<void> => {
      stopped = true;
      stopSweep();
      active.leaveRemote();
      const cancelAbandon = clock.after(drainMs, active.abandon);
      // It may still claim one scan, which then counts as running.
      await latestClaim;
      cancelRetry();
      await active.allEnded();
      cancelAbandon();
    },
  };
}

/** Whether a scan or proof was claimed. */
async function claimAt(options: DispatcherOptions, active: ActiveScans, location: string): Promise<boolean> {
  const { store, observer, log, clock } = options;
  const place = active.placeAt(location);
  if (place === null) return false;
  const isFree = place === "free";
  const background = isFree && active.backgroundCount(location) < backgroundMax(capacityOf(options, location));
  const provenHosts = isFree ? active.provenHosts() : "all";
  const job = await store.scans.claimNext(location, clock.now(), background, active.busyNetworks(), provenHosts);
  if (job === undefined) return false;
  if (!isFree && place.left !== null) place.left -= 1;
  const waitedMs = clock.now().getTime() - Date.parse(job.createdAt);
  log.debug("scan claimed", { ...fieldsOf(job), ms: waitedMs });
  // The wait of a later attempt would count the earlier attempt too.
  if (job.attempts === 1 && !isProof(job)) observer.claimed(waitedMs);
  active.start(job, false);
  return true;
}

async function requeueInterrupted({ store, remote, observer, log, clock }: DispatcherOptions): Promise<void> {
  // A proof goes on from nothing: its readings are in the memory of the process that ended.
  const isAdoptable = (job: Job) => remote !== null && !isProof(job) && scanLocationOf(job) !== localLocation;
  for (const job of await store.scans.requeueInterrupted(clock.now(), isAdoptable)) {
    log.warn(`${wordFor(job)} was interrupted`, { ...fieldsOf(job), status: job.status });
    if (job.status === "failed") observer.ended(job, "interrupted");
  }
}

function wordFor(job: Job): string {
  return isProof(job) ? "proof" : "scan";
}

function fieldsOf(job: Job): LogFields {
  const { token, url, attempts: attempt, requestId } = job;
  return scanFields(url, { token, attempt, location: scanLocationOf(job), requestId });
}

function capacityOf({ concurrency, remote }: DispatcherOptions, location: string): number {
  return location === localLocation ? concurrency : (remote?.capacity(location) ?? 0);
}

/** Scheduled scans at a time: they leave a slot free for people, except where there is only one. */
function backgroundMax(capacity: number): number {
  return Math.max(1, capacity - 1);
}

/** Scans and proofs that people have started. */
function waitingForPeople({ scans }: DispatcherOptions["store"], location: string): number {
  return scans.lanesOf(location).reduce((sum, { lane, scans }) => (isBackgroundLane(lane) ? sum : sum + scans), 0);
}

interface ActiveScan {
  readonly network: string | undefined;
  /** Host of a proof; null for a scan. */
  readonly provenHost: string | null;
  readonly background: boolean;
  readonly slot: Slot;
  readonly ending: AbortController;
  readonly work: Promise<void>;
}

/** `at`: slots of the jobs that run at a location. */
function countSlots(options: DispatcherOptions, at: (location: string) => readonly Slot[]) {
  const further = (location: string) => at(location).reduce((sum, slot) => sum + slot.further, 0);
  const used = (location: string) => at(location).length + further(location);
  const held = (location: string) => at(location).filter(({ left }) => left === null).length + further(location);
  const isFull = (location: string) => held(location) >= capacityOf(options, location);
  return {
    used,
    isFull,
    /** Where the next job can run: in a free slot, or in the slot of a proof that gives way. Null if all slots are held. */
    placeAt: (location: string): Slot | "free" | null => {
      if (isFull(location)) return null;
      if (used(location) < capacityOf(options, location)) return "free";
      return at(location).find(({ left }) => left !== null && left > 0) ?? null;
    },
  };
}

type ActiveScans = ReturnType<typeof createActiveScans>;

/** Running scans by location and token. */
function createActiveScans(options: DispatcherOptions, claims: Pick<SlotUse, "wake" | "claiming">) {
  const active = new Map<string, Map<string, ActiveScan>>();
  const stops = { local: new AbortController(), remote: new AbortController() };
  let ended = Promise.withResolvers<void>();
  const at = (location: string) => [...(active.get(location)?.values() ?? [])];
  const all = () => [...active.values()].flatMap((scans) => [...scans.values()]);

  const { used, isFull, placeAt } = countSlots(options, (location) => at(location).map(({ slot }) => slot));
  const onEnd = () => {
    claims.wake();
    ended.resolve();
    ended = Promise.withResolvers();
  };
  const useOf = (location: string): SlotUse => ({
    ...claims,
    waiting: () => waitingForPeople(options.store, location),
    isFull: () => isFull(location),
    ...{ used: () => used(location), capacity: () => capacityOf(options, location) },
    nextEnd: () => ended.promise,
    onRelease: onEnd,
  });

  function leave(where: keyof typeof stops): void {
    stops[where].abort();
    for (const [location, scans] of active)
      if ((location === localLocation) === (where === "local"))
        for (const { ending } of scans.values()) ending.abort("stopping" satisfies ScanEnding);
  }

  return {
    placeAt,
    backgroundCount: (location: string) => at(location).filter(({ background }) => background).length,
    total: () => all().length,
    /** At all locations. */
    busyNetworks: (): ReadonlySet<string> => {
      const byNetwork = Map.groupBy(all(), ({ network }) => network);
      return new Set([...byNetwork].flatMap(([network, scans]) => (network !== undefined && isNetworkBusy(scans.length) ? network : [])));
    },
    provenHosts: (): ReadonlySet<string> => new Set(all().flatMap(({ provenHost }) => provenHost ?? [])),
    start: (job: Job, adopted: boolean) => {
      const { token, network } = job;
      const location = scanLocationOf(job);
      const atLocation = active.get(location) ?? new Map<string, ActiveScan>();
      active.set(location, atLocation);
      const ending = new AbortController();
      const { signal: stop } = stops[location === localLocation ? "local" : "remote"];
      if (stop.aborted) ending.abort("stopping" satisfies ScanEnding);
      const slot: Slot = { left: null, further: 0 };
      const ways = waysOf(slot, useOf(location), ending.signal);
      const terms = { location, adopted, stop, ending: ending.signal };
      const work = (isProof(job) ? runProof(options, { ...terms, job }, ways) : runScan(options, { ...terms, job })).finally(() => {
        atLocation.delete(token);
        onEnd();
      });
      const lane = job.queueKey?.[1];
      const provenHost = isProof(job) ? hostOf(job.url) : null;
      atLocation.set(token, { network, provenHost, slot, ending, work, background: lane !== undefined && isBackgroundLane(lane) });
    },
    /** Resolves when the scan has ended; at once for one that does not run. */
    cancel: async (token: string) => {
      const found = [...active.values()].flatMap((scans) => scans.get(token) ?? []);
      for (const { ending } of found) ending.abort("cancelled" satisfies ScanEnding);
      await Promise.all(found.map(({ work }) => work));
    },
    /** Workers elsewhere go on with theirs. */
    leaveRemote: () => leave("remote"),
    abandon: () => leave("local"),
    allEnded: () => Promise.all(all().map(({ work }) => work)),
  };
}

/**
 * Cancels waiting and running scans alike; nothing of a running one is left when this resolves. `claimed`: a scan that was just claimed is
 * active afterwards.
 */
function createCancel(options: DispatcherOptions, active: ReturnType<typeof createActiveScans>, claimed: () => Promise<void>) {
  const { findJob } = options.store.scans;
  return async (token: string): Promise<Cancellation> => {
    const found = findJob(token);
    // Unknown and ended ones wait for no transaction and no claim.
    if (found === undefined || found.endedAt !== null) return cancellationOf(found);
    if (await cancelQueued(options, token)) return "cancelled";
    await claimed();
    // While the disk is full, the outcome cannot be stored. The scan ends all the same.
    await within(options.clock, cancelMsMax, active.cancel(token), undefined);
    const job = findJob(token);
    if (job?.status === "running") throw new Error(`scan ${token} has ended, but its outcome is not stored yet`);
    return cancellationOf(job);
  };
}

/** What became of a job that has ended; undefined for one that is gone. */
function cancellationOf(job: Job | undefined): Cancellation {
  if (job === undefined) return "unknown";
  return job.errorCode === ("cancelled" satisfies ScanErrorCode) ? "cancelled" : "over";
}

/** Whether the scan waited. */
async function cancelQueued(options: DispatcherOptions, token: string): Promise<boolean> {
  const job = await options.store.scans.cancelQueued(token, options.clock.now());
  if (job === undefined) return false;
  options.log.info(`waiting ${wordFor(job)} cancelled`, fieldsOf(job));
  reportFailed(options, job, "cancelled");
  return true;
}

/** The scan or proof failed while it waited, and that is stored. */
function reportFailed({ progress, observer }: DispatcherOptions, job: Job, code: ScanErrorCode): void {
  progress.publish(job.token, { type: "failed" });
  observer.ended(job, code);
}

interface RunningJob<J extends Job> {
  readonly job: J;
  readonly location: string;
  readonly adopted: boolean;
  /** Aborted when the server leaves the scan to its next start. */
  readonly stop: AbortSignal;
  /** Aborted by `stop`, and when the scan is cancelled. */
  readonly ending: AbortSignal;
}

async function runProof(
  options: DispatcherOptions,
  { job: proof, stop, ending }: RunningJob<ProofRecord>,
  ways: Pick<ProofWatch, "giveWay" | "takeFree">,
): Promise<void> {
  const { token } = proof;
  const log = logWith(options.log, fieldsOf(proof));
  log.info("proof started");
  const onStep = (step: ProofStep): void => {
    options.store.proofs.setStep(token, step).catch((error) => log.warn("progress not stored", { because: messageOf(error) }));
  };
  const shown = await options.prove(proof, { onStep, signal: ending, ...ways });
  if (stop.aborted && !isCancelled(ending)) return;
  const outcome: JobOutcome = typeof shown === "string" ? asCancelled(failureOf(shown), ending) : { status: "proven", ...shown };
  const stored = await storePersistently({ ...options, log }, token, outcome, stop);
  if (stored === null) return;
  options.progress.publish(token, { type: stored.status === "failed" ? "failed" : "finished" });
  options.observer.ended(proof, stored.status === "failed" ? stored.code : null);
  log.info("proof ended", stored.status === "proven" ? { status: "finished", verdict: stored.body.verdict } : { status: stored.status });
}

async function runScan(options: DispatcherOptions, { job: scan, location, adopted, stop, ending }: RunningJob<ScanRecord>): Promise<void> {
  const { scanner, progress, observer } = options;
  const { token, url, attempts } = scan;
  const log = logWith(options.log, fieldsOf(scan));
  log.info(adopted ? "scan adopted" : "scan started");
  progress.publish(token, { type: "claimed", location });
  const writer = createProgressWriter({ ...options, log }, scan);
  const timer = observer.begin();
  const after = options.afterScan?.(scan) ?? null;
  const onStage = (stage: ProgressStage) => {
    writer.report(stage);
    timer.stage(stage);
  };
  const {
    outcome,
    worker = null,
    release,
  } = await scanner.scanStored(url, { token, attempt: attempts, location, adopted, requestId: scan.requestId }, onStage, ending);
  writer.end();
  if (stop.aborted && !isCancelled(ending)) return;
  const stored = await storePersistently({ ...options, log }, token, asCancelled(outcome, ending), stop);
  // The server stops: the next process reads what was received.
  if (stored === null && stop.aborted) return;
  await release();
  if (stored === null) return;
  progress.publish(token, { type: stored.status });
  timer.end(stored.evidence);
  observer.ended(scan, stored.status === "failed" ? stored.code : null);
  const ended = stored.status === "failed" ? { code: stored.code } : { score: stored.result.score };
  log.info("scan ended", { status: stored.status, ...ended, ...(worker === null ? {} : { worker }), ms: outcome.timings.total ?? null });
  if (stored.status === "finished") await after?.(stored.evidence, ending);
}

/** What ended before the abort reached it keeps its outcome. */
function asCancelled(outcome: ScanOutcome, ending: AbortSignal): ScanOutcome {
  const wasEnded = isCancelled(ending) && outcome.status === "failed" && outcome.code === "interrupted";
  return wasEnded ? failureOf("cancelled") : outcome;
}

/** Fails queued scans of locations that had no worker for too long. Returns the function that stops it. */
function sweepWaiting(options: DispatcherOptions): () => void {
  const { store, remote, waitMaxMs, log, clock } = options;
  const { absentSince: lastWorkerAt } = remote ?? noRemoteLocations(clock.now());

  async function sweep(): Promise<void> {
    const now = clock.now();
    const before = new Date(now.getTime() - waitMaxMs);
    for (const location of new Set(store.workers.list().map((worker) => worker.location))) {
      const absentSince = lastWorkerAt(location);
      if (absentSince === null || absentSince > before) continue;
      for (const job of await store.scans.failWaiting(location, before, now)) {
        log.warn(`${wordFor(job)} failed: no worker at its location`, { ...fieldsOf(job), absentSince: absentSince.toISOString() });
        reportFailed(options, job, "no-worker");
      }
    }
  }

  return clock.every(sweepEveryMs, () => {
    sweep().catch((error) => log.error("waiting scans not readable", { because: messageOf(error) }));
  });
}

/**
 * Retries while the data directory is unusable: waiting costs less than another scan. Any other error fails the scan,
 * or it would stay `running` forever. Null when nothing was stored.
 */
async function storePersistently<O extends JobOutcome>(
  { store, log, clock }: DispatcherOptions,
  token: string,
  outcome: O,
  stop: AbortSignal,
): Promise<O | typeof storageFailure | null> {
  let toStore: O | typeof storageFailure = outcome;
  do {
    try {
      const now = clock.now();
      if (toStore.status === "finished") await store.scans.finish(token, { ...toStore, now });
      else if (toStore.status === "proven") await store.scans.finishProof(token, toStore.body, now, toStore.pictures);
      else await store.scans.fail(token, { ...toStore, now });
      return toStore;
    } catch (error) {
      log.error("scan not stored", { status: toStore.status, because: messageOf(error) });
      if (error instanceof DataDirError) await pause(clock, storeRetryMs, stop);
      else if (toStore === storageFailure) return null;
      else toStore = storageFailure;
    }
  } while (!stop.aborted);
  return null;
}
