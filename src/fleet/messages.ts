/** Messages between head and workers: plain JSON. Each side bounds and checks what the other sends. */
import type { ProgressStage } from "../evidence/scan.ts";
import type { ScanDeadlines } from "../scan/task.ts";

/** Version of jobs, manifests and presence. A change that the other side would misread raises it. */
export const fleetProtocol = 1;

/** From head to worker. Egress policy, certificates, resolvers and browser are settings of the worker itself. */
export interface FleetJob {
  readonly v: typeof fleetProtocol;
  readonly token: string;
  /** Attempt of the stored scan, from 1. */
  readonly attempt: number;
  readonly url: string;
  /** ISO 8601, UTC: by the clock of the head. */
  readonly scannedAt: string;
  readonly deadlines: ScanDeadlines;
  readonly screenshot: boolean;
  /** Characters kept of a header value. */
  readonly headerCharsMax: number;
  /** Of the request that started the scan, for the log. Older workers ignore it. */
  readonly requestId?: string | undefined;
}

/** From worker to head, unacknowledged: a lost one is made up for by the next. */
export interface ProgressNote {
  readonly v: typeof fleetProtocol;
  readonly attempt: number;
  /** Null when the worker has begun and no stage has. */
  readonly stage: ProgressStage | null;
}

/** Whether the settings of a worker let scans reach private addresses. */
export type WorkerReach = "public" | "private";

/** Request of a worker, every `presenceEveryMs`. */
export interface PresenceNote {
  readonly v: typeof fleetProtocol;
  /** Release of assay. */
  readonly version: string;
  readonly evidenceVersion: number;
  readonly slots: number;
  readonly busy: number;
  readonly reach: WorkerReach;
  /** Scans since the start of the worker. */
  readonly scansDone: number;
  /** One line; null without. */
  readonly lastFault: string | null;
}

export const presenceAnswers = ["accepted", "drained", "revoked", "unknown", "too-old", "too-new", "private-location"] as const;
/** Only `accepted` lets a worker take jobs. */
export type PresenceAnswer = (typeof presenceAnswers)[number];

export interface PresenceReply {
  readonly v: typeof fleetProtocol;
  readonly answer: PresenceAnswer;
  /** What to do, for the log of the worker; one line. */
  readonly text: string;
}

/** From head to the workers of a location: the scan is not wanted any more. */
export interface CancelNote {
  readonly v: typeof fleetProtocol;
  readonly token: string;
  readonly attempt: number;
}

/** Reply on `headSubject`: the head that is in charge of the streams. */
export interface HeadNote {
  readonly v: typeof fleetProtocol;
  /** Of the store. */
  readonly instance: string;
  /** Of this process. */
  readonly process: string;
}

/** One sequence of bytes that was cut into parts. */
export interface SentBytes {
  readonly bytes: number;
  /** Hexadecimal, of the whole. */
  readonly sha256: string;
  readonly parts: number;
}

/** Last message of a result. The parts of `result` come first, then those of the screenshot. */
export interface ResultManifest {
  readonly v: typeof fleetProtocol;
  readonly evidenceVersion: number;
  /** JSON of a `SentResult`, compressed with zstd. */
  readonly result: SentBytes;
  readonly screenshot: SentBytes | null;
}

/** Interval of presence. */
export const presenceEveryMs = 10_000;
/** Without a message for so long, the slots of a worker do not count, and a worker takes no jobs. */
export const presenceLapsesMs = 3 * presenceEveryMs;
/** Time after which JetStream delivers a job again unless the worker says that it works. */
export const jobAckWaitMs = 30_000;
export const jobWorkingEveryMs = 10_000;
/** A job is delivered once more after a lost worker. */
export const jobDeliveriesMax = 2;
/** Each part of a result; below the 1 MiB that nats-server allows by default. */
export const partBytesMax = 900_000;
