/** Gathers on workers: publishes jobs, also again after NATS was away or its stream was full, and waits for their ends. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { type GatherEnd, type Gatherer, type GatherJob, type GatherWatch, isCancelled, type StoredJob } from "../../scan/gatherer.ts";
import type { Gathered } from "../../scan/task.ts";
import { type FleetJob, fleetProtocol } from "../messages.ts";
import { type FleetTimes, type HeadParts, type HeadTransport, jobFields, type PendingJob, type PendingJobs } from "./head-parts.ts";
import type { ResultIntake } from "./result-intake.ts";

type JobPublisherOptions = Pick<HeadParts, "isConnected" | "clock" | "log"> & Pick<FleetTimes, "retryMs">;

const retryMsMax = 30_000;

type PublishFault = Readonly<Record<"location" | "because", string>>;

function clauseOf({ location, because }: PublishFault): string {
  const isFull = /maximum bytes|resource limits|insufficient/i.test(because);
  return `scans of the location ${location} cannot be published${isFull ? ": its stream in NATS is full" : ""}`;
}

export function createJobPublisher(pendingJobs: PendingJobs, transport: HeadTransport, options: JobPublisherOptions) {
  const { clock, log, retryMs, isConnected } = options;
  let running = false;
  let stopped = false;
  /** A job may be added after a run has looked for the last time. */
  let again = false;
  let failures = 0;
  let fault: string | null = null;
  let cancelRetry = () => {};

  /** A location that cannot be published to does not stop the others. Null if all jobs are published; otherwise the first fault. */
  async function publishAll(): Promise<PublishFault | null> {
    const errors = new Map<string, unknown>();
    const nextUnsent = () => pendingJobs.list().find(({ state, location }) => state === "unsent" && !errors.has(location));
    for (let next = nextUnsent(); next !== undefined && !stopped; next = nextUnsent()) {
      const { location } = next;
      await publish(pendingJobs, transport, next, clock).catch((error) => errors.set(location, error));
    }
    const [first] = errors;
    return first === undefined ? null : { location: first[0], because: messageOf(first[1]) };
  }

  async function run(): Promise<void> {
    running = true;
    again = false;
    cancelRetry();
    const failed = await publishAll();
    if (failed !== null) retryLater(failed);
    else {
      if (failures > 0) log.info("scans are published again", { failures });
      failures = 0;
      fault = null;
    }
    running = false;
    if (again) wake();
  }

  function retryLater(failed: PublishFault): void {
    if (failures === 0) log.warn("scans cannot be published; they wait", { ...failed });
    failures++;
    fault = clauseOf(failed);
    if (!stopped) cancelRetry = clock.after(Math.min(retryMsMax, retryMs * 2 ** Math.min(failures, 10)), wake);
  }

  /** Publishes every unsent job, as soon as it is possible. Must be called after each connection. */
  function wake(): void {
    if (running) again = true;
    else if (!stopped && isConnected()) void run();
  }

  return {
    wake,
    /** Clause for readiness: why jobs cannot be published; null while they can. */
    fault: () => fault,
    stop: () => {
      stopped = true;
      cancelRetry();
    },
  };
}

/** @throws if the transport cannot be reached. */
async function publish(pendingJobs: PendingJobs, transport: HeadTransport, pending: PendingJob, clock: Clock): Promise<void> {
  const { location, job } = pending;
  // A job of an earlier attempt would keep this one out.
  if (job.attempt > 1) await transport.withdrawJob(location, job.token);
  // The scan may have been cancelled during the withdrawal.
  if (pending.state === "ended") return;
  const sequence = await transport.publishJob(location, job);
  pending.sequence = sequence;
  pending.sentAtMs = clock.now().getTime();
  if (pending.state === "unsent") pending.state = "sent";
  // The scan has ended in the meantime. Without this, a worker could still take it.
  if (pendingJobs.find(job.token, job.attempt) === pending) return;
  await transport.withdrawJob(location, job.token);
  transport.cancel(location, { v: job.v, token: job.token, attempt: job.attempt });
}

/** Settings of the head that are part of each job. */
export type JobSettings = Pick<FleetJob, "deadlines" | "screenshot" | "headerCharsMax">;

interface RemoteGatherOptions extends HeadParts {
  readonly intake: Pick<ResultIntake, "release">;
  readonly jobSettings: JobSettings;
  /** A job is to be published. */
  readonly onUnsent: () => void;
  /** An earlier process has published the job, or was about to. */
  readonly onAdopted: () => void;
}

const nothing = () => Promise.resolve();

export function createRemoteGather(options: RemoteGatherOptions): Gatherer["gather"] {
  const { pendingJobs, transport, isConnected, intake, onUnsent, onAdopted, clock, log } = options;

  /** Asks the worker to stop. Without a connection it goes on, and its result is dropped. */
  function cancel({ location, job: { v, token, attempt } }: PendingJob): void {
    if (isConnected()) transport.cancel(location, { v, token, attempt });
  }

  async function release(pending: PendingJob, ofCancelled: boolean): Promise<void> {
    intake.release(pending);
    pendingJobs.remove(pending);
    if (!isConnected()) return;
    const { location, job } = pending;
    try {
      await Promise.all([transport.removeResults(location, job.token), transport.withdrawJob(location, job.token)]);
      // Again, for a worker that took the job between the first note and the withdrawal.
      if (ofCancelled) cancel(pending);
    } catch (error) {
      log.debug("messages of a stored scan are removed later", { ...jobFields(pending), because: messageOf(error) });
    }
  }

  return ({ url, stored }: GatherJob, { onStage, signal }: GatherWatch): Promise<GatherEnd> => {
    const { promise, resolve } = Promise.withResolvers<GatherEnd>();
    if (stored === null || signal?.aborted)
      return Promise.resolve({ gathered: stored === null ? "no-worker" : "interrupted", release: nothing });
    const job = jobOf(options, url, stored);
    const abort = () => {
      if (isCancelled(signal)) {
        cancel(pending);
        end("cancelled");
        return;
      }
      // The scan stays pending, or the publisher would withdraw a job that a worker may have taken.
      pending.state = "ended";
      resolve({ gathered: "interrupted", release: nothing });
    };
    const end = (gathered: Gathered | ScanErrorCode) => {
      signal?.removeEventListener("abort", abort);
      pending.state = "ended";
      resolve({ gathered, worker: pending.worker, release: () => release(pending, gathered === "cancelled") });
    };
    const pending: PendingJob = {
      ...{ location: stored.location, job, onStage, end },
      ...{ worker: null, sequence: null, begunAtMs: null, republished: 0, unreadable: 0 },
      ...(stored.adopted ? { state: "sent", sentAtMs: 0 } : { state: "unsent", sentAtMs: clock.now().getTime() }),
    };
    signal?.addEventListener("abort", abort, { once: true });
    pendingJobs.add(pending);
    if (stored.adopted) onAdopted();
    else onUnsent();
    return promise;
  };
}

/** The instant of the scan is its start in the store: the next process of this server expects the same one. */
function jobOf({ store, clock, jobSettings }: RemoteGatherOptions, url: string, { token, attempt, requestId }: StoredJob): FleetJob {
  const scannedAt = store.scans.findByToken(token)?.startedAt ?? clock.now().toISOString();
  return { v: fleetProtocol, token, attempt, url, scannedAt, ...jobSettings, ...(requestId === undefined ? {} : { requestId }) };
}
