/** Watched sites in the server: the clock that scans them, and the deliverer that reports their events. */

import type { NoticeMails } from "../deliver/notices.ts";
import type { DeliveryMetrics } from "../metrics/delivery-metrics.ts";
import type { SiteServices } from "../sites/site-operations.ts";
import { type DeliverySources, openConfiguredDelivery, type ServerDelivery } from "./delivery.ts";
import type { Config } from "./settings.ts";
import { createServerSiteClock, type ServerSiteClockOptions } from "./site-clock.ts";

export interface WatchedSites {
  /** What pages and API use of it, also before the start. */
  readonly services: SiteServices;
  /** Mails that are sent at once; null without a mail server. */
  readonly mails: NoticeMails | null;
  /** Called after the outcome of a scan was stored. */
  readonly scanEnded: (token: string) => void;
  /** Once, after the dispatcher has started. */
  readonly start: (ownEndpoints: Parameters<ServerDelivery["start"]>[0], metrics: DeliveryMetrics) => void;
  readonly stop: (drainMs: number) => Promise<void>;
}

/** @throws ConfigError if a file of the settings for mail or webhooks cannot be used. */
export function openWatchedSites(config: Config, sources: Omit<ServerSiteClockOptions, "onEvents"> & DeliverySources): WatchedSites {
  const delivery = openConfiguredDelivery(config, sources);
  const clock = createServerSiteClock({ ...sources, onEvents: delivery.wake });
  return {
    services: { wakeClock: clock.wake, ...delivery.services },
    mails: delivery.mails,
    scanEnded: (token) => {
      clock.scanEnded(token);
      delivery.wake();
    },
    start: (ownEndpoints, metrics) => {
      delivery.start(ownEndpoints, metrics);
      clock.start();
    },
    stop: async (drainMs) => {
      await Promise.all([clock.stop(), delivery.stop(drainMs)]);
    },
  };
}
