/** Messages between head and workers: plain JSON. Each schema is the type of its message, and checks what arrives. */
import { isUtf8 } from "node:buffer";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { isObject } from "../base/is-object.ts";
import { type Fact, literalOf, orNull } from "../evidence/fields.ts";
import { headerValueCharsMax, headerValueCharsMaxHighest } from "../evidence/limits.ts";
import { progressStages } from "../evidence/scan.ts";
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
const cancelBytesMax = 1_024;
/** A real manifest has 300. */
const manifestBytesMax = 2_000;
const textCharsMax = 300;
/** Slots that one worker may state. */
const slotsMax = 256;
/** Bytes of a job: a URL of the greatest length, and 1 KB for the rest. */
const jobBytesMax = scanUrlCharsMax + 1_024;
/** Bytes of a job that visits a page for a proof, with the headers of the proof. */
export const visitJobBytesMax = 32 * 1_024;
/** Headers that one visit replaces, and addresses that it answers by itself. */
const overridesMax = 64;
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
  reach: literalOf("public", "private"),
  /** Scans since the start of the worker. */
  scansDone: count,
  lastFault: orNull(text),
  /** Whether the worker can visit pages for proofs. Older workers do not say so. */
  visits: Type.Optional(Type.Boolean()),
});
export type PresenceNote = Readonly<Static<typeof presence>>;
export type WorkerReach = PresenceNote["reach"];

export const presenceAnswers = ["accepted", "drained", "revoked", "unknown", "too-old", "too-new", "private-location"] as const;
/** Only `accepted` lets a worker take jobs. */
export type PresenceAnswer = (typeof presenceAnswers)[number];

/** `text`: what to do, for the log of the worker; one line. */
const presenceReply = Type.Object({ v, answer: literalOf(...presenceAnswers), text: Type.String() });
export type PresenceReply = Readonly<Static<typeof presenceReply>>;

/** Progress of a scan, unacknowledged: the next note makes up for a lost one. `stage` is null before the first stage. */
const progress = Type.Object({ v, attempt: Type.Integer({ minimum: 1 }), stage: orNull(literalOf(...progressStages)) });
export type ProgressNote = Readonly<Static<typeof progress>>;

/** Address of a result, also where the rest of a job is not understood. */
const addressed = { token: Type.String(), attempt: Type.Integer({ minimum: 1, maximum: 999_999_999 }) };
/** Message from the head to the workers of a location: the scan is not wanted any more. */
const cancel = Type.Object({ ...addressed, v });
export type CancelNote = Readonly<Static<typeof cancel>>;

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
const manifest = Type.Object({ v, evidenceVersion: count, result: sentBytes, screenshot: orNull(sentBytes) });
export type ResultManifest = Readonly<Static<typeof manifest>>;

const deadlineMs = Type.Integer({ minimum: 1, maximum: deadlineMsMax });
const settleMs = Type.Integer({ minimum: 0, maximum: deadlineMsMax });
/** As `PageOverrides`. The bytes of the job bound the texts. */
const overrides = Type.Object({
  origin: Type.String(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: orNull(Type.String()) }), { maxItems: overridesMax }),
  nonce: orNull(Type.String()),
  canaries: orNull(
    Type.Object({
      ...{ token: Type.String({ pattern: "^[\\w+/=-]+$" }), host: Type.String(), html: Type.String() },
      withoutMetaPolicies: Type.Boolean(),
      answers: Type.Array(Type.Object({ url: Type.String(), name: Type.String() }), { maxItems: overridesMax }),
    }),
  ),
});

const visit = Type.Object({ overrides: orNull(overrides) });

/** Message from head to worker. Egress policy, certificates, resolvers and browser are settings of the worker itself. */
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
  /** One visit of a proof instead of a scan. Older workers would scan: they never get such a job. */
  visit: Type.Optional(visit),
});
export interface FleetJob extends Readonly<Omit<Static<typeof job>, "requestId" | "visit">> {
  readonly requestId?: string | undefined;
  readonly visit?: Fact<typeof visit> | undefined;
}

/** The function that reads one kind of message; it returns null for any other bytes. */
function readerOf<T extends TSchema>(schema: T, bytesMax = noteBytesMax) {
  const check = TypeCompiler.Compile(schema);
  return (bytes: Uint8Array): Static<T> | null => {
    const value = bytes.length > bytesMax ? null : jsonOf(bytes);
    return check.Check(value) ? value : null;
  };
}

export const parsePresenceNote = readerOf(presence);
export const parsePresenceReply = readerOf(presenceReply);
export const parseProgressNote = readerOf(progress);
export const parseCancelNote = readerOf(cancel, cancelBytesMax);
export const parseHeadNote = readerOf(head);
export const parseResultManifest = readerOf(manifest, manifestBytesMax);
/** Version of the protocol of a note whose other fields may be unknown. */
export const parseVersion = readerOf(Type.Object({ v: count }));

/** Null for bytes that are not JSON in UTF-8. */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return null;
  }
}

const addressCheck = TypeCompiler.Compile(Type.Object(addressed));
const jobCheck = TypeCompiler.Compile(job);

/** `address` is null if the sender can not be answered either. `fault` continues "a job ...". */
export interface RefusedJob {
  readonly fault: string;
  readonly address: Pick<FleetJob, "token" | "attempt"> | null;
}

/** `own`: deadlines of the settings of this worker. No deadline of the returned job is longer. */
export function parseFleetJob(data: Uint8Array, own: ScanDeadlines): FleetJob | RefusedJob {
  if (data.length > visitJobBytesMax) return { fault: `has more than ${visitJobBytesMax} bytes`, address: null };
  const sent = isUtf8(data) ? jsonOf(data) : null;
  const isScan = !isObject(sent) || sent.visit === undefined;
  if (isScan && data.length > jobBytesMax) return { fault: `has more than ${jobBytesMax} bytes`, address: null };
  if (!addressCheck.Check(sent)) return { fault: "is not JSON with token and attempt", address: null };
  if (!isScanToken(sent.token)) return { fault: "has a token in a wrong form", address: null };
  const address = { token: sent.token, attempt: sent.attempt };
  if (!jobCheck.Check(sent)) return { fault: `has a wrong value at ${jobCheck.Errors(sent).First()?.path ?? "its top"}`, address };
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
