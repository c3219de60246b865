/** Publishes jobs, and again while NATS is away or its stream is full. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/log.ts";
import type { HeadParts, JobBoard, JobOut } from "./job-board.ts";
import type { HeadTransport } from "./transport.ts";

export interface JobPublisher {
  /** Publishes every unsent job, as soon as it is possible. To be called after each connection. */
  wake(): void;
  /** Clause for readiness: why jobs cannot be published; null while they can. */
  fault(): string | null;
  stop(): void;
}

export interface JobPublisherOptions extends Pick<HeadParts, "isConnected" | "clock" | "log"> {
  /** First wait before a retry; it doubles with each. */
  readonly retryMs: number;
}

const retryMsMax = 30_000;

interface PublishFault {
  readonly location: string;
  readonly because: string;
}

function clauseOf({ location, because }: PublishFault): string {
  const isFull = /maximum bytes|resource limits|insufficient/i.test(because);
  return `scans of the location ${location} cannot be published${isFull ? ": its stream in NATS is full" : ""}`;
}

export function createJobPublisher(board: JobBoard, transport: HeadTransport, options: JobPublisherOptions): JobPublisher {
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
    const nextUnsent = () => board.list().find(({ state, location }) => state === "unsent" && !errors.has(location));
    for (let next = nextUnsent(); next !== undefined && !stopped; next = nextUnsent()) {
      const { location } = next;
      await publish(board, transport, next, clock).catch((error) => errors.set(location, error));
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

  function wake(): void {
    if (running) again = true;
    else if (!stopped && isConnected()) void run();
  }

  return {
    wake,
    fault: () => fault,
    stop: () => {
      stopped = true;
      cancelRetry();
    },
  };
}

/** @throws if the transport cannot be reached. */
async function publish(board: JobBoard, transport: HeadTransport, out: JobOut, clock: Clock): Promise<void> {
  const { location, job } = out;
  // A job of an earlier attempt would keep this one out.
  if (job.attempt > 1) await transport.withdrawJob(location, job.token);
  // The scan may have been cancelled during the withdrawal.
  if (out.state === "ended") return;
  const sequence = await transport.publishJob(location, job);
  out.sequence = sequence;
  out.sentAtMs = clock.now().getTime();
  if (out.state === "unsent") out.state = "sent";
  // The scan has ended in the meantime. Without this, a worker could still take it.
  if (board.find(job.token, job.attempt) === out) return;
  await transport.withdrawJob(location, job.token);
  transport.cancel(location, { v: job.v, token: job.token, attempt: job.attempt });
}
