/** What the server notes of its own work: metrics of this process, and figures of the last day that outlive it. */
import type { Log } from "../base/log.ts";
import type { ScanMetrics } from "../metrics/scan-metrics.ts";
import type { ScanObserver } from "../scan/scan-observer.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import type { Store } from "../store/store.ts";
import { type ActivityCounter, countActivity } from "./activity.ts";
import { openServerMetrics, type ServerMetrics, type ServerMetricsSources } from "./server-metrics.ts";

export interface Observation {
  readonly metrics: ServerMetrics;
  readonly activity: ActivityCounter;
  readonly scans: ScanObserver;
  readonly browserReplaced: () => void;
}

export function observeServer(sources: ServerMetricsSources & { readonly store: Pick<Store, "activity">; readonly log: Log }): Observation {
  const metrics = openServerMetrics(sources);
  const activity = countActivity(sources.store, sources.log);
  return {
    metrics,
    activity,
    scans: observeScans(metrics.scans, activity),
    browserReplaced: () => {
      metrics.scans.browserReplaced();
      activity.count({ browserRestarts: 1 });
    },
  };
}

function observeScans(scans: ScanMetrics, activity: ActivityCounter): ScanObserver {
  return {
    claimed: (waitedMs) => activity.count({ claimed: 1, waitedMs, longestWaitMs: waitedMs }),
    begin: scans.begin,
    ended: (scan, code) => {
      const lane = scan.queueKey?.[1];
      const outcome = code === null ? "finished" : code === "cancelled" ? "cancelled" : "failed";
      scans.ended(outcome, { location: scanLocationOf(scan), ...(lane === undefined ? {} : { lane }) });
      activity.count(code === null ? { finished: 1 } : { failed: { [code]: 1 } });
    },
  };
}
