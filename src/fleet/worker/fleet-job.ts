/** Jobs as a worker takes them: checked strictly, and bounded by the worker's own settings. */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { headerValueCharsMax, headerValueCharsMaxHighest } from "../../evidence/limits.ts";
import { parseScanUrl, scanUrlCharsMax } from "../../parse/scan-url.ts";
import type { ScanDeadlines } from "../../scan/task.ts";
import { type FleetJob, fleetProtocol } from "../messages.ts";
import { isScanToken } from "../subjects.ts";

/** Bytes of a job: a URL of the greatest length, and 1 KB for the rest. */
const jobBytesMax = scanUrlCharsMax + 1_024;
/** Each deadline of a job; those of the worker are lower. One hour. */
const deadlineMsMax = 3_600_000;

const deadlineMs = Type.Integer({ minimum: 1, maximum: deadlineMsMax });
const deadlines = Type.Object({
  scanMs: deadlineMs,
  navigationMs: deadlineMs,
  settleMs: Type.Integer({ minimum: 0, maximum: deadlineMsMax }),
  settleMaxMs: Type.Integer({ minimum: 0, maximum: deadlineMsMax }),
  documentMs: deadlineMs,
  probeMs: deadlineMs,
  judgeMs: deadlineMs,
});

/** What a result can be addressed by, also where the rest of a job is not understood. */
const addressed = { token: Type.String(), attempt: Type.Integer({ minimum: 1, maximum: 999_999_999 }) };
const addressedJob = TypeCompiler.Compile(Type.Object(addressed));
const fleetJob = TypeCompiler.Compile(
  Type.Object({
    ...addressed,
    v: Type.Literal(fleetProtocol),
    url: Type.String({ maxLength: scanUrlCharsMax }),
    scannedAt: Type.String({ maxLength: 30 }),
    deadlines,
    screenshot: Type.Boolean(),
    requestId: Type.Optional(Type.String({ pattern: "^[\\w-]{1,64}$" })),
    headerCharsMax: Type.Integer({ minimum: headerValueCharsMax, maximum: headerValueCharsMaxHighest }),
  }),
);

/** `address` is null if the sender can not be answered either. `fault` continues "a job ...". */
export interface RefusedJob {
  readonly fault: string;
  readonly address: Pick<FleetJob, "token" | "attempt"> | null;
}

/** `own`: deadlines of the settings of this worker. Every deadline of the returned job is at most that of the worker. */
export function parseFleetJob(data: Uint8Array, own: ScanDeadlines): FleetJob | RefusedJob {
  if (data.length > jobBytesMax) return { fault: `has more than ${jobBytesMax} bytes`, address: null };
  const job = jsonOf(data);
  if (!addressedJob.Check(job)) return { fault: "is not JSON with token and attempt", address: null };
  if (!isScanToken(job.token)) return { fault: "has a token in a wrong form", address: null };
  const address = { token: job.token, attempt: job.attempt };
  if (!fleetJob.Check(job)) return { fault: `has a wrong value at ${fleetJob.Errors(job).First()?.path ?? "its top"}`, address };
  const parsed = parseScanUrl(job.url);
  if ("fault" in parsed) return { fault: `has a url that ${parsed.fault}`, address };
  if (parsed.url !== job.url) return { fault: "has a url in another form than its stored one", address };
  if (!isInstant(job.scannedAt)) return { fault: "has no valid time", address };
  return { ...job, deadlines: lowerOf(job.deadlines, own) };
}

function lowerOf(asked: ScanDeadlines, own: ScanDeadlines): ScanDeadlines {
  return {
    scanMs: Math.min(asked.scanMs, own.scanMs),
    navigationMs: Math.min(asked.navigationMs, own.navigationMs),
    settleMs: Math.min(asked.settleMs, own.settleMs),
    settleMaxMs: Math.min(asked.settleMaxMs, own.settleMaxMs),
    documentMs: Math.min(asked.documentMs, own.documentMs),
    probeMs: Math.min(asked.probeMs, own.probeMs),
    judgeMs: Math.min(asked.judgeMs, own.judgeMs),
  };
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
