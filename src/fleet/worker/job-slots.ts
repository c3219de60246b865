/** The jobs that a worker holds: gathers each once, sends its result, and answers every delivery of it. */
import { type Log, type LogFields, messageOf } from "../../base/log.ts";
import { createLruCache } from "../../base/lru-cache.ts";
import type { ProgressStage, ScanErrorCode } from "../../evidence/scan.ts";
import type { CountedOutcome, ScanTimer } from "../../metrics/scan-metrics.ts";
import { type LocalGatherer, scanFields } from "../../scan/gatherer.ts";
import type { ScanDeadlines } from "../../scan/task.ts";
import {
  type FleetJob,
  fleetProtocol,
  jobAckWaitMs,
  jobDeliveriesMax,
  jobWorkingEveryMs,
  type ProgressNote,
  parseFleetJob,
  type RefusedJob,
} from "../messages.ts";
import { type PackedResult, packResult, packVisit } from "../results.ts";
import { progressSubjects, type WorkerAddress } from "../subjects.ts";
import type { DeliveredJob } from "./job-feed.ts";
import { type ResultSending, sendResult } from "./send-result.ts";

export interface JobSlotsOptions extends Pick<ResultSending, "connection" | "connected" | "clock"> {
  readonly gatherer: Pick<LocalGatherer, "gatherOn" | "visitOn">;
  readonly slots: number;
  readonly address: WorkerAddress;
  /** Deadlines in the settings of this worker: a job may ask for less. */
  readonly deadlines: ScanDeadlines;
  readonly isConnected: () => boolean;
  /** Called at the start of each scan. */
  readonly timeScan: () => ScanTimer;
  readonly onEnd: (outcome: CountedOutcome) => void;
  /** One line about a fault of this worker or its jobs. Asks for no more jobs if the worker cannot take them. */
  readonly onFault: (text: string) => void;
  readonly log: Log;
  readonly workingEveryMs?: number;
  /** A process that stood still for so long has lost its jobs to other workers. */
  readonly standstillMsMax?: number;
}

export type JobSlots = Pick<BoundedSlots, keyof BoundedSlots>;

type Ending = "cancelled" | "superseded" | "stopping" | "standstill";

/** Answers by `DeliveredJob.publication`. `returned`: for want of a browser. Such a job comes back if no other worker takes it. */
type Answered = ReturnType<typeof createLruCache<"sent" | "returned">>;

interface HeldJob {
  readonly job: FleetJob;
  /** The latest delivery: an answer to an earlier one has no effect. */
  delivered: DeliveredJob;
  readonly ending: AbortController;
}

/** Answered jobs that may be delivered once more: as many as a busy worker has in an hour. */
const answeredJobsMax = 2_000;
const acknowledgeTimeoutMs = 5_000;
const acknowledgeAttemptsMax = 3;

const keyOf = ({ token, attempt }: Pick<FleetJob, "token" | "attempt">) => `${token}.${attempt}`;

export function openJobSlots(options: JobSlotsOptions): JobSlots {
  return new BoundedSlots(options);
}

class BoundedSlots {
  readonly #options: JobSlotsOptions;
  readonly #held = new Map<string, HeldJob>();
  readonly #answered: Answered = createLruCache(answeredJobsMax);
  readonly #work = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  readonly #stopping = new AbortController();
  readonly #stopWorking: () => void;
  #inSlots = 0;
  #stopped = false;
  #renewedAtMs: number;

  constructor(options: JobSlotsOptions) {
    this.#options = options;
    this.#renewedAtMs = options.clock.monotonicMs();
    this.#stopWorking = options.clock.every(options.workingEveryMs ?? jobWorkingEveryMs, () => this.#renew());
  }

  take(delivered: DeliveredJob): void {
    this.#renew();
    const job = parseFleetJob(delivered.data, this.#options.deadlines);
    const known = "fault" in job ? undefined : this.#held.get(keyOf(job));
    if ("fault" in job) this.#track(refuse(this.#options, delivered, job, this.#stopping.signal));
    else if (known !== undefined && known.ending.signal.reason !== ("standstill" satisfies Ending)) this.#adopt(known, delivered);
    else if (this.#answered.get(delivered.publication) === "sent")
      this.#track(acknowledge({ job, delivered, ending: this.#stopping }, this.#options));
    else if (this.#stopped) delivered.giveBack();
    else this.#begin({ job, delivered, ending: new AbortController() });
  }

  /** Ends the scan if it is held. */
  cancel(scan: Pick<FleetJob, "token" | "attempt">): void {
    this.#held.get(keyOf(scan))?.ending.abort("cancelled" satisfies Ending);
  }

  busy(): number {
    return this.#held.size;
  }

  /** Waits at most `drainMs` for the held jobs, then gives them back. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    const cancelEnd = this.#options.clock.after(drainMs, () => {
      this.#stopping.abort();
      for (const { ending } of this.#held.values()) ending.abort("stopping" satisfies Ending);
    });
    while (this.#work.size > 0) await Promise.all(this.#work);
    cancelEnd();
    this.#stopWorking();
  }

  /**
   * Keeps the held jobs. After a standstill of the process, as by SIGSTOP, JetStream has delivered them again. Their deadlines have passed
   * too: a result would be poorer than the next delivery's.
   */
  #renew(): void {
    const { isConnected, onFault, clock, standstillMsMax = jobAckWaitMs } = this.#options;
    const sinceMs = clock.monotonicMs() - this.#renewedAtMs;
    this.#renewedAtMs += sinceMs;
    if (sinceMs < standstillMsMax) {
      if (isConnected()) for (const { delivered, ending } of this.#held.values()) if (!ending.signal.aborted) delivered.working();
    } else if (this.#held.size > 0) {
      onFault(`the process stood still for ${Math.round(sinceMs / 1_000)} s: its scans go to other workers`);
      for (const { ending } of this.#held.values()) ending.abort("standstill" satisfies Ending);
    }
  }

  /** The scan goes on, and its end answers this delivery. */
  #adopt(held: HeldJob, delivered: DeliveredJob): void {
    const { token, attempt } = held.job;
    this.#options.log.info("job delivered again while it runs", { token, attempt, delivery: delivered.delivery });
    held.delivered = delivered;
    delivered.working();
  }

  #begin(held: HeldJob): void {
    const key = keyOf(held.job);
    for (const other of this.#held.values()) if (other.job.token === held.job.token) other.ending.abort("superseded" satisfies Ending);
    this.#held.set(key, held);
    this.#track(this.#hold(held, key));
  }

  #track(task: Promise<void>): void {
    const safe = task
      .catch((error) =>
        this.#options.log.error("job failed", { because: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      )
      .finally(() => this.#work.delete(safe));
    this.#work.add(safe);
  }

  /** More jobs than slots arrive when requests of a lost connection are answered late. */
  async #hold(held: HeldJob, key: string): Promise<void> {
    if (this.#inSlots >= this.#options.slots) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inSlots++;
    let outcome: CountedOutcome | null = null;
    try {
      outcome = await perform(held, this.#options, this.#answered, () => this.#renew());
    } finally {
      this.#inSlots--;
      // After a standstill the job may have been delivered again.
      if (this.#held.get(key) === held) this.#held.delete(key);
      this.#waiting.shift()?.();
      this.#options.onEnd(outcome ?? "failed");
    }
  }
}

async function perform(held: HeldJob, options: JobSlotsOptions, answered: Answered, renew: () => void): Promise<CountedOutcome> {
  const { address, connection, connected, onFault, clock, log } = options;
  const { job, ending } = held;
  const { token, attempt, url } = job;
  const fields = scanFields(url, { ...job, location: address.location });
  const { signal } = ending;
  if (signal.aborted) return endEarly(held, fields, log);

  log.info("scan started", { ...fields, delivery: held.delivered.delivery });
  const startMs = clock.monotonicMs();
  const { packed, code } = await gather(held, options);
  renew();
  if (signal.aborted) return endEarly(held, fields, log);
  if (code === "browser-unavailable" && held.delivered.delivery < jobDeliveriesMax && !answered.has(held.delivered.publication)) {
    // First: with an open request this worker would get the job itself.
    onFault("the browser does not start");
    answered.set(held.delivered.publication, "returned");
    held.delivered.giveBack();
    log.warn("scan given back: the browser does not start", fields);
    return "returned";
  }
  const { delivery } = held.delivered;
  const onRetry = (because: string) => {
    onFault(`a result cannot be sent: ${because}`);
    log.warn("result not sent yet", { ...fields, because });
  };
  const isSent = await sendResult(packed, { ...address, token, attempt, delivery }, { connection, connected, onRetry, clock, signal });
  if (!isSent) return endEarly(held, fields, log);
  answered.set(held.delivered.publication, "sent");
  await acknowledge(held, options);
  const outcome = code === null ? "finished" : "failed";
  log.info("result sent", { ...fields, status: outcome, code, ms: Math.round(clock.monotonicMs() - startMs) });
  return outcome;
}

interface Collected {
  readonly packed: PackedResult;
  /** Null unless it failed. */
  readonly code: ScanErrorCode | null;
}

/** Scans the page of the job, or visits it for a proof. */
async function gather({ job, ending: { signal } }: HeldJob, options: JobSlotsOptions): Promise<Collected> {
  const { gatherer, address } = options;
  const { url, token, attempt, requestId, scannedAt, screenshot, headerCharsMax: headerValueCharsMax, deadlines, visit } = job;
  const stored = { token, attempt, location: address.location, adopted: false, requestId };
  const terms = { scannedAt, screenshot, headerValueCharsMax, deadlines };
  sendProgress(options, job, null);
  if (visit !== undefined) {
    const visited = await gatherer.visitOn(terms, { url, screenshot, overrides: visit.overrides }, stored, { onStage: () => {}, signal });
    return { packed: packVisit(visited), code: typeof visited === "string" ? visited : null };
  }
  const timer = options.timeScan();
  const onStage = (stage: ProgressStage) => {
    sendProgress(options, job, stage);
    timer.stage(stage);
  };
  const gathered = await gatherer.gatherOn(terms, { url, stored }, { onStage, signal });
  timer.end(typeof gathered === "string" ? null : gathered.evidence);
  return { packed: packResult(gathered), code: typeof gathered === "string" ? gathered : gathered.unreachable };
}

/**
 * The head has withdrawn a cancelled job already, and a superseded one has a newer attempt. An answer after a standstill would count for
 * the delivery to another worker.
 */
function endEarly({ delivered, ending }: HeldJob, fields: LogFields, log: Log): CountedOutcome {
  const because = ending.signal.reason as Ending;
  const isReturned = because === "stopping" || because === "standstill";
  if (because === "stopping") delivered.giveBack();
  else if (because !== "standstill") delivered.terminate();
  log.info(isReturned ? "scan given back" : "scan ended early", { ...fields, because });
  return isReturned ? "returned" : "cancelled";
}

/** Confirms the job to JetStream. Without success it is delivered again, and is acknowledged then. */
async function acknowledge(held: HeldJob, { connected, log }: Pick<JobSlotsOptions, "connected" | "log">): Promise<void> {
  const { token, attempt } = held.job;
  for (let left = acknowledgeAttemptsMax; left > 0 && !held.ending.signal.aborted; left--) {
    try {
      await connected(held.ending.signal);
      return await held.delivered.acknowledge(acknowledgeTimeoutMs);
    } catch (error) {
      log.debug("job not acknowledged", { token, attempt, because: messageOf(error) });
    }
  }
}

/** A job that is not understood ends as failed at the head, if it can be addressed: it would be published again otherwise. */
async function refuse(options: JobSlotsOptions, delivered: DeliveredJob, { fault, address }: RefusedJob, signal: AbortSignal) {
  const { clock, log, onFault, connection, connected } = options;
  log.error("job refused", { fault: `a job ${fault}`, token: address?.token ?? null });
  onFault(`refused a job: it ${fault}`);
  if (address !== null) {
    const delivery = { ...options.address, ...address, delivery: delivered.delivery };
    await sendResult(packResult("crashed"), delivery, { connection, connected, onRetry: () => {}, clock, signal });
  }
  delivered.terminate();
}

/** Unacknowledged: the next note makes up for a lost one. */
function sendProgress({ connection, address, isConnected }: JobSlotsOptions, { token, attempt }: FleetJob, stage: ProgressStage | null) {
  if (!isConnected()) return;
  const note: ProgressNote = { v: fleetProtocol, attempt, stage };
  connection.publish(progressSubjects.of({ ...address, token }), JSON.stringify(note));
}
