/** Publishes jobs, and again while NATS is away or its stream is full. */
import { type Log, messageOf } from "../../base/log.ts";
import type { JobBoard, JobOut } from "./job-board.ts";
import type { HeadTransport } from "./transport.ts";

export interface JobPublisher {
  /** Publishes every unsent job, now or as soon as it is possible. */
  wake(): void;
  /** Clause for readiness: why jobs cannot be published; null while they can. */
  fault(): string | null;
  stop(): void;
}

const retryMsMax = 30_000;

export function createJobPublisher(
  board: JobBoard,
  transport: HeadTransport,
  options: { readonly log: Log; readonly retryMs: number },
): JobPublisher {
  const { log, retryMs } = options;
  let running = false;
  let stopped = false;
  let failures = 0;
  let fault: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function publishAll(): Promise<void> {
    for (let next = nextUnsent(); next !== undefined && !stopped; next = nextUnsent()) await publish(next);
  }

  const nextUnsent = () => board.list().find(({ state }) => state === "unsent");

  async function publish(out: JobOut): Promise<void> {
    const { location, job } = out;
    // A job of an earlier attempt would keep this one out.
    if (job.attempt > 1) await transport.withdrawJob(location, job.token);
    const sequence = await transport.publishJob(location, job);
    out.sequence = sequence;
    out.sentAtMs = Date.now();
    if (out.state === "unsent") out.state = "sent";
    // The scan has ended in the meantime. Without this, a worker could still take it.
    if (board.find(job.token, job.attempt) !== out) await transport.withdrawJob(location, job.token);
  }

  async function run(): Promise<void> {
    running = true;
    clearTimeout(timer);
    try {
      await publishAll();
      if (failures > 0) log.info("scans are published again", { failures });
      failures = 0;
      fault = null;
    } catch (error) {
      const because = messageOf(error);
      if (failures === 0) log.warn("scans cannot be published; they wait", { because });
      failures++;
      fault = /maximum bytes|resource limits|insufficient/i.test(because)
        ? "the stream of scans in NATS is full"
        : "scans cannot be published";
      if (!stopped) timer = setTimeout(wake, Math.min(retryMsMax, retryMs * 2 ** Math.min(failures, 10)));
    } finally {
      running = false;
    }
  }

  function wake(): void {
    if (!running && !stopped) void run();
  }

  return {
    wake,
    fault: () => fault,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
