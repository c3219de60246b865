/** Clock of watched sites in the server: it starts after the dispatcher, and other parts may wake it before. */
import { planSitesMax } from "../account/account-operations.ts";
import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { LocationDirectory } from "../evidence/scan.ts";
import { localLocation } from "../parse/location.ts";
import { type SiteClock, startSiteClock } from "../sites/clock.ts";
import type { Store } from "../store/store.ts";

export interface ServerSiteClock extends SiteClock {
  start(): void;
}

export interface ServerSiteClockOptions {
  readonly store: Store;
  readonly ready: () => boolean;
  readonly locations: Pick<LocationDirectory, "absentSince">;
  /** Wakes the dispatcher. */
  readonly wake: () => void;
  /** Called after events were stored. */
  readonly onEvents?: () => void;
  readonly log: Log;
}

/** The first tick concludes what ended before the start. */
export function createServerSiteClock({ locations, ...options }: ServerSiteClockOptions): ServerSiteClock {
  let clock: SiteClock | null = null;
  return {
    start: () => {
      clock ??= startSiteClock({
        ...options,
        clock: systemClock,
        sitesMaxOf: planSitesMax(options.store),
        mayBeScanned: ({ location }) => location === localLocation || locations.absentSince(location) === null,
      });
    },
    scanEnded: (token) => clock?.scanEnded(token),
    wake: () => clock?.wake(),
    stop: async () => await clock?.stop(),
  };
}
