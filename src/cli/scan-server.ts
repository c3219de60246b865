/** Scans on a server, through its API: started once, followed to their end, and read as they are stored. */
import { serverCatalogOf } from "../app/server-catalog.ts";
import { openServerClient, type ServerAddress, type ServerClient, type StoredScanBody } from "../app/server-client.ts";
import { evidenceIn } from "../authoring/evidence-file.ts";
import { pause, systemClock } from "../base/clock.ts";
import type { ScanErrorCode } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import { CliError, exitCodes } from "./exit.ts";
import type { ScannedUrl } from "./scan-outcome.ts";
import type { ScanOrder, ScanSource } from "./scan-source.ts";
import { createPatience, Interrupted, type Patience } from "./server-patience.ts";
import { type FollowedScans, followedScans } from "./server-scans.ts";
import { note, printError, stripControls } from "./terminal.ts";

export interface ServerTarget extends ServerAddress {
  /** Null for the location of the server itself. */
  readonly location: string | null;
}

/** In milliseconds. */
interface ServerTiming {
  /** Without an answer before scans are accepted, while the address may be wrong. */
  readonly startPatienceMs: number;
  /** Without an answer afterwards. A restart takes less. */
  readonly runPatienceMs: number;
  /** Before the second attempt of a request; then longer. */
  readonly repeatMs: number;
  /** In which a full queue takes no further scan, and no scan ends. */
  readonly queuePatienceMs: number;
  /** Before the first look at the scans. */
  readonly lookMsFirst: number;
  /** Between two looks when a scan has moved on; longer while none does. The limit of requests is 60 a minute. */
  readonly lookMsMin: number;
  readonly lookMsMax: number;
}

const timingDefault: ServerTiming = {
  startPatienceMs: 10_000,
  runPatienceMs: 300_000,
  repeatMs: 500,
  queuePatienceMs: 600_000,
  lookMsFirst: 100,
  lookMsMin: 2_000,
  lookMsMax: 10_000,
};
const lookGrowth = 1.6;
/** For cancelling scans after an interruption. */
const leaveMs = 10_000;
/** Scans that a message names one by one. */
const namedMax = 10;

/** @throws CliError if the server, its token or its checks cannot be used. */
export async function openServerSource(target: ServerTarget, stop: AbortSignal, timing: ServerTiming = timingDefault): Promise<ScanSource> {
  const client = openServerClient(target, stop);
  let accepted = false;
  const patient = createPatience({
    stop,
    repeatMs: timing.repeatMs,
    limitMs: () => (accepted ? timing.runPatienceMs : timing.startPatienceMs),
  });
  try {
    const catalog = await patient(async () => serverCatalogOf(await client.checks()));
    return {
      catalog,
      origin: target.origin,
      scan: (order) => {
        const onAccepted = () => {
          accepted = true;
        };
        return scanAll({ ...order, target, client, patient, timing, onAccepted });
      },
      close: async () => client.close(),
    };
  } catch (error) {
    client.close();
    throw error instanceof Interrupted ? new CliError(exitCodes.interrupted, "interrupted; no scan was started") : error;
  }
}

interface ServerRun extends ScanOrder {
  readonly target: ServerTarget;
  readonly client: ServerClient;
  readonly patient: Patience;
  readonly timing: ServerTiming;
  /** Called when the server has accepted a scan. */
  readonly onAccepted: () => void;
}

async function scanAll(run: ServerRun): Promise<readonly ScannedUrl[]> {
  const scans = followedScans(run.urls);
  try {
    await follow(run, scans);
  } catch (error) {
    await leave(run, scans);
    if (!(error instanceof Interrupted)) throw error;
  }
  return scans.over();
}

/** @throws CliError, Interrupted */
async function follow(run: ServerRun, scans: FollowedScans): Promise<void> {
  const { stop, timing } = run;
  const { lookMsFirst, lookMsMin, lookMsMax, queuePatienceMs } = timing;
  const idempotencyKey = crypto.randomUUID();
  let startAt = 0;
  let startedAt = 0;
  let lastGainAt = performance.now();
  for (let lookMs = lookMsFirst; ; lookMs = Math.min(lookMs * lookGrowth, lookMsMax)) {
    if (scans.unstarted().length > 0 && performance.now() >= startAt) {
      const { started, retryAfterMs } = await start(run, scans, idempotencyKey);
      if (started > 0) lastGainAt = performance.now();
      startedAt = performance.now();
      startAt = startedAt + retryAfterMs;
    }
    await pause(systemClock, lookMs, stop);
    if (stop.aborted) throw new Interrupted();
    const gained = await look(run, scans);
    if (scans.isDone()) return;
    if (gained) {
      lookMs = lookMsMin / lookGrowth;
      lastGainAt = performance.now();
      // An ended scan left a place in the queue.
      startAt = Math.min(startAt, startedAt + lookMsMax);
    } else if (scans.unstarted().length > 0 && performance.now() - lastGainAt > queuePatienceMs)
      throw new CliError(
        exitCodes.internal,
        `the queue of ${run.target.origin} is full: ${scans.unstarted().length} scans were not started`,
      );
  }
}

/** The same order each time, so that the server starts only what it has not. @throws CliError */
async function start(run: ServerRun, scans: FollowedScans, idempotencyKey: string) {
  const { client, patient, target, urls, progress, timing } = run;
  const before = scans.unstarted().length;
  const order = { urls, location: target.location, idempotencyKey };
  const { lines, retryAfterMs } = await patient(() => client.start(order)).catch((error) => {
    // A refusal starts nothing; a lost answer may have.
    if (!(error instanceof CliError && error.exitCode === exitCodes.usage))
      printError(`assay: no answer to the start of the scans; if they were started, they are at ${target.origin}/account/scans`);
    throw error;
  });
  for (const [at, line] of lines.entries()) {
    const url = urls[at] ?? "";
    if ("token" in line) {
      run.onAccepted();
      if (scans.begin(url, line)) progress.waiting(url);
    } else if (line.error.status !== 503) throw new CliError(exitCodes.usage, stripControls(`${url}: ${line.error.message}`));
  }
  const left = scans.unstarted().length;
  if (left > 0 && left === before) note("assay: the queue of the server is full; waiting");
  return { started: before - left, retryAfterMs: retryAfterMs ?? timing.lookMsMax };
}

/** Reads what has changed. True if a scan has moved on. @throws CliError, Interrupted */
async function look(run: ServerRun, scans: FollowedScans): Promise<boolean> {
  const { client, patient, progress, target } = run;
  if (scans.open().length === 0) return false;
  const { ended, moved, gone, locations } = await scans.look((cursor) => patient(() => client.list(cursor)));
  const other = [...locations].find((location) => location !== (target.location ?? localLocation));
  // A server without locations ignores the field of the request.
  if (other !== undefined)
    throw new CliError(
      exitCodes.usage,
      `${target.origin} scans from ${stripControls(other)}, not from ${target.location ?? localLocation}; update the server`,
    );
  for (const { url, stage } of moved) if (stage !== null) progress.stage(url, stage);
  for (const { url, token } of ended) {
    const body = await patient(() => client.result(token));
    if (body.token !== token || body.url !== url)
      throw new CliError(exitCodes.internal, `${target.origin} gives the result of another scan for ${url}`);
    scans.end(url, scannedOf(url, body, target.origin));
    progress.ended(url, scans.statusOf(url));
  }
  for (const { url, token } of gone) {
    printError(`assay: ${stripControls(url)}: the server has no scan ${token} any more; it was cancelled there`);
    scans.end(url, {
      url,
      token,
      endedAt: new Date().toISOString(),
      outcome: { status: "failed", code: "interrupted", evidence: null, timings: null },
    });
    progress.ended(url, "cancelled");
  }
  return ended.length + moved.length + gone.length > 0;
}

/** @throws CliError for a body that contradicts itself. */
function scannedOf(url: string, body: StoredScanBody, origin: string): ScannedUrl {
  const { token, location, status, errorCode, endedAt, result, timings } = body;
  const evidence = body.evidence === null ? null : evidenceIn(body.evidence);
  if (evidence !== null && "fault" in evidence)
    throw new CliError(exitCodes.internal, `the result of ${origin} for ${url} ${evidence.fault}; update the older one of both`);
  const scan = { url, token, location, endedAt };
  const gathered = { evidence: evidence?.evidence ?? null, timings };
  if (status === "finished" && result !== null)
    return { ...scan, outcome: { status: "finished", result: result as StoredResult, ...gathered } };
  // A code that this program does not know has a general text.
  return { ...scan, outcome: { status: "failed", code: (errorCode ?? "crashed") as ScanErrorCode, ...gathered } };
}

/** After an interruption or a failure: cancels scans that wait, and says which go on and where to read them. */
async function leave({ client, target }: ServerRun, scans: FollowedScans): Promise<void> {
  const left = scans.open();
  const endsAt = performance.now() + leaveMs;
  const goOn: (typeof left)[number][] = [];
  let cancelled = 0;
  for (const scan of left) {
    const isCancelled = performance.now() < endsAt && (await client.cancel(scan.token).catch(() => false));
    if (isCancelled) cancelled += 1;
    else goOn.push(scan);
  }
  if (cancelled > 0) printError(`assay: cancelled on the server, as they still waited: ${cancelled}`);
  for (const { url, token } of goOn.slice(0, namedMax))
    printError(`assay: the scan of ${stripControls(url)} goes on: ${target.origin}/scans/${token}`);
  if (goOn.length > namedMax) printError(`assay: ${goOn.length - namedMax} more go on: ${target.origin}/account/scans`);
}
