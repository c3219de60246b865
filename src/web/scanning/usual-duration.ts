/** Usual duration of a scan on this appliance. */
import { medianOf } from "../../base/median.ts";
import type { Store } from "../../store/store.ts";

/** Latest finished scans that count. Bounds the reads of a page. */
const scansCounted = 25;
/** Fewer scans say nothing about the next one. */
const scansMin = 5;

/** Median duration of the latest finished scans in milliseconds; null if there are too few. */
export function usualDurationMs({ publicScans }: Pick<Store, "publicScans">): number | null {
  const durationsMs = publicScans.list({ limit: scansCounted, cursor: null }).items.flatMap(({ startedAt, endedAt }) => {
    const durationMs = Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "");
    // A clock that was set back makes durations negative.
    return durationMs > 0 ? [durationMs] : [];
  });
  return durationsMs.length < scansMin ? null : medianOf(durationsMs);
}
