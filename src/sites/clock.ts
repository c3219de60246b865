/** Clock of watched sites: starts runs that are due, concludes those that have ended, and notices certificates that expire. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { hourMs, minuteMs } from "../base/units.ts";
import type { Site } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import { cancelOldRuns, concludeEndedRuns } from "./conclude-run.ts";
import { createRunStarter, type SitesMaxOf } from "./run-starts.ts";
import { walkSites } from "./site-round.ts";

const tickMsDefault = 10_000;
/** Interval of rounds over all sites. */
const roundMs = 10 * minuteMs;
/** Interval of removals of old events and deliveries. */
const tidyMs = hourMs;

export interface SiteTickerOptions {
  readonly store: Pick<Store, "sites" | "siteRuns" | "scans" | "results" | "evidence" | "accounts" | "deliveries">;
  readonly clock: Clock;
  /** False while no scan can succeed, as without a browser: then no run starts. Concluding goes on. */
  readonly ready?: () => boolean;
  /** False postpones the runs of a site by some minutes, as while its location has no workers. */
  readonly mayBeScanned?: (site: Site) => boolean;
  /** Absent: all sites are scanned by schedule. */
  readonly sitesMaxOf?: SitesMaxOf;
  /** Called after scans were queued. */
  readonly wake: () => void;
  /** Called after events were stored, whose deliveries may wait. */
  readonly onEvents?: () => void;
  readonly log: Log;
}

export interface SiteClockOptions extends SiteTickerOptions {
  readonly tickMs?: number;
}

export interface SiteClock {
  /** A scan has ended, of a site or not; its outcome is stored. */
  scanEnded(token: string): void;
  /** Looks at everything now. */
  wake(): void;
  /** Resolves when nothing of the clock uses the store any more. */
  stop(): Promise<void>;
}

/** Begins with a first tick, which concludes what an earlier process left. Never two ticks at once. */
export function startSiteClock({ tickMs = tickMsDefault, ...options }: SiteClockOptions): SiteClock {
  const ticker = createSiteTicker(options);
  let stopped = false;
  let running: Promise<void> | null = null;
  let requested: "all" | "ended" | null = null;

  async function work(): Promise<void> {
    while (requested !== null && !stopped) {
      const isWhole = requested === "all";
      requested = null;
      await (isWhole ? ticker.tick() : ticker.conclude());
    }
    running = null;
  }

  function request(what: "all" | "ended"): void {
    if (stopped) return;
    if (requested !== "all") requested = what;
    running ??= work();
  }

  const endTicks = options.clock.every(tickMs, () => request("all"));
  request("all");
  return {
    scanEnded: () => request("ended"),
    wake: () => request("all"),
    stop: async () => {
      stopped = true;
      endTicks();
      await running;
    },
  };
}

/** The work of the clock, without its time. No method throws: what failed is logged, and done at the next tick. */
export interface SiteTicker {
  /** Everything that is due. */
  tick(): Promise<void>;
  /** Only what follows from scans that have ended. */
  conclude(): Promise<void>;
}

export function createSiteTicker(options: SiteTickerOptions): SiteTicker {
  const { store, clock, ready = () => true, wake, onEvents = () => {}, log } = options;
  const { mayBeScanned = () => true, sitesMaxOf = () => Number.POSITIVE_INFINITY } = options;
  const starter = createRunStarter({ store, clock, mayBeScanned, sitesMaxOf, log });
  const isRoundDue = createInterval(roundMs);
  const isTidyDue = createInterval(tidyMs);
  const unread = new Map<number, number>();
  let demandPerHour = 0;

  async function conclude(): Promise<void> {
    if ((await concludeEndedRuns({ store, clock, log })) > 0) onEvents();
  }

  async function walk(): Promise<void> {
    await cancelOldRuns({ store, clock, log });
    const round = await walkSites({ store, clock, sitesMaxOf, unread, log });
    demandPerHour = round.demandPerHour;
    const corrected = await store.deliveries.correctTimes(clock.now());
    if (round.events + corrected > 0) onEvents();
  }

  async function start(): Promise<void> {
    if (ready() && (await starter.startDue(demandPerHour)) > 0) wake();
  }

  async function tidy(): Promise<void> {
    while (await store.deliveries.removeOlder(clock.now())) await nextTurn();
  }

  /** Each step is apart: a full disk at one must not keep the log from naming the others. */
  async function attempt(step: () => Promise<void>, event: string): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      log.error(event, { because: messageOf(error) });
      return false;
    }
  }

  return {
    conclude: async () => void (await attempt(conclude, "runs of sites not concluded")),
    tick: async () => {
      await attempt(conclude, "runs of sites not concluded");
      await isRoundDue(clock.now(), () => attempt(walk, "sites not examined"));
      await attempt(start, "runs of sites not started");
      await isTidyDue(clock.now(), () => attempt(tidy, "old events not removed"));
    },
  };
}

/** Runs an action if its last success is long enough ago, also by a clock that was set back. */
function createInterval(everyMs: number): (now: Date, action: () => Promise<boolean>) => Promise<void> {
  let lastMs: number | null = null;
  return async (now, action) => {
    const nowMs = now.getTime();
    if (lastMs !== null && nowMs >= lastMs && nowMs - lastMs < everyMs) return;
    if (await action()) lastMs = nowMs;
  };
}
