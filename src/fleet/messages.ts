/** Messages between head and workers: plain JSON. Each schema is the type of its message, and checks what arrives. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { headerValueCharsMax, headerValueCharsMaxHighest } from "../evidence/limits.ts";
import { type ProgressStage, progressStages } from "../evidence/scan.ts";
import { parseScanUrl, scanUrlCharsMax } from "../parse/scan-url.ts";
import { defaultDeadlines, type ScanDeadlines } from "../scan/task.ts";
import { isScanToken } from "./subjects.ts";

/** Version of jobs, manifests and presence. A change that the other side would misread raises it. */
export const fleetProtocol = 1;

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

/** Bytes of any note; a real one has 300. */
const noteBytesMax = 4_000;
const textCharsMax = 300;
/** Slots that one worker may state. */
const slotsMax = 256;
/** Bytes of a job: a URL of the greatest length, and 1 KB for the rest. */
const jobBytesMax = scanUrlCharsMax + 1_024;
/** Longest deadline of a job: one hour. Workers have lower ones of their own. */
const deadlineMsMax = 3_600_000;
/** Bytes of a compressed result, and of a screenshot. */
export const packedBytesMax = 4 * 1024 ** 2;

const v = Type.Literal(fleetProtocol);
const count = Type.Integer({ minimum: 0 });
/** One line without control characters. TypeBox compiles patterns without the flag that `\p` needs. */
const text = Type.String({ maxLength: textCharsMax, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" });

/** Request of a worker, every `presenceEveryMs`. */
const presence = Type.Object({
  v,
  /** Release of assay. */
  version: Type.String({ maxLength: 64, pattern: "^[\\w.+-]+$" }),
  evidenceVersion: count,
  slots: Type.Integer({ minimum: 0, maximum: slotsMax }),
  busy: count,
  /** Whether the settings of the worker let scans reach private addresses. */
  reach: Type.Union([Type.Literal("public"), Type.Literal("private")]),
  /** Scans since the start of the worker. */
  scansDone: count,
  lastFault: Type.Union([text, Type.Null()]),
});
export type PresenceNote = Readonly<Static<typeof presence>>;
export type WorkerReach = PresenceNote["reach"];

export const presenceAnswers = ["accepted", "drained", "revoked", "unknown", "too-old", "too-new", "private-location"] as const;
/** Only `accepted` lets a worker take jobs. */
export type PresenceAnswer = (typeof presenceAnswers)[number];

export interface PresenceReply {
  readonly v: typeof fleetProtocol;
  readonly answer: PresenceAnswer;
  /** What to do, for the log of the worker; one line. */
  readonly text: string;
}

/** Progress of a scan, unacknowledged: the next note makes up for a lost one. `stage` is null before the first stage. */
const progress = Type.Object({
  v,
  attempt: Type.Integer({ minimum: 1 }),
  stage: Type.Union([...progressStages.map((stage) => Type.Literal(stage)), Type.Null()]),
});
export type ProgressNote = Readonly<Omit<Static<typeof progress>, "stage">> & { readonly stage: ProgressStage | null };

/** From head to the workers of a location: the scan is not wanted any more. */
export type CancelNote = Pick<FleetJob, "v" | "token" | "attempt">;

/** Reply on `headSubject`: the head that is in charge of the streams, by the id of its store and of its process. */
const head = Type.Object({
  v,
  instance: Type.String({ maxLength: 64, pattern: "^\\w*$" }),
  process: Type.String({ maxLength: 64, pattern: "^[\\w-]+$" }),
});
export type HeadNote = Readonly<Static<typeof head>>;

/** One sequence of bytes that was cut into parts, with the SHA-256 of the whole. */
const sentBytes = Type.Object({
  bytes: Type.Integer({ minimum: 1, maximum: packedBytesMax }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  parts: Type.Integer({ minimum: 1, maximum: Math.ceil(packedBytesMax / partBytesMax) }),
});
export type SentBytes = Readonly<Static<typeof sentBytes>>;

/** Last message of a result. The parts of `result`, a `SentResult` compressed with zstd, come before the parts of the screenshot. */
const manifest = Type.Object({ v, evidenceVersion: count, result: sentBytes, screenshot: Type.Union([sentBytes, Type.Null()]) });
export type ResultManifest = Readonly<Static<typeof manifest>>;

const deadlineMs = Type.Integer({ minimum: 1, maximum: deadlineMsMax });
const settleMs = Type.Integer({ minimum: 0, maximum: deadlineMsMax });
/** Address of a result, also where the rest of a job is not understood. */
const addressed = { token: Type.String(), attempt: Type.Integer({ minimum: 1, maximum: 999_999_999 }) };
/** From head to worker. Egress policy, certificates, resolvers and browser are settings of the worker itself. */
const job = Type.Object({
  ...addressed,
  v,
  url: Type.String({ maxLength: scanUrlCharsMax }),
  /** ISO 8601, UTC: by the clock of the head. */
  scannedAt: Type.String({ maxLength: 30 }),
  deadlines: Type.Object({
    ...{ scanMs: deadlineMs, navigationMs: deadlineMs, settleMs, settleMaxMs: settleMs },
    ...{ documentMs: deadlineMs, probeMs: deadlineMs, judgeMs: deadlineMs },
  }),
  screenshot: Type.Boolean(),
  /** Request that started the scan, for the log. Older workers ignore it. */
  requestId: Type.Optional(Type.String({ pattern: "^[\\w-]{1,64}$" })),
  /** Characters kept of a header value. */
  headerCharsMax: Type.Integer({ minimum: headerValueCharsMax, maximum: headerValueCharsMaxHighest }),
});
export type FleetJob = Readonly<Static<typeof job>> & { readonly requestId?: string | undefined };

const checks = {
  presence: TypeCompiler.Compile(presence),
  progress: TypeCompiler.Compile(progress),
  head: TypeCompiler.Compile(head),
  anyVersion: TypeCompiler.Compile(Type.Object({ v: count })),
  addressed: TypeCompiler.Compile(Type.Object(addressed)),
  job: TypeCompiler.Compile(job),
};
export const manifestCheck = TypeCompiler.Compile(manifest);

/** A note of this protocol, else null. */
export const parsePresenceNote = (bytes: Uint8Array): PresenceNote | null => parsed(checks.presence, bytes);
export const parseProgressNote = (bytes: Uint8Array): ProgressNote | null => parsed(checks.progress, bytes) as ProgressNote | null;
export const parseHeadNote = (bytes: Uint8Array): HeadNote | null => parsed(checks.head, bytes);

/** Version of the protocol of a note whose other fields may be unknown; null if it states none. */
export function protocolOf(bytes: Uint8Array): number | null {
  return parsed(checks.anyVersion, bytes)?.v ?? null;
}

function parsed<T extends TSchema>(schema: TypeCheck<T>, bytes: Uint8Array): Static<T> | null {
  if (bytes.length > noteBytesMax) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return schema.Check(value) ? value : null;
  } catch {
    return null;
  }
}

/** `address` is null if the sender can not be answered either. `fault` continues "a job ...". */
export interface RefusedJob {
  readonly fault: string;
  readonly address: Pick<FleetJob, "token" | "attempt"> | null;
}

/** `own`: deadlines of the settings of this worker. No deadline of the returned job is longer. */
export function parseFleetJob(data: Uint8Array, own: ScanDeadlines): FleetJob | RefusedJob {
  if (data.length > jobBytesMax) return { fault: `has more than ${jobBytesMax} bytes`, address: null };
  const sent = jsonOf(data);
  if (!checks.addressed.Check(sent)) return { fault: "is not JSON with token and attempt", address: null };
  if (!isScanToken(sent.token)) return { fault: "has a token in a wrong form", address: null };
  const address = { token: sent.token, attempt: sent.attempt };
  if (!checks.job.Check(sent)) return { fault: `has a wrong value at ${checks.job.Errors(sent).First()?.path ?? "its top"}`, address };
  const parsed = parseScanUrl(sent.url);
  if ("fault" in parsed) return { fault: `has a url that ${parsed.fault}`, address };
  if (parsed.url !== sent.url) return { fault: "has a url in another form than its stored one", address };
  if (!isInstant(sent.scannedAt)) return { fault: "has no valid time", address };
  return { ...sent, deadlines: lowerOf(sent.deadlines, own) };
}

function lowerOf(asked: ScanDeadlines, own: ScanDeadlines): ScanDeadlines {
  const names = Object.keys(defaultDeadlines) as (keyof ScanDeadlines)[];
  return Object.fromEntries(names.map((name) => [name, Math.min(asked[name], own[name])])) as unknown as ScanDeadlines;
}

/** ISO 8601 in UTC, as `Date` writes it. */
function isInstant(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
  } catch {
    return null;
  }
}
