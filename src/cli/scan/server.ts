/** Scans on a server, through its API: started once, followed to their end, and read as they are stored. */

import { evidenceIn } from "../../authoring/evidence-file.ts";
import { pause, systemClock } from "../../base/clock.ts";
import type { ProgressStage, ScanErrorCode } from "../../evidence/scan.ts";
import type { StoredResult } from "../../judge/result.ts";
import { localLocation } from "../../parse/location.ts";
import { CliError, exitCodes } from "../exit.ts";
import { note, printError, stripControls } from "../terminal.ts";
import type { ScannedUrl, ScanOrder, ScanSource } from "./outcome.ts";
import {
  type ListedScans,
  openServerClient,
  type ServerAddress,
  type ServerClient,
  ServerError,
  type StoredScanBody,
  serverCatalogOf,
} from "./server-client.ts";

export interface ServerTarget extends ServerAddress {
  /** Null for the location of the server itself. */
  readonly location: string | null;
}

/** In milliseconds. */
interface ServerTiming {
  /** Limit of waiting for an answer until scans are accepted, while the address may be wrong. */
  readonly startLimitMs: number;
  /** Limit of waiting for an answer afterwards. A restart takes less. */
  readonly runLimitMs: number;
  /** Delay before the second attempt of a request; later delays are longer. */
  readonly repeatMs: number;
  /** Limit of waiting while the queue is full and no scan ends. */
  readonly queueLimitMs: number;
  /** Delay before the first look at the scans. */
  readonly lookMsFirst: number;
  /** Delay between two looks after a scan has moved on; it grows while none does. The API allows 60 requests a minute. */
  readonly lookMsMin: number;
  readonly lookMsMax: number;
}

const timingDefault: ServerTiming = {
  startLimitMs: 10_000,
  runLimitMs: 300_000,
  repeatMs: 500,
  queueLimitMs: 600_000,
  lookMsFirst: 100,
  lookMsMin: 2_000,
  lookMsMax: 10_000,
};
const lookGrowth = 1.6;
/** Time for cancelling scans after an interruption. */
const leaveMs = 10_000;
/** Scans that a message names one by one. */
const namedMax = 10;

/** @throws CliError if the server, its token or its checks cannot be used. */
export async function openServerSource(target: ServerTarget, stop: AbortSignal, timing: ServerTiming = timingDefault): Promise<ScanSource> {
  const client = openServerClient(target, stop);
  let accepted = false;
  const retry = createRetry({
    stop,
    repeatMs: timing.repeatMs,
    limitMs: () => (accepted ? timing.runLimitMs : timing.startLimitMs),
  });
  try {
    const catalog = await retry(async () => serverCatalogOf(await client.checks()));
    return {
      catalog,
      origin: target.origin,
      scan: (order) => {
        const onAccepted = () => {
          accepted = true;
        };
        return scanAll({ ...order, target, client, retry, timing, onAccepted });
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
  readonly retry: Retry;
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
  const { lookMsFirst, lookMsMin, lookMsMax, queueLimitMs } = timing;
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
    } else if (scans.unstarted().length > 0 && performance.now() - lastGainAt > queueLimitMs)
      throw new CliError(
        exitCodes.internal,
        `the queue of ${run.target.origin} is full: ${scans.unstarted().length} scans were not started`,
      );
  }
}

/** Repeats the same order, so that the server starts only what is missing. @throws CliError */
async function start(run: ServerRun, scans: FollowedScans, idempotencyKey: string) {
  const { client, retry, target, urls, progress, timing } = run;
  const before = scans.unstarted().length;
  const order = { urls, location: target.location, idempotencyKey };
  const { lines, retryAfterMs } = await retry(() => client.start(order)).catch((error) => {
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
  const { client, retry, progress, target } = run;
  if (scans.open().length === 0) return false;
  const { ended, moved, gone, locations } = await scans.look((cursor) => retry(() => client.list(cursor)));
  const other = [...locations].find((location) => location !== (target.location ?? localLocation));
  // A server without locations ignores the field of the request.
  if (other !== undefined)
    throw new CliError(
      exitCodes.usage,
      `${target.origin} scans from ${stripControls(other)}, not from ${target.location ?? localLocation}; update the server`,
    );
  for (const { url, stage } of moved) if (stage !== null) progress.stage(url, stage);
  for (const { url, token } of ended) {
    const body = await retry(() => client.result(token));
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

const pauseMsMax = 15_000;
/** A lost connection is repeated once without a word, unless the wait is longer. */
const silentMsMax = 2_000;
/** For a server that says when to come back. */
const busyLimitMs = 600_000;

/** The user wants the call to end. */
export class Interrupted extends Error {}

interface RetryOptions {
  readonly stop: AbortSignal;
  /** Before the second attempt; doubled for each further one. */
  readonly repeatMs: number;
  /** Time without any answer, in milliseconds, after which a request fails. */
  readonly limitMs: () => number;
}

export type Retry = <T>(request: () => Promise<T>) => Promise<T>;

/** @throws CliError for a failure that does not pass, or not in time, and `Interrupted`. */
function createRetry({ stop, repeatMs, limitMs }: RetryOptions): Retry {
  let hasNoted = false;
  return async (request) => {
    let failsSince: number | null = null;
    for (let pauseMs = repeatMs; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      if (stop.aborted) throw new Interrupted();
      try {
        const answer = await request();
        if (hasNoted) note("assay: the server answers again");
        hasNoted = false;
        return answer;
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.because !== "unreachable" && error.because !== "busy") throw cliErrorOf(error);
        failsSince ??= performance.now();
        const waitLimitMs = error.retryAfterMs === null ? limitMs() : busyLimitMs;
        if (performance.now() - failsSince > waitLimitMs) throw cliErrorOf(error);
        const waitMs = error.retryAfterMs ?? jittered(pauseMs);
        if (!hasNoted && (pauseMs > repeatMs || waitMs > silentMsMax)) {
          hasNoted = true;
          note(stripControls(`assay: ${error.message}; trying again`));
        }
        await pause(systemClock, waitMs, stop);
      }
    }
  };
}

/** Between half and all of it, so that many pipelines do not come back at once. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

/** What cannot pass is a fault of the call. */
function cliErrorOf({ because, message }: ServerError): CliError {
  const code = because === "untrusted" || because === "refused" ? exitCodes.usage : exitCodes.internal;
  return new CliError(code, stripControls(message));
}

/** Pages of the list read at once. The next read continues there. */
const pagesMax = 100;

interface OpenScan {
  readonly url: string;
  readonly token: string;
  readonly id: number;
}

interface MovedScan extends OpenScan {
  /** Null before the first. */
  readonly stage: ProgressStage | null;
}

/** What one look at the list found. */
interface Seen {
  readonly ended: readonly OpenScan[];
  /** Running, with another stage than at the last look. */
  readonly moved: readonly MovedScan[];
  /** Location of each scan that is in the list. */
  readonly locations: ReadonlySet<string>;
  /** No longer in the list: somebody cancelled them. */
  readonly gone: readonly OpenScan[];
}

interface FollowedScans {
  unstarted(): readonly string[];
  open(): readonly OpenScan[];
  /** False if it was known. */
  begin(url: string, scan: { readonly token: string; readonly id: number }): boolean;
  /** Looks at the pages of the list that have open scans. `page`: null is the newest. */
  look(page: (cursor: string | null) => Promise<ListedScans>): Promise<Seen>;
  end(url: string, scanned: ScannedUrl): void;
  statusOf(url: string): string;
  isDone(): boolean;
  /** In the order of the URLs. */
  over(): readonly ScannedUrl[];
}

type ListedScan = ListedScans["items"][number];

export function followedScans(urls: readonly string[]): FollowedScans {
  const open = new Map<string, OpenScan>();
  const stages = new Map<string, string>();
  const over = new Map<string, ScannedUrl>();
  /** Scans on earlier pages are newer than this call. */
  let firstCursor: string | null = null;

  /** Items by token, down to the oldest open scan, and whether all of them were read. */
  async function listed(page: (cursor: string | null) => Promise<ListedScans>) {
    const ids = [...open.values()].map(({ id }) => id);
    const [oldest, newest] = [Math.min(...ids), Math.max(...ids)];
    const found = new Map<string, ListedScan>();
    let cursor = firstCursor;
    for (let pages = 1; ; pages++) {
      const { items, nextCursor } = await page(cursor);
      for (const item of items) found.set(item.token, item);
      const lowest = items.at(-1)?.id ?? 0;
      if (lowest > newest) firstCursor = nextCursor;
      if (lowest <= oldest || nextCursor === null) return { found, complete: true };
      if (pages === pagesMax) return { found, complete: false };
      cursor = nextCursor;
    }
  }

  return {
    unstarted: () => urls.filter((url) => !open.has(url) && !over.has(url)),
    open: () => [...open.values()],
    begin: (url, { token, id }) => {
      if (open.has(url) || over.has(url)) return false;
      open.set(url, { url, token, id });
      return true;
    },
    look: async (page) => {
      const { found, complete } = await listed(page);
      const scans = [...open.values()].map((scan) => ({ scan, item: found.get(scan.token) }));
      const moved = scans.flatMap(({ scan, item }) => {
        if (item?.status !== "running") return [];
        const state = `running ${item.progressStage}`;
        if (stages.get(scan.url) === state) return [];
        stages.set(scan.url, state);
        return [{ ...scan, stage: item.progressStage as ProgressStage | null }];
      });
      return {
        ended: scans.flatMap(({ scan, item }) => (item?.status === "finished" || item?.status === "failed" ? [scan] : [])),
        moved,
        locations: new Set(scans.flatMap(({ item }) => (item === undefined ? [] : [item.location ?? localLocation]))),
        gone: scans.flatMap(({ scan, item }) => (item === undefined && complete ? [scan] : [])),
      };
    },
    end: (url, scanned) => {
      open.delete(url);
      over.set(url, scanned);
    },
    statusOf: (url) => over.get(url)?.outcome.status ?? "",
    isDone: () => over.size === urls.length,
    over: () => urls.flatMap((url) => over.get(url) ?? []),
  };
}
