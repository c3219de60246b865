/** What the server notes of its own work: metrics of this process, and figures of the last day that outlive it. */
import type { Log } from "../base/log.ts";
import type { ScanMetrics } from "../metrics/scan-metrics.ts";
import type { ScanObserver } from "../scan/progress.ts";
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

interface ObservationSources extends ServerMetricsSources {
  readonly store: ServerMetricsSources["store"] & Pick<Store, "activity">;
  /** Called after the outcome of a scan was stored. */
  readonly onScanEnded: (token: string) => void;
  readonly log: Log;
}

export function observeServer(sources: ObservationSources): Observation {
  const metrics = openServerMetrics(sources);
  const activity = countActivity(sources.store, sources.log);
  return {
    metrics,
    activity,
    scans: observeScans(metrics.scans, activity, sources.onScanEnded),
    browserReplaced: () => {
      metrics.scans.browserReplaced();
      activity.count({ browserRestarts: 1 });
    },
  };
}

function observeScans(scans: ScanMetrics, activity: ActivityCounter, onScanEnded: (token: string) => void): ScanObserver {
  return {
    claimed: (waitedMs) => activity.count({ claimed: 1, waitedMs, longestWaitMs: waitedMs }),
    begin: scans.begin,
    ended: (scan, code) => {
      const lane = scan.queueKey?.[1];
      const outcome = code === null ? "finished" : code === "cancelled" ? "cancelled" : "failed";
      scans.ended(outcome, { location: scanLocationOf(scan), ...(lane === undefined ? {} : { lane }) });
      activity.count(code === null ? { finished: 1 } : { failed: { [code]: 1 } });
      onScanEnded(scan.token);
    },
  };
}
