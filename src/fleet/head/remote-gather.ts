/** Gathers on workers: publishes jobs, also again after NATS was away or its stream was full, and waits for their ends. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { type GatherEnd, type GatherWatch, isCancelled, type RemoteLocations, type StoredJob, type VisitJob } from "../../scan/gatherer.ts";
import { type Gathered, type Visited, visitDeadlines } from "../../scan/task.ts";
import { type FleetJob, fleetProtocol, visitJobBytesMax } from "../messages.ts";
import { type FleetTimes, type HeadParts, type HeadTransport, jobFields, type PendingJob, type PendingJobs } from "./head-parts.ts";
import type { ResultIntake } from "./result-intake.ts";

interface JobPublisherOptions extends Pick<HeadParts, "isConnected" | "clock" | "log">, Pick<FleetTimes, "retryMs"> {
  /** Asked right before a visit is published. */
  readonly mayVisit: (location: string) => boolean;
}

const retryMsMax = 30_000;

type PublishFault = Readonly<Record<"location" | "because", string>>;

function clauseOf({ location, because }: PublishFault): string {
  const isFull = /maximum bytes|resource limits|insufficient/i.test(because);
  return `scans of the location ${location} cannot be published${isFull ? ": its stream in NATS is full" : ""}`;
}

export function createJobPublisher(pendingJobs: PendingJobs, transport: HeadTransport, options: JobPublisherOptions) {
  const { clock, log, retryMs, isConnected, mayVisit } = options;
  let publishing = Promise.resolve();
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
      if (next.job.visit !== undefined && !mayVisit(location)) {
        log.warn("visit not published: a worker of its location cannot make it", jobFields(next));
        next.end("worker-too-old");
        continue;
      }
      publishing = publish(pendingJobs, transport, next, clock).catch((error) => void errors.set(location, error));
      await publishing;
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
    /** Resolves when the job that is being published is out. Never rejects. */
    settled: () => publishing,
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
  /** Resolves when no worker can take jobs of the location that this process does not know, and on an abort. */
  readonly whenWorkersKnown: (location: string, signal: AbortSignal | undefined) => Promise<void>;
  /** An earlier process has published the job, or was about to. */
  readonly onAdopted: () => void;
}

const nothing = () => Promise.resolve();

/** Asks the worker to stop. Without a connection it goes on, and its result is dropped. */
function cancel(
  { transport, isConnected }: Pick<HeadParts, "transport" | "isConnected">,
  { location, job: { v, token, attempt } }: PendingJob,
): void {
  if (isConnected()) transport.cancel(location, { v, token, attempt });
}

async function release(options: RemoteGatherOptions, pending: PendingJob, ofCancelled: boolean): Promise<void> {
  const { pendingJobs, transport, isConnected, intake, log } = options;
  intake.release(pending);
  pendingJobs.remove(pending);
  if (!isConnected()) return;
  const { location, job } = pending;
  try {
    await Promise.all([transport.removeResults(location, job.token), transport.withdrawJob(location, job.token)]);
    // Again, for a worker that took the job between the first note and the withdrawal.
    if (ofCancelled) cancel(options, pending);
  } catch (error) {
    log.debug("messages of a stored scan are removed later", { ...jobFields(pending), because: messageOf(error) });
  }
}

export function createRemoteGather(options: RemoteGatherOptions): Pick<RemoteLocations, "gather" | "visit"> {
  const { pendingJobs, onUnsent, onAdopted, clock } = options;

  /** `V`: what the results of the job have. */
  function handOut<V extends Gathered | Visited>(
    job: FleetJob,
    stored: StoredJob,
    { onStage, signal }: GatherWatch,
  ): Promise<GatherEnd<V>> {
    const { promise, resolve } = Promise.withResolvers<GatherEnd<V>>();
    const ofProof = stored.ofProof === true;
    const abort = () => {
      if (isCancelled(signal) || ofProof) {
        cancel(options, pending);
        end(isCancelled(signal) ? "cancelled" : "interrupted");
        return;
      }
      // The scan stays pending, or the publisher would withdraw a job that a worker may have taken.
      pending.state = "ended";
      resolve({ gathered: "interrupted", release: nothing });
    };
    const end = (gathered: Gathered | Visited | ScanErrorCode) => {
      signal?.removeEventListener("abort", abort);
      pending.state = "ended";
      const isUnwanted = gathered === "cancelled" || gathered === "interrupted" || gathered === "worker-too-old";
      // The intake reads results in the form of the job.
      resolve({ gathered: gathered as V | ScanErrorCode, worker: pending.worker, release: () => release(options, pending, isUnwanted) });
    };
    const pending: PendingJob = {
      ...{ location: stored.location, job, ofProof, onStage, end },
      ...{ worker: null, sequence: null, begunAtMs: null, republished: 0, unreadable: 0 },
      ...(stored.adopted ? { state: "sent", sentAtMs: 0 } : { state: "unsent", sentAtMs: clock.now().getTime() }),
    };
    signal?.addEventListener("abort", abort, { once: true });
    pendingJobs.add(pending);
    if (stored.adopted) onAdopted();
    else onUnsent();
    return promise;
  }

  return {
    gather: ({ url, stored }, watch) => {
      if (stored === null || watch.signal?.aborted) return ended(stored === null ? "no-worker" : "interrupted");
      return handOut<Gathered>(jobOf(options, url, stored), stored, watch);
    },
    visit: async (job, stored, watch) => {
      await options.whenWorkersKnown(stored.location, watch.signal);
      if (watch.signal?.aborted) return ended("interrupted");
      const visit = visitOf(options, job, stored);
      return visit === null ? ended("headers-too-long") : handOut<Visited>(visit, stored, watch);
    },
  };
}

function ended(gathered: ScanErrorCode): Promise<GatherEnd<never>> {
  return Promise.resolve({ gathered, release: nothing });
}

/** Null for a job that would exceed its limit. */
function visitOf(options: RemoteGatherOptions, { url, overrides, screenshot }: VisitJob, stored: StoredJob): FleetJob | null {
  const { deadlines, ...job } = jobOf(options, url, stored);
  const sent: FleetJob = { ...job, deadlines: visitDeadlines(deadlines), screenshot, visit: { overrides } };
  return Buffer.byteLength(JSON.stringify(sent)) > visitJobBytesMax ? null : sent;
}

/** The instant of the scan is its start in the store: the next process of this server expects the same one. */
function jobOf({ store, clock, jobSettings }: RemoteGatherOptions, url: string, { token, attempt, requestId }: StoredJob): FleetJob {
  const scannedAt = store.scans.findByToken(token)?.startedAt ?? clock.now().toISOString();
  return { v: fleetProtocol, token, attempt, url, scannedAt, ...jobSettings, ...(requestId === undefined ? {} : { requestId }) };
}
