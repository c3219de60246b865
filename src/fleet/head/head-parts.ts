/** What the parts of a head share: the transport, the store, intervals, counters and the pending jobs. */
import type { Clock } from "../../base/clock.ts";
import type { Log, LogFields } from "../../base/log.ts";
import type { ProgressStage, ScanErrorCode } from "../../evidence/scan.ts";
import { scanFields } from "../../scan/gatherer.ts";
import type { Gathered, Visited } from "../../scan/task.ts";
import type { Store } from "../../store/store.ts";
import { type CancelNote, type FleetJob, jobAckWaitMs, presenceLapsesMs } from "../messages.ts";
import type { ResultAddress, WorkerAddress } from "../subjects.ts";

/** Every method rejects while the network is away, and may be called again. */
export interface HeadTransport {
  /** Sequence of the job; null if a job of this scan waits or runs already. */
  publishJob(location: string, job: FleetJob): Promise<number | null>;
  /** Tokens of the scans of the location that have a job. */
  jobs(location: string): Promise<ReadonlySet<string>>;
  /** Null if the scan has no job. */
  sequenceOfJob(location: string, token: string): Promise<number | null>;
  /** Jobs of the location up to this sequence have been delivered to a worker. 0 for a location without workers. */
  deliveredSequence(location: string): Promise<number>;
  withdrawJob(location: string, token: string): Promise<void>;
  cancel(location: string, note: CancelNote): void;
  /** Everything that workers of the location have sent as results, and that is not removed yet. */
  results(location: string): Promise<readonly ResultAddress[]>;
  /** Null if it has not arrived. */
  resultPart(address: ResultAddress): Promise<Uint8Array | null>;
  /** Removes what any worker has sent for the scan. */
  removeResults(location: string, token: string): Promise<void>;
  removeResultPart(address: ResultAddress): Promise<void>;
}

/** A manifest as delivered. It comes again unless it is acknowledged. */
export interface DeliveredManifest {
  readonly bytes: Uint8Array;
  ack(): void;
  /** Asks for the next delivery after this time. */
  nak(delayMs: number): void;
  /** Puts the next delivery off. */
  working(): void;
}

/** Calls of a transport to the head. None may throw. */
export interface HeadEvents {
  readonly onPresence: (address: WorkerAddress, bytes: Uint8Array, reply: (bytes: string) => void) => void;
  readonly onProgress: (address: WorkerAddress & { readonly token: string }, bytes: Uint8Array) => void;
  readonly onManifest: (address: ResultAddress, manifest: DeliveredManifest) => void;
  /** No delivery of the job is left, and the last one was not acknowledged. */
  readonly onSpentJob: (location: string, token: string) => void;
}

export interface FleetStore {
  readonly instance: Store["instance"];
  readonly scans: Pick<Store["scans"], "findByToken">;
  readonly workers: Pick<Store["workers"], "find" | "list" | "locations" | "noteSeen" | "noteScan" | "noteFault">;
}

export const defaultFleetTimes = {
  /** A start waits so long for NATS; then the server goes on without. */
  startWaitMs: 3_000,
  /** First wait before a retry. */
  retryMs: 1_000,
  /** Interval between two comparisons with NATS, and before one that is asked for. */
  reconcileMs: 60_000,
  soonMs: 100,
  /** Interval between two looks for locations that have been enrolled. */
  enrolledEveryMs: 5_000,
  presenceLapsesMs,
  /** Interval between two writes of what a worker says about itself, unless it says something new. */
  noteSeenEveryMs: 60_000,
  ackWaitMs: jobAckWaitMs,
  workingEveryMs: 10_000,
  /** Delay before another delivery of a result whose scan is not pending yet. */
  earlyMs: 1_000,
  /** Wait for the answer of another head. */
  otherHeadMs: 1_000,
  /** Wait for the answer to a request of JetStream. */
  requestMs: 5_000,
  /** Time after the deadline of a scan in which a worker ends a hung thread. */
  graceMs: 5_000,
  /** Sending of a result over a slow link, or after a link was cut for some minutes. */
  sendingMs: 300_000,
};
export type FleetTimes = Readonly<typeof defaultFleetTimes>;

const events = ["results", "faults", "lost", "dropped", "republished", "removed", "spent"] as const;
type FleetEvent = (typeof events)[number];

/**
 * `results`: taken in. `faults`: refused as invalid. `lost`: without a part. `dropped`: of scans that were over, or of unknown workers.
 * `republished`: jobs that NATS had lost. `removed`: messages of scans that were over. `spent`: jobs without deliveries left.
 */
export type FleetCounters = Readonly<Record<FleetEvent, number>>;

export function createFleetCounters() {
  const counts = Object.fromEntries(events.map((event) => [event, 0])) as Record<FleetEvent, number>;
  return {
    count: (event: FleetEvent) => void counts[event]++,
    read: (): FleetCounters => ({ ...counts }),
  };
}

/** What the parts of a head share. */
export interface HeadParts {
  readonly pendingJobs: PendingJobs;
  readonly transport: HeadTransport;
  readonly isConnected: () => boolean;
  readonly store: FleetStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface PendingJob {
  readonly location: string;
  readonly job: FleetJob;
  readonly onStage: (stage: ProgressStage) => void;
  /** Part of a proof: see `StoredJob`. */
  readonly ofProof: boolean;
  /** Only the first call counts. A `Visited` for a job that visits, and for no other. */
  readonly end: (gathered: Gathered | Visited | ScanErrorCode) => void;
  /**
   * `unsent`: to be published. `sent`: published, by this process or an earlier one. `reading`: a result is being read.
   * `ended`: the outcome is known, and not released yet.
   */
  state: "unsent" | "sent" | "reading" | "ended";
  /** Id of the worker that was last heard of with this scan; null before. */
  worker: string | null;
  /** Sequence in the stream of jobs; null if unknown. */
  sequence: number | null;
  /** When the job was last published or adopted. */
  sentAtMs: number;
  /** When a worker was first known to have it; null before. A worker cannot put the time limit off. */
  begunAtMs: number | null;
  /** How often the job was lost and published again. */
  republished: number;
  /** How often NATS announced a result and did not return its parts. */
  unreadable: number;
}

/** Fields of every log line of the head about the job. */
export function jobFields({ location, job, worker }: Pick<PendingJob, "location" | "job" | "worker">): LogFields {
  return { ...scanFields(job.url, { ...job, location }), ...(worker === null ? {} : { worker }) };
}

export type PendingJobs = ReturnType<typeof createPendingJobs>;

/** The jobs of scans whose outcome is not stored yet, by token. */
export function createPendingJobs() {
  const jobs = new Map<string, PendingJob>();
  return {
    /** A job of an earlier attempt is replaced. */
    add: (job: PendingJob): void => void jobs.set(job.job.token, job),
    /** Undefined without a job of the scan, or for another attempt than the one named. */
    find: (token: string, attempt?: number): PendingJob | undefined => {
      const job = jobs.get(token);
      return attempt === undefined || job?.job.attempt === attempt ? job : undefined;
    },
    remove: (job: PendingJob): void => {
      if (jobs.get(job.job.token) === job) jobs.delete(job.job.token);
    },
    list: (): readonly PendingJob[] => [...jobs.values()],
  };
}
