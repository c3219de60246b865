/** Which addresses of a run can be compared with earlier runs. Pure. */
import type { KnownFinding, SiteState, UnmeasuredAddress } from "../store/site-runs.ts";
import type { SilentChecks } from "./rule-changes.ts";
import type { MeasuredReading } from "./run-reading.ts";
import { isUnreachable } from "./second-look.ts";

export interface AddressChanges {
  readonly unmeasured: Readonly<Record<string, UnmeasuredAddress>>;
  /** Measured now, and not before: added, unread since the baseline, or back after a long time. What they have is no change. */
  readonly begun: readonly string[];
  /** Not measured since the baseline, or lost: failed for so long that what they had says nothing about today. */
  readonly outside: readonly string[];
}

export function changesOfAddresses(state: SiteState, reading: MeasuredReading, silent: SilentChecks, now: Date): AddressChanges {
  const { addresses = [], unreadAddresses = [] } = state;
  const unmeasured = unmeasuredAfter(state, reading, now);
  const isUnread = (url: string) => silent === "all" || unreadAddresses.includes(url) || !addresses.includes(url);
  return {
    unmeasured,
    begun: silent === "all" ? [] : reading.addresses.filter((url) => unmeasured[url] === undefined && isUnread(url)),
    outside: Object.keys(unmeasured).filter((url) => isUnread(url) || isLost(unmeasured[url], now)),
  };
}

/** Addresses that a site has no longer take their open findings and their doubts with them. */
export function withoutRemoved(state: SiteState, addresses: readonly string[]): SiteState {
  const isKept = ({ urls }: { readonly urls?: readonly string[] }) => urls?.every((url) => !addresses.includes(url)) !== true;
  const isKnown = (finding: KnownFinding) => finding.state !== "open" || isKept(finding);
  return { ...state, findings: filtered(state.findings, isKnown), doubts: filtered(state.doubts, isKept) };
}

function filtered<V>(record: Readonly<Record<string, V>>, accepts: (value: V) => boolean): Readonly<Record<string, V>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => accepts(value)));
}

function unmeasuredAfter({ unmeasured = {} }: SiteState, reading: MeasuredReading, now: Date): AddressChanges["unmeasured"] {
  const rows = [...reading.unmeasured].map(([url, errorCode]) => {
    const { since = now.toISOString(), failures = 0 } = unmeasured[url] ?? {};
    return [url, { since, errorCode, failures: failures + 1 }] as const;
  });
  return Object.fromEntries(rows);
}

function isLost({ failures = 0, since }: Partial<UnmeasuredAddress> = {}, now: Date): boolean {
  return since !== undefined && isUnreachable(failures, since, now);
}
