/** Runs that are due and wait: their places, and how long first runs take. */
import { networkScansMax } from "../store/queue.ts";
import type { Site } from "../store/sites.ts";
import type { SiteNetworks } from "./site-networks.ts";

/** Time that scans of a location need, in durations of one scan. */
export interface ScanNeed {
  readonly location: string;
  readonly durations: number;
  /** Scans at a time of the location. */
  readonly slots: number;
}

export interface WaitingRuns {
  /** Place among the runs of its kind that wait for the location, from 1. Null for a run that waits for nothing, or was not placed yet. */
  placeOf(siteId: number): number | null;
  /** For the location that needs longest until all of these sites have had their first run; null without sites. */
  firstRunsNeed(sites: readonly Site[]): ScanNeed | null;
}

/** As before the clock has started. */
export const noWaitingRuns: WaitingRuns = { placeOf: () => null, firstRunsNeed: () => null };

export interface WaitingRunsOptions {
  readonly slotsOf: (location: string) => number;
  readonly networks: Pick<SiteNetworks, "known"> | null;
}

export function createWaitingRuns({ slotsOf, networks }: WaitingRunsOptions) {
  let places: ReadonlyMap<number, number> = new Map();
  const scansOf = (sites: readonly Site[]) => sites.reduce((sum, { pages }) => sum + 1 + pages.length, 0);
  const networkOf = ({ url }: Site) => networks?.known(url) ?? new URL(url).hostname;
  const placeOf = (siteId: number) => places.get(siteId) ?? null;

  function needAt(location: string, sites: readonly Site[]): ScanNeed {
    const slots = Math.max(1, slotsOf(location));
    // Sites of other accounts may be before the last one of these.
    const scans = Math.max(scansOf(sites), ...sites.map(({ id }) => placeOf(id) ?? 0));
    const inNetworks = [...Map.groupBy(sites, networkOf).values()].map((shared) => scansOf(shared) / networkScansMax);
    // One of several slots stays free for people.
    return { location, durations: Math.ceil(Math.max(scans / Math.max(1, slots - 1), ...inNetworks)), slots };
  }

  return {
    /** `queues`: sites by kind and location, each in the order of their starts. Replaces what was noted before. */
    note: (queues: Iterable<readonly Site[]>): void => {
      places = new Map([...queues].flatMap((sites) => sites.map(({ id }, at) => [id, at + 1] as const)));
    },
    waiting: {
      placeOf,
      firstRunsNeed: (sites) => {
        const needs = [...Map.groupBy(sites, ({ location }) => location)].map(([location, own]) => needAt(location, own));
        return needs.toSorted((one, other) => other.durations - one.durations)[0] ?? null;
      },
    } satisfies WaitingRuns,
  };
}

/** Whether the run waits for its turn. `isRunning`: a run of the site is under way. */
export function isWaiting({ paused, nextRunAt }: Site, isRunning: boolean, now: Date): boolean {
  return !paused && !isRunning && nextRunAt !== null && Date.parse(nextRunAt) <= now.getTime();
}

/** Whether the first run of the site waits or is under way. Runs by cron keep their time, so no one awaits them. */
export function awaitsFirstRun(site: Site, isRunning: boolean, now: Date): boolean {
  const isUnknown = site.reading === null && site.failingSince === null && "every" in site.schedule;
  return isUnknown && (isRunning || isWaiting(site, isRunning, now));
}
