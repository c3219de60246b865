/** What opened, was resolved, or could not be measured at a site within the last days. */
import { dayMs } from "../../base/units.ts";
import type { EventFinding, StoredEvent } from "../../store/site-events.ts";
import type { SiteState } from "../../store/site-runs.ts";
import type { Site } from "../../store/sites.ts";
import type { ClientReportStore } from "./collect.ts";

const changesDays = 30;
/** Events of a site that are read: a site has few, as findings that change too often are silent. */
const eventsReadMax = 200;

export interface SiteChanges {
  /** Newest first. */
  readonly rows: readonly SiteChangeRow[];
  /** False if older events of this time were not read. */
  readonly complete: boolean;
  /** Findings began or ended without an event, as with the first run and with other checks. */
  readonly hasSilent: boolean;
  /** Error code of the scan by which the site counts as unreachable; null if it is measured, or the code is not known. */
  readonly unreachableBecause: string | null;
}

export type SiteChangeRow =
  | { readonly at: string; readonly kind: FindingChangeKind; readonly finding: EventFinding }
  /** `since`: when the time without a measurement began. */
  | { readonly at: string; readonly kind: "unreachable" | "recovered"; readonly since: string };

/** `unaccepted`: the acceptance of a finding that is still there has ended. */
type FindingChangeKind = "opened" | "resolved" | "unstable" | "unaccepted";

export function siteChanges({ events }: ClientReportStore, site: Site, state: SiteState, now: Date): SiteChanges {
  const since = new Date(now.getTime() - changesDays * dayMs).toISOString();
  const read = events.listOfSite(site.accountId, site.id, eventsReadMax);
  // Events of a former first address are about another site.
  const recent = read.filter((event) => event.at >= since && event.site?.url === site.url);
  const rows = recent.flatMap((event) => rowsOf(event, site, state));
  return {
    rows,
    complete: read.length < eventsReadMax || recent.length < read.length,
    hasSilent: hasSilentChange(state, since),
    unreachableBecause: state.unreachable ? reasonOf(read) : null,
  };
}

function rowsOf(event: StoredEvent, site: Site, state: SiteState): readonly SiteChangeRow[] {
  const { at, type, data } = event;
  switch (type) {
    case "finding.opened":
      return data.findings.map((finding) => ({ at, kind: endsAcceptance(site, state, finding, at) ? "unaccepted" : "opened", finding }));
    case "finding.resolved":
      return data.findings.map((finding) => ({ at, kind: "resolved", finding }));
    case "finding.unstable":
      return data.findings.map((finding) => ({ at, kind: "unstable", finding }));
    case "site.unreachable":
      return [{ at, kind: "unreachable", since: data.since }];
    case "site.recovered":
      return [{ at, kind: "recovered", since: data.since }];
    default:
      return [];
  }
}

/** The store reports the end of an acceptance like a new finding. */
function endsAcceptance({ accepted }: Site, { findings }: SiteState, { code }: EventFinding, at: string): boolean {
  const since = findings[code]?.since ?? at;
  return accepted.some((one) => one.code === code && one.until !== null && one.until < at && since < one.acceptedAt);
}

/** A change that is not silent is one of the flips. */
function hasSilentChange({ findings }: SiteState, since: string): boolean {
  return Object.values(findings).some((known) => known.since >= since && !known.flips.some((at) => at >= known.since));
}

function reasonOf(newestFirst: readonly StoredEvent[]): string | null {
  const event = newestFirst.find(({ type }) => type === "site.unreachable");
  return event?.type === "site.unreachable" ? event.data.errorCode : null;
}
