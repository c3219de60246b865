/** Reads the watched sites of one client from the store, as the client report shows them. */

import { dayMs } from "../../base/units.ts";
import type { Severity } from "../../check/check.ts";
import type { CheckDefinition } from "../../check/registry.ts";
import { localLocation } from "../../parse/location.ts";
import type { EventData, EventFinding, StoredEvent } from "../../store/site-events.ts";
import { type OpenFinding, openFindings, type SiteHistoryEntry, type SiteState, type UnmeasuredAddress } from "../../store/site-runs.ts";
import { type AcceptedFinding, certificateDaysOf, isAccepted, type Site, type SiteReading } from "../../store/sites.ts";
import type { Store } from "../../store/store.ts";
import { sameRules } from "../../text/comparison.ts";
import { codesInFixOrder } from "../../text/ledger-rows.ts";

export const openListedMax = 40;
export const acceptedListedMax = 40;
export const changesListedMax = 25;
/** Most sites that have details. */
const detailedSitesMax = 100;
/** Rows of the lists of all sites together: the details end after the site that reaches them. */
const listedRowsMax = 3_000;

/** Rows of the lists of one site. */
export function listedRows(
  { open, accepted }: Pick<ReportedSite, "open" | "accepted">,
  { changes, unmeasured }: Pick<SiteDetails, "unmeasured"> & { readonly changes: Pick<SiteChanges, "rows"> | null },
): number {
  return (
    Math.min(open.length, openListedMax) +
    Math.min(accepted.length, acceptedListedMax) +
    Math.min(changes?.rows.length ?? 0, changesListedMax) +
    unmeasured.length
  );
}

export type ClientReportStore = Pick<Store, "sites" | "siteRuns" | "events" | "scans">;

export interface ReportedClient {
  readonly client: string;
  readonly now: Date;
  /** Sites with the lowest scores first; never empty. */
  readonly sites: readonly ReportedSite[];
}

export interface ReportedSite {
  readonly site: Site;
  /** Several runs in a row, and none of them measured the site: one alone is not confirmed. */
  readonly unreachable: boolean;
  /** Findings that are not accepted, in the order of `fixOrder`; empty before the first measured run. */
  readonly open: readonly OpenFinding[];
  readonly accepted: readonly AcceptedOpenFinding[];
  /** Whole days; null if the certificate was not read. */
  readonly certificateDays: number | null;
  /** Score about a month ago; null if the history has no such score. */
  readonly earlier: EarlierScore | null;
  /** Details; null for a site beyond `detailedSitesMax` or `listedRowsMax`. */
  readonly details: SiteDetails | null;
}

/** Finding that is there, and whose acceptance holds. */
export interface AcceptedOpenFinding {
  readonly finding: OpenFinding;
  readonly acceptance: AcceptedFinding;
}

export interface SiteDetails {
  readonly changes: SiteChanges;
  readonly days: readonly ScoreDay[];
  /** Other addresses than the first, which a site is measured by. */
  readonly unmeasured: readonly (UnmeasuredAddress & { readonly url: string })[];
}

interface CollectedClient {
  readonly store: ClientReportStore;
  readonly ownerId: number;
  readonly client: string;
  readonly checks: readonly CheckDefinition[];
  /** Order of names. */
  readonly locale: string;
  readonly now: Date;
}

/** Sites of the client; null if the owner watches no site of the client. */
export function collectClient({ store, ownerId, client, checks, locale, now }: CollectedClient): ReportedClient | null {
  const sites = worstFirst(
    store.sites.list(ownerId).filter((site) => site.client === client),
    locale,
  );
  if (sites.length === 0) return null;
  let rows = 0;
  const reported = sites.map((site, at): ReportedSite => {
    const state = store.siteRuns.state(site.id);
    const summary = summaryOfSite({ store, site, state, checks, now });
    if (at >= detailedSitesMax || rows >= listedRowsMax) return { ...summary, details: null };
    const details = {
      changes: siteChanges(store, site, state, now),
      days: scoreDays(store, site, now),
      unmeasured: unmeasuredOf(site, state),
    };
    rows += listedRows(summary, details);
    return { ...summary, details };
  });
  return { client, now, sites: reported };
}

/** Lowest scores first, by name where they are equal; sites without a score last. */
function worstFirst(sites: readonly Site[], locale: string): readonly Site[] {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const scoreOf = ({ reading }: Site) => reading?.score ?? Number.POSITIVE_INFINITY;
  return sites.toSorted((one, other) => {
    const [score, otherScore] = [scoreOf(one), scoreOf(other)];
    return score === otherScore ? compare(one.name, other.name) || one.id - other.id : score - otherScore;
  });
}

interface CollectedSite extends Pick<CollectedClient, "store" | "checks" | "now"> {
  readonly site: Site;
  readonly state: SiteState;
}

function summaryOfSite({ store, site, state, checks, now }: CollectedSite): Omit<ReportedSite, "details"> {
  const known = site.reading === null ? { ...state, findings: {} } : state;
  return {
    site,
    unreachable: state.unreachable && site.failingSince !== null,
    open: codesInFixOrder(openFindings(site, known, now), checks),
    accepted: acceptedOpenFindings(site, known, checks, now),
    certificateDays: certificateDaysOf(site, now),
    earlier: earlierScore(store, site, now),
  };
}

function acceptedOpenFindings(site: Site, state: SiteState, checks: readonly CheckDefinition[], now: Date): readonly AcceptedOpenFinding[] {
  const holding = site.accepted.filter((one) => isAccepted({ accepted: [one] }, one.code, now));
  const byCode = new Map(holding.map((acceptance) => [acceptance.code, acceptance]));
  return codesInFixOrder(openFindings({ accepted: [] }, state, now), checks).flatMap((finding) => {
    const acceptance = byCode.get(finding.code);
    return acceptance === undefined ? [] : [{ finding, acceptance }];
  });
}

/** Addresses without a measurement. Former addresses of the site are left out. */
function unmeasuredOf({ pages }: Site, { unmeasured = {} }: SiteState): SiteDetails["unmeasured"] {
  return pages.flatMap((url) => {
    const known = unmeasured[url];
    return known === undefined ? [] : [{ ...known, url }];
  });
}

/** Age of the score that today's is compared with. */
const comparedDays = 30;
/** An entry of the history may be so much older or younger. */
const toleranceDays = 15;

export interface EarlierScore {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly score: number;
  /** Today's score minus the earlier one; null if the two cannot be compared. */
  readonly delta: number | null;
}

/** Score about a month ago; null before the first measured run, and without an entry of about this age. */
function earlierScore(store: ClientReportStore, site: Site, now: Date): EarlierScore | null {
  const { reading } = site;
  const wantedMs = now.getTime() - comparedDays * dayMs;
  const distanceMs = ({ at }: SiteHistoryEntry) => Math.abs(Date.parse(at) - wantedMs);
  const [nearest] = store.siteRuns
    .historyNear(site.id, new Date(wantedMs))
    .filter((entry) => reading !== null && entry.at < reading.at && distanceMs(entry) <= toleranceDays * dayMs)
    .toSorted((one, other) => distanceMs(one) - distanceMs(other));
  if (reading === null || nearest === undefined) return null;
  const { at, score } = nearest;
  return { at, score, delta: isComparable(store, site, nearest, reading) ? reading.score - score : null };
}

/** Compares the scans of the first address. If a scan is missing, its rules are not known. */
function isComparable({ scans }: ClientReportStore, site: Site, earlier: SiteHistoryEntry, reading: SiteReading): boolean {
  const [before, after] = [scans.findByToken(earlier.token), scans.findByToken(reading.token)];
  if (before === undefined || after === undefined || before.summary === null || after.summary === null) return false;
  const samePlace = before.url === after.url && (before.location ?? localLocation) === (after.location ?? localLocation);
  return samePlace && after.url === site.url && sameRules(before.summary, after.summary);
}

/** Days that the report is about, with today the last one. */
export const changesDays = 30;

/** Begin of the time that the report is about. */
export function periodStart(now: Date): Date {
  return new Date(now.getTime() - changesDays * dayMs);
}

/** A day on which the site was measured. */
export interface ScoreDay {
  /** 0 for the day of `periodStart`, `changesDays` for today, in UTC. */
  readonly day: number;
  /** Last score of the day. */
  readonly score: number;
  /** Scores of this day and of the measured day before it cannot be compared. */
  readonly otherRules: boolean;
}

/** Days without a measurement are left out, and so are scores of a former first address. */
function scoreDays({ siteRuns, scans }: ClientReportStore, site: Site, now: Date): readonly ScoreDay[] {
  const firstDay = Math.floor(periodStart(now).getTime() / dayMs);
  const dayOf = ({ at }: SiteHistoryEntry) => Math.floor(Date.parse(at) / dayMs) - firstDay;
  const recent = siteRuns.history(site.id).filter((entry) => dayOf(entry) >= 0 && dayOf(entry) <= changesDays);
  const lastOfDays = [...Map.groupBy(recent, dayOf)].flatMap(([day, entries]) => {
    const last = entries.at(-1);
    const scan = last === undefined ? undefined : scans.findByToken(last.token);
    return last === undefined || (scan !== undefined && scan.url !== site.url) ? [] : [{ day, score: last.score, rules: scan?.summary }];
  });
  return lastOfDays.map(({ day, score, rules }, at) => {
    const before = lastOfDays[at - 1]?.rules;
    return { day, score, otherRules: rules != null && before != null && !sameRules(before, rules) };
  });
}

/** Events of a site that are read: a site has few, as findings that change too often are silent. */
const eventsReadMax = 200;

interface SiteChanges {
  /** Newest first. */
  readonly rows: readonly SiteChangeRow[];
  /** Rows about what got better and has stayed so. */
  readonly better: readonly SiteChangeRow[];
  /** False if older events of this time were not read. */
  readonly complete: boolean;
  /** Findings began or ended without an event, as with the first run and with other checks. */
  readonly hasSilent: boolean;
  /** By which the site counts as unreachable; null if it is measured, or the event is gone. */
  readonly unreachable: EventData["site.unreachable"] | null;
}

export type SiteChangeRow =
  | { readonly at: string; readonly kind: FindingChangeKind; readonly finding: EventFinding }
  /** `since`: when the time without a measurement began. */
  | { readonly at: string; readonly kind: "unreachable" | "recovered"; readonly since: string };

/** `unaccepted`: the acceptance of a finding that is still there has ended. */
type FindingChangeKind = "opened" | "resolved" | "unstable" | "unaccepted";

function siteChanges({ events }: ClientReportStore, site: Site, state: SiteState, now: Date): SiteChanges {
  const since = periodStart(now).toISOString();
  const read = events.listOfSite(site.accountId, site.id, eventsReadMax);
  // Events of a former first address are about another site.
  const recent = read.filter((event) => event.at >= since && event.site?.url === site.url);
  const rows = recent.flatMap((event) => rowsOf(event, site, state));
  return {
    rows,
    better: rows.filter((row) => isStillBetter(row, site, state)),
    complete: read.length < eventsReadMax || recent.length < read.length,
    hasSilent: hasSilentChange(state, since),
    unreachable: state.unreachable ? lastUnreachable(read) : null,
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

/** A resolved finding that is open again, or comes and goes, is no progress, and neither is a site that is lost again. */
function isStillBetter(row: SiteChangeRow, { failingSince, reading }: Site, { findings }: SiteState): boolean {
  if (reading === null) return false;
  if (row.kind === "recovered") return failingSince === null;
  if (row.kind !== "resolved") return false;
  const known = findings[row.finding.code];
  return known === undefined || (known.state !== "open" && !known.unstable);
}

/** How much a site needs attention: if it is unreachable, by its confirmed score, and by its findings that are open and not accepted. */
export type Need = "urgent" | "improve" | "fine";

/** Null before the first measured run. */
export function needOf({ site: { reading }, unreachable, open }: Pick<ReportedSite, "site" | "unreachable" | "open">): Need | null {
  if (reading === null) return null;
  const has = (severity: Severity) => open.some((finding) => finding.severity === severity);
  if (unreachable || reading.band === "poor" || has("critical")) return "urgent";
  return reading.band === "warn" || has("high") ? "improve" : "fine";
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

function lastUnreachable(newestFirst: readonly StoredEvent[]): SiteChanges["unreachable"] {
  const event = newestFirst.find(({ type }) => type === "site.unreachable");
  return event?.type === "site.unreachable" ? event.data : null;
}

export interface CountedSite {
  readonly site: Pick<Site, "reading">;
  /** Open findings that are not accepted. */
  readonly open: number;
}

export interface Figures {
  readonly measured: number;
  /** Lowest score; null without a measured site, like `open`. */
  readonly score: number | null;
  readonly open: number | null;
  /** End of the certificate that expires first; null if no certificate was read. */
  readonly certificateExpiresAt: string | null;
}

export function figuresOf(sites: readonly CountedSite[]): Figures {
  const measured = sites.flatMap(({ site: { reading }, open }) => (reading === null ? [] : [{ reading, open }]));
  const [certificateExpiresAt = null] = measured.flatMap(({ reading }) => reading.certificateExpiresAt ?? []).sort();
  return {
    measured: measured.length,
    score: measured.length === 0 ? null : Math.min(...measured.map(({ reading }) => reading.score)),
    open: measured.length === 0 ? null : measured.reduce((sum, { open }) => sum + open, 0),
    certificateExpiresAt,
  };
}
