/** Usual duration of a scan on this appliance. */
import { medianOf } from "../../base/median.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { Store } from "../../store/store.ts";

/** Latest finished scans that are read: bounds the reads of a page. */
const scansRead = 50;
/** Latest finished scans of the location that count. */
const scansCounted = 25;
/** Fewer scans say nothing about the next one. */
const scansMin = 5;

/** Median duration of the latest finished scans of a location in milliseconds; null if there are too few. */
export function usualDurationMs({ publicScans }: Pick<Store, "publicScans">, location: string): number | null {
  const { items } = publicScans.list({ limit: scansRead, cursor: null });
  const ofLocation = items.filter((scan) => scanLocationOf(scan) === location).slice(0, scansCounted);
  const durationsMs = ofLocation.flatMap(({ startedAt, endedAt }) => {
    const durationMs = Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "");
    // A clock that was set back makes durations negative.
    return durationMs > 0 ? [durationMs] : [];
  });
  return durationsMs.length < scansMin ? null : medianOf(durationsMs);
}
