/** Compares the pending jobs with NATS, at intervals and on demand. */
import type { Clock } from "../../base/clock.ts";
import { type Log, messageOf } from "../../base/log.ts";
import { jobDeliveriesMax } from "../messages.ts";
import { partsMax } from "../results.ts";
import type { ResultAddress } from "../subjects.ts";
import { type FleetTimes, type HeadParts, type HeadTransport, jobFields, type PendingJob } from "./head-parts.ts";
import { isWanted } from "./result-intake.ts";

/** A job that is lost more often ends its scan. */
const republishedMax = 3;

interface ReconcileOptions extends Omit<HeadParts, "isConnected"> {
  readonly count: (event: "republished" | "removed") => void;
  /** A job is to be published again. */
  readonly onUnsent: () => void;
  readonly times: Pick<FleetTimes, "ackWaitMs" | "graceMs" | "sendingMs">;
}

/** Longest time of a job from its first delivery: two deliveries, each with the whole deadline, and the way of the result. */
function jobMsMax({ job }: PendingJob, { ackWaitMs, graceMs, sendingMs }: ReconcileOptions["times"]): number {
  return jobDeliveriesMax * (job.deadlines.scanMs + graceMs + ackWaitMs) + sendingMs;
}

/** Whether the result of a scan waits in NATS. @throws if the transport cannot be reached */
export async function hasResult(transport: HeadTransport, { location, job }: PendingJob): Promise<boolean> {
  return keysWithManifest(await transport.results(location)).has(keyOf(job));
}

function keysWithManifest(results: readonly ResultAddress[]): ReadonlySet<string> {
  return new Set(results.filter(({ part }) => part === null).map(keyOf));
}

/** Never rejects: a location that cannot be looked at does not stop the others. */
export async function reconcile(options: ReconcileOptions): Promise<void> {
  const { pendingJobs, store, log } = options;
  const locations = new Set([...store.workers.locations(), ...pendingJobs.list().map(({ location }) => location)]);
  for (const location of locations) {
    await reconcileLocation(options, location).catch((error) => {
      log.warn("scans of a location not compared with NATS", { location, because: messageOf(error) });
    });
  }
}

/** @throws if the transport cannot be reached. */
async function reconcileLocation(options: ReconcileOptions, location: string): Promise<void> {
  const { pendingJobs, transport, clock } = options;
  const lookedAtMs = clock.now().getTime();
  // A worker sends the result before it acknowledges the job: jobs are read first, so that no scan shows neither.
  const jobs = await transport.jobs(location);
  const results = await transport.results(location);
  for (const token of jobs) {
    if (isWanted(options, { token, location })) continue;
    options.count("removed");
    await transport.withdrawJob(location, token);
  }
  await removeUnwanted(options, results);
  const withResult = keysWithManifest(results);
  let delivered: Promise<number> | undefined;
  const deliveredSequence = () => {
    delivered ??= transport.deliveredSequence(location);
    return delivered;
  };
  for (const pending of pendingJobs.list()) {
    if (pending.location !== location || pending.state !== "sent" || withResult.has(keyOf(pending.job))) continue;
    if (jobs.has(pending.job.token)) await endIfOverdue(options, pending, deliveredSequence);
    else if (pending.sentAtMs < lookedAtMs) republish(options, pending);
  }
}

/**
 * Ends the visits of a location where a worker has appeared that cannot make them. NATS then holds none of them, and none of an earlier
 * process.
 * @throws if the transport cannot be reached.
 */
export async function withdrawVisits(
  options: Pick<HeadParts, "pendingJobs" | "transport" | "store" | "log">,
  location: string,
): Promise<void> {
  const { pendingJobs, transport, log } = options;
  const visits = pendingJobs.list().filter((pending) => pending.location === location && pending.job.visit !== undefined);
  const unable = visits.filter(({ state }) => state === "unsent" || state === "sent");
  for (const pending of unable) {
    log.warn("visit withdrawn: a worker of its location cannot make it", jobFields(pending));
    pending.end("worker-too-old");
  }
  const kept = (token: string) => !visits.some(({ job }) => job.token === token) && isWanted(options, { token, location });
  for (const token of await transport.jobs(location)) if (!kept(token)) await transport.withdrawJob(location, token);
}

const keyOf = ({ token, attempt }: { readonly token: string; readonly attempt: number }) => `${token} ${attempt}`;

/** Results of scans that are over, and messages that no honest worker sends. */
async function removeUnwanted(options: ReconcileOptions, results: readonly ResultAddress[]): Promise<void> {
  const { transport, store, count } = options;
  const removed = new Set<string>();
  for (const address of results) {
    const { location, token } = address;
    if (isWanted(options, { location, token })) {
      const worker = store.workers.find(address.worker);
      const isKnown = worker !== undefined && worker.revokedAt === null && worker.location === location;
      const isPlausible = isKnown && address.delivery <= jobDeliveriesMax && (address.part ?? 0) < partsMax && isWanted(options, address);
      if (isPlausible) continue;
      count("removed");
      await transport.removeResultPart(address);
    } else if (!removed.has(`${location} ${token}`)) {
      removed.add(`${location} ${token}`);
      count("removed");
      await transport.removeResults(location, token);
    }
  }
}

function republish({ pendingJobs, count, log, onUnsent }: ReconcileOptions, pending: PendingJob): void {
  const { job } = pending;
  // The scan may have ended while other scans were looked at.
  if (pendingJobs.find(job.token, job.attempt) !== pending || pending.state !== "sent") return;
  if (pending.republished >= republishedMax) {
    log.error("scan was lost in NATS too often", jobFields(pending));
    pending.end("crashed");
    return;
  }
  count("republished");
  log.warn("scan is published again: NATS has lost it", jobFields(pending));
  pending.republished++;
  pending.begunAtMs = null;
  pending.state = "unsent";
  onUnsent();
}

/** A job that was delivered has a time limit. One that waits has none. */
async function endIfOverdue(
  { transport, clock, log, times }: ReconcileOptions,
  pending: PendingJob,
  deliveredSequence: () => Promise<number>,
): Promise<void> {
  const { location, job } = pending;
  if (pending.begunAtMs === null) {
    pending.sequence ??= await transport.sequenceOfJob(location, job.token);
    const isDelivered = pending.sequence !== null && pending.sequence <= (await deliveredSequence());
    if (isDelivered) pending.begunAtMs = clock.now().getTime();
    return;
  }
  if (clock.now().getTime() - pending.begunAtMs < jobMsMax(pending, times) || pending.state !== "sent") return;
  log.error("no worker has finished the scan in time", jobFields(pending));
  transport.cancel(location, { v: job.v, token: job.token, attempt: job.attempt });
  pending.end("timeout");
}

interface RepeatedOptions extends Pick<FleetTimes, "soonMs"> {
  readonly everyMs: number;
  /** Event that is logged for a run that failed. */
  readonly failed: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs an action at an interval, and on request after `soonMs`: several requests are one run. */
export function createRepeated(action: () => Promise<void>, { everyMs, soonMs, failed, clock, log }: RepeatedOptions) {
  let running = false;
  let again = false;
  let stopped = false;

  async function run(): Promise<void> {
    running = true;
    again = false;
    await action().catch((error) => {
      if (!stopped) log.warn(failed, { because: messageOf(error) });
    });
    running = false;
    if (!stopped) cancelRun = clock.after(again ? soonMs : everyMs, run);
  }

  let cancelRun = clock.after(everyMs, run);
  return {
    soon: () => {
      again = true;
      if (running || stopped) return;
      cancelRun();
      cancelRun = clock.after(soonMs, run);
    },
    stop: () => {
      stopped = true;
      cancelRun();
    },
  };
}
