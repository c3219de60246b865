/** Addresses of a site that its measured runs could not measure. Pure. */
import type { SiteState, UnmeasuredAddress } from "../store/site-runs.ts";
import type { MeasuredReading } from "./run-reading.ts";
import { isUnreachable } from "./second-look.ts";

export function unmeasuredAfter({ unmeasured = {} }: SiteState, reading: MeasuredReading, now: Date): Record<string, UnmeasuredAddress> {
  const rows = [...reading.unmeasured].map(([url, errorCode]) => {
    const { since = now.toISOString(), failures = 0 } = unmeasured[url] ?? {};
    return [url, { since, errorCode, failures: failures + 1 }] as const;
  });
  return Object.fromEntries(rows);
}

/** Addresses that have failed for so long that what they had says nothing about the site of today. */
export function lostAddresses(unmeasured: Readonly<Record<string, UnmeasuredAddress>>, now: Date): readonly string[] {
  return Object.keys(unmeasured).filter((url) => {
    const { failures = 0, since = "" } = unmeasured[url] ?? {};
    return isUnreachable(failures, since, now);
  });
}
