/**
 * The server of `assay scan --server`: its address, the token, and the flags that mean nothing to it. Scans on it, through its API: started
 * once, followed to their end, and read as they are stored.
 */

import { caPems } from "../../app/scanning.ts";
import { evidenceIn } from "../../authoring/evidence-file.ts";
import { pause, systemClock } from "../../base/clock.ts";
import type { ProgressStage, ScanErrorCode } from "../../evidence/scan.ts";
import type { StoredResult } from "../../judge/result.ts";
import { localLocation, parseLocation } from "../../parse/location.ts";
import { parseScanUrl } from "../../parse/scan-url.ts";
import { isInsecureUrl } from "../../parse/site.ts";
import { tokenVariable } from "../../settings/config.ts";
import type { Setting } from "../../settings/setting.ts";
import { type Config, type SettingKey, settings } from "../../settings/settings.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { secretText } from "../input.ts";
import type { typedSettings } from "../settings.ts";
import { currentTerminal, note, printError, stripControls } from "../terminal.ts";
import type { ScanOptions } from "./options.ts";
import type { ScannedUrl, ScanOrder, ScanSource } from "./outcome.ts";
import {
  type ListedScans,
  openServerClient,
  type ServerClient,
  ServerError,
  type ServerTarget,
  type StoredScanBody,
  serverCatalogOf,
} from "./server-client.ts";

/** Settings of scanning, which the server has itself. */
const settingsOfServer = [
  "scan.concurrency",
  "scan.timeout",
  "scan.header_chars_max",
  "hsts.preload_file",
  "public_suffixes.file",
  "scripts.advisories_file",
  "checks.dir",
  "browser.path",
  "browser.sandbox",
] as const satisfies readonly SettingKey[];

/** Settings of the reach of this machine, which a sitemap is read by. `--ca-file` and others serve for the server too. */
const settingsOfSitemap = ["profile", "scan.allow_cidrs", "scan.deny_cidrs", "scan.allow_ports"] as const satisfies readonly SettingKey[];

const shownCharsMax = 100;
/** A token has 49 characters. */
const tokenPattern = /^[\x21-\x7e]{1,512}$/;

/** Null without `--server`. `typed`: settings that were given as flags. @throws CliError for the first flag that does not fit, and ConfigError for a file of certificates. */
export function serverTargetOf(options: ScanOptions, typed: ReturnType<typeof typedSettings>, config: Config): ServerTarget | null {
  const { server, location, tokenFile } = options;
  if (server === undefined) {
    if (location !== undefined)
      throw usageError(
        "--location needs --server URL: this machine scans from where it is, and only a server has workers at other locations",
      );
    if (tokenFile !== undefined) throw usageError("--token-file needs --server URL");
    return null;
  }
  assertNoLocalFlags(options, typed);
  if (location !== undefined && parseLocation(location) === null)
    throw usageError(`--location "${shown(location)}" is no location: small letters, digits and hyphens, as in berlin`);
  return {
    origin: originFrom(server),
    token: tokenFrom(tokenFile),
    caPems: caPems(config),
    dnsServers: config["dns.servers"],
    connectTo: config["scan.connect_to"],
    location: location ?? null,
  };
}

function assertNoLocalFlags({ headerFile, cookieFile, fromSitemap }: ScanOptions, typed: ReturnType<typeof typedSettings>): void {
  if (headerFile !== undefined || cookieFile !== undefined)
    throw usageError(
      `${headerFile === undefined ? "--cookie-file" : "--header-file"} does not go with --server: secrets of a page are not sent to a server`,
    );
  const without = [...settingsOfServer, ...(fromSitemap === undefined ? settingsOfSitemap : [])];
  const key = without.find((one) => typed[one] !== undefined);
  if (key === undefined) return;
  const flag = (settings[key] as Setting).flag?.split(" ")[0] ?? key;
  throw usageError(`${flag} does not go with --server: the server scans with its own ${key}`);
}

/** @throws CliError */
function originFrom(text: string): string {
  const parsed = parseScanUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if ("fault" in parsed) throw usageError(`--server "${shown(text)}" cannot be used: it ${parsed.fault}`);
  const { origin, pathname, search } = new URL(parsed.url);
  if (pathname !== "/" || search !== "") throw usageError(`--server takes an address without a path, as in ${origin}`);
  if (isInsecureUrl(origin))
    throw usageError(`--server ${origin} would send the API token in clear text; use https://, or http:// with a loopback address`);
  return origin;
}

/** @throws CliError. No message quotes the token. */
function tokenFrom(file: string | undefined): string {
  const token = (file === undefined ? (currentTerminal().env[tokenVariable] ?? "") : secretText(file)).trim();
  const source = file ?? tokenVariable;
  if (token === "")
    throw usageError(
      file === undefined ? `--server needs an API token, in ${tokenVariable} or in the file of --token-file` : `${file} holds no API token`,
    );
  if (!tokenPattern.test(token)) throw usageError(`${source} must hold one API token: visible ASCII characters on one line`);
  return token;
}

/** Start of a text that was typed. */
function shown(text: string): string {
  return stripControls(text.slice(0, shownCharsMax));
}

/** Limits and delays, in milliseconds. */
const timingDefault = {
  /** Limit of waiting for an answer until scans are accepted, while the address may be wrong. */
  startLimitMs: 10_000,
  /** Limit of waiting for an answer afterwards. A restart takes less. */
  runLimitMs: 300_000,
  /** Delay before the second attempt of a request; later delays are longer. */
  repeatMs: 500,
  /** Limit of waiting while the queue is full and no scan ends. */
  queueLimitMs: 600_000,
  /** Delay before the first look at the scans. */
  lookMsFirst: 100,
  /** Delay between two looks after a scan has moved on; it grows while none does. The API allows 60 requests a minute. */
  lookMsMin: 2_000,
  lookMsMax: 10_000,
};
type ServerTiming = typeof timingDefault;
const lookGrowth = 1.6;
/** Time for cancelling scans after an interruption. */
const leaveMs = 10_000;
/** Scans that a message names one by one. */
const namedMax = 10;

/** @throws CliError if the server, its token or its checks cannot be used. */
export async function openServerSource(target: ServerTarget, stop: AbortSignal, timing: ServerTiming = timingDefault): Promise<ScanSource> {
  const client = openServerClient(target, stop);
  let accepted = false;
  const retry = createRetry(stop, timing.repeatMs, () => (accepted ? timing.runLimitMs : timing.startLimitMs));
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
  const { lines, retryAfterMs } = await retry(() => client.start(urls, idempotencyKey)).catch((error) => {
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
    } else if (line.error.status !== 503) throw usageError(stripControls(`${url}: ${line.error.message}`));
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
    throw usageError(
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

/** Cancels scans that wait, after an interruption or a failure, and says which go on and where to read them. */
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
/** Limit of waiting for a server that says when to come back. */
const busyLimitMs = 600_000;

/** The user wants the call to end. */
class Interrupted extends Error {}

type Retry = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * The delay before the second attempt is `repeatMs`; it doubles for each further one. A request fails after `limitMs` without any answer.
 * @throws CliError for a failure that does not pass, or not in time, and `Interrupted`.
 */
function createRetry(stop: AbortSignal, repeatMs: number, limitMs: () => number): Retry {
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

/** Random delay between half and all of `ms`, so that many pipelines do not come back at once. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

/** Error for the user. A failure that another attempt cannot change is a fault of the call. */
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

type ListedScan = ListedScans["items"][number];
type FollowedScans = ReturnType<typeof followedScans>;

/** Scans of the URLs, from their start to their end. */
export function followedScans(urls: readonly string[]) {
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
    unstarted: (): readonly string[] => urls.filter((url) => !open.has(url) && !over.has(url)),
    open: (): readonly OpenScan[] => [...open.values()],
    /** False if the scan was known. */
    begin: (url: string, { token, id }: { readonly token: string; readonly id: number }): boolean => {
      if (open.has(url) || over.has(url)) return false;
      open.set(url, { url, token, id });
      return true;
    },
    /** Looks at the pages of the list that have open scans. `page`: null is the newest. */
    look: async (page: (cursor: string | null) => Promise<ListedScans>) => {
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
        /** Scans that run, with another stage than at the last look; the stage is null before the first. */
        moved,
        /** Location of each scan that is in the list. */
        locations: new Set(scans.flatMap(({ item }) => (item === undefined ? [] : [item.location ?? localLocation]))),
        /** Scans that are no longer in the list: somebody cancelled them. */
        gone: scans.flatMap(({ scan, item }) => (item === undefined && complete ? [scan] : [])),
      };
    },
    end: (url: string, scanned: ScannedUrl): void => {
      open.delete(url);
      over.set(url, scanned);
    },
    statusOf: (url: string): string => over.get(url)?.outcome.status ?? "",
    isDone: (): boolean => over.size === urls.length,
    /** Scans that are over, in the order of the URLs. */
    over: (): readonly ScannedUrl[] => urls.flatMap((url) => over.get(url) ?? []),
  };
}
