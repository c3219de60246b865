/** Scans that are out: published for workers, or soon to be, until their outcome is stored. */
import type { Clock } from "../../base/clock.ts";
import type { Log, LogFields } from "../../base/log.ts";
import type { ProgressStage, ScanErrorCode } from "../../evidence/scan.ts";
import { scanFields } from "../../scan/gatherer.ts";
import type { Gathered } from "../../scan/task.ts";
import type { FleetJob } from "../messages.ts";
import type { FleetStore } from "./fleet-store.ts";
import type { HeadTransport } from "./transport.ts";

/** What the parts of a head share. */
export interface HeadParts {
  readonly board: JobBoard;
  readonly transport: HeadTransport;
  readonly isConnected: () => boolean;
  readonly store: FleetStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface JobOut {
  readonly location: string;
  readonly job: FleetJob;
  readonly onStage: (stage: ProgressStage) => void;
  /** Only the first call counts. */
  readonly end: (gathered: Gathered | ScanErrorCode) => void;
  /**
   * `unsent`: to be published. `sent`: published, by this process or an earlier one. `reading`: a result is being read.
   * `ended`: the outcome is known, and not released yet.
   */
  state: "unsent" | "sent" | "reading" | "ended";
  /** Id of the worker that was last heard of with this scan; null before. */
  worker: string | null;
  /** In the stream of jobs; null if unknown. */
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
export function jobFields({ location, job, worker }: Pick<JobOut, "location" | "job" | "worker">): LogFields {
  return { ...scanFields(job.url, { ...job, location }), ...(worker === null ? {} : { worker }) };
}

export interface JobBoard {
  /** A job of an earlier attempt is replaced. */
  add(job: JobOut): void;
  /** Undefined if the scan is not out, or with another attempt than the one named. */
  find(token: string, attempt?: number): JobOut | undefined;
  remove(job: JobOut): void;
  list(): readonly JobOut[];
}

export function createJobBoard(): JobBoard {
  const jobs = new Map<string, JobOut>();
  return {
    add: (job) => void jobs.set(job.job.token, job),
    find: (token, attempt) => {
      const job = jobs.get(token);
      return attempt === undefined || job?.job.attempt === attempt ? job : undefined;
    },
    remove: (job) => {
      if (jobs.get(job.job.token) === job) jobs.delete(job.job.token);
    },
    list: () => [...jobs.values()],
  };
}
