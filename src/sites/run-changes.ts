/** What a run changes in the known findings, score and certificates of a site, and what can be compared with earlier runs. Pure. */
import { dayMs } from "../base/units.ts";
import { worstFirst } from "../check/check.ts";
import { bands, standing } from "../judge/result.ts";
import { siteOfUrl } from "../parse/site.ts";
import type { EventFinding, PageChange, ShownPage } from "../store/site-events.ts";
import type {
  FindingDoubt,
  KnownCertificate,
  KnownFinding,
  RunConclusion,
  RunRules,
  SiteState,
  UnmeasuredAddress,
} from "../store/site-runs.ts";
import { type AcceptedFinding, isAccepted, type Site, type SiteChange } from "../store/sites.ts";
import { changedPluginsOf } from "../text/comparison.ts";
import { isOwnFault, type MeasuredReading, type ReadCertificate, type ReadCheck, type ReadFinding } from "./run-reading.ts";

/** Changes of one code within `unstableDays` that are still reported. */
const flipsMax = 4;
/** A finding that changes more often is silent until it has kept its state so long. */
const unstableDays = 7;

export interface FindingChanges extends Pick<SiteState, "findings" | "doubts"> {
  /** Findings for events, the worst first. */
  readonly opened: readonly EventFinding[];
  readonly resolved: readonly EventFinding[];
  readonly unstable: readonly EventFinding[];
  /** Some finding opened or resolved for another cause than the site. */
  readonly changedSilently: boolean;
  /** A doubt is too young to be confirmed. */
  readonly needsSecondLook: boolean;
}

interface FindingContext {
  readonly site: Pick<Site, "accepted" | "reading">;
  readonly state: Pick<SiteState, "findings" | "doubts">;
  readonly reading: Pick<MeasuredReading, "addresses" | "findings" | "checks">;
  readonly silent: SilentChecks;
  readonly addresses: Pick<AddressChanges, "begun" | "outside">;
  readonly now: Date;
  /** The first address shows another page than the known one. */
  readonly isOtherPage?: boolean;
  /** A second look will follow: findings that are gone stay open until then, as a regression is reported before an improvement. */
  readonly keepsOpen?: boolean;
}

/** One code after a run. */
interface Judged {
  readonly code: string;
  readonly finding?: KnownFinding | undefined;
  readonly doubt?: FindingDoubt | undefined;
  readonly event?: "opened" | "resolved" | "unstable";
  readonly changedSilently?: boolean;
}

/**
 * A finding opens when a second run confirms it. It is resolved at once when each address that had it was read without it, and replaced,
 * without an event, when that proves no improvement.
 * A doubt ends when each address that showed it was read without it. Silent checks open and resolve at once, without events.
 * A finding of addresses that begin with this run opens in the same way.
 */
export function changesOfFindings(context: FindingContext): FindingChanges {
  const { site, state, reading, now } = context;
  const codes = [...new Set([...Object.keys(state.findings), ...Object.keys(state.doubts), ...reading.findings.keys()])].sort();
  const judged = codes.map((code) => judgeCode(context, code));
  const eventsOf = (event: Judged["event"]) =>
    judged
      .filter((one) => one.event === event)
      .flatMap(eventFindingOf)
      .sort(worstFirst);
  const doubts = judged.flatMap(({ code, doubt }) => (doubt === undefined ? [] : [[code, doubt] as const]));
  return {
    findings: Object.fromEntries(judged.flatMap(({ code, finding }) => (finding === undefined ? [] : [[code, finding]]))),
    doubts: Object.fromEntries(doubts),
    opened: eventsOf("opened"),
    resolved: eventsOf("resolved"),
    unstable: eventsOf("unstable"),
    changedSilently: judged.some((one) => one.changedSilently === true),
    needsSecondLook: doubts.some(([code, { since }]) => !isAccepted(site, code, now) && !isConfirmation(since, now)),
  };
}

function eventFindingOf({ code, finding }: Judged): readonly EventFinding[] {
  if (finding === undefined) return [];
  const { checkKey, severity, urls } = finding;
  return [{ code, checkKey, severity, urls }];
}

function judgeCode(context: FindingContext, code: string): Judged {
  const { state, reading, silent } = context;
  const known = state.findings[code];
  const doubt = doubtOf(context, code);
  const read = reading.findings.get(code);
  if (read !== undefined) return judgePresent(context, code, read);
  const checkKey = known?.checkKey ?? doubt?.checkKey ?? "";
  const check = reading.checks.get(checkKey);
  // Checks leave the ledger with their catalog only.
  if (check === undefined && silent === "all") return { code, changedSilently: known?.state === "open" };
  const isRead = doubt?.urls?.every((url) => check?.decidedUrls.has(url)) ?? check?.decided;
  if (known?.state !== "open" && isRead !== true) return { code, finding: known, doubt: silent === "all" ? undefined : doubt };
  if (known?.state !== "open") return { code, finding: known && settled(known, context.now) };
  if (check === undefined || check.decidedUrls.size === 0) return { code, finding: noted(context, code, known) };
  const urls = unreadUrlsOf(known, reading);
  if (urls.length > 0) return { code, finding: noted(context, code, { ...known, urls }) };
  if (context.keepsOpen === true && !isSilent(silent, checkKey)) return { code, finding: noted(context, code, known) };
  const after = isImproved(context, known, check) ? "resolved" : "replaced";
  return changed(context, code, { ...known, state: after, since: context.now.toISOString() });
}

/** A check that does not apply, that found another fault instead, or that read another page, does not say that anything is better. */
function isImproved(
  { state, reading, isOtherPage = false }: FindingContext,
  { checkKey, urls }: KnownFinding,
  { inapplicableUrls }: ReadCheck,
): boolean {
  if (isOtherPage || urls.some((url) => inapplicableUrls.has(url))) return false;
  const isNew = (code: string) => state.findings[code]?.state !== "open";
  return [...reading.findings].every(
    ([code, found]) => found.checkKey !== checkKey || !isNew(code) || !found.urls.some((url) => urls.includes(url)),
  );
}

function judgePresent(context: FindingContext, code: string, read: ReadFinding): Judged {
  const { site, state, reading, silent, addresses, now } = context;
  const known = state.findings[code];
  const doubt = doubtOf(context, code);
  // A replaced finding that is back is no news: its end was not reported either.
  if (known?.state === "open" || known?.state === "replaced") {
    const isOpen = known.state === "open";
    const urls = isOpen ? [...read.urls, ...unreadUrlsOf(known, reading)] : read.urls;
    const since = isOpen ? known.since : now.toISOString();
    const finding = settled({ ...known, ...read, urls, state: "open", since }, now);
    return isSilent(silent, read.checkKey) ? { code, finding: noted(context, code, finding) } : stillOpen(context, code, finding);
  }
  const opened = { ...newFinding(now), ...known, ...read, state: "open", since: doubt?.since ?? now.toISOString() } as const;
  const { checkKey } = read;
  const urls = read.urls.filter((url) => !addresses.begun.includes(url));
  if (isSilent(silent, checkKey) || (doubt !== undefined && urls.length > 0 && isConfirmation(doubt.since, now)))
    return changed(context, code, opened);
  // The score of an address that begins is left out by itself.
  if (urls.length === 0) return { code, finding: { ...opened, since: now.toISOString(), accepted: isAccepted(site, code, now) } };
  return { code, finding: known, doubt: doubt === undefined ? { checkKey, since: now.toISOString(), urls } : seenOn(doubt, urls) };
}

/** Undefined also for a doubt of lost addresses alone. */
function doubtOf({ state, addresses: { outside } }: FindingContext, code: string): FindingDoubt | undefined {
  const doubt = state.doubts[code];
  if (doubt?.urls === undefined) return doubt;
  const urls = doubt.urls.filter((url) => !outside.includes(url));
  return urls.length === 0 ? undefined : { ...doubt, urls };
}

/** Addresses of an open finding on which the check has no verdict in this run: they may still have it. */
export function unreadUrlsOf({ checkKey, urls }: KnownFinding, { addresses, checks }: FindingContext["reading"]): readonly string[] {
  const decided = checks.get(checkKey)?.decidedUrls;
  return urls.filter((url) => addresses.includes(url) && decided?.has(url) !== true);
}

function newFinding(now: Date): Pick<KnownFinding, "since" | "flips" | "unstable"> {
  return { since: now.toISOString(), flips: [], unstable: false };
}

/** The end of an acceptance is reported once, while the finding is still there. That of a silent finding waits for the end of the silence. */
function stillOpen({ site, now }: FindingContext, code: string, finding: KnownFinding): Judged {
  const acceptance = acceptanceOf(site, code, finding, now);
  if (acceptance === "ended" && !finding.unstable) return { code, finding: { ...finding, accepted: false }, event: "opened" };
  return { code, finding: { ...finding, accepted: acceptance !== "none" } };
}

/** A finding of which this run reports nothing: the end of its acceptance is left to a later one. */
function noted({ site, now }: Pick<FindingContext, "site" | "now">, code: string, finding: KnownFinding): KnownFinding {
  return acceptanceOf(site, code, finding, now) === "none" ? finding : { ...finding, accepted: true };
}

/** A finding that has just opened or resolved. */
function changed({ site, silent, now }: FindingContext, code: string, finding: KnownFinding): Judged {
  const acceptance = acceptanceOf(site, code, finding, now);
  const acceptedWhile = (isUnstable: boolean) => acceptance === "holds" || (acceptance === "ended" && isUnstable);
  if (isSilent(silent, finding.checkKey))
    return { code, finding: { ...finding, accepted: acceptedWhile(finding.unstable) }, changedSilently: true };
  if (finding.state === "replaced") return { code, finding: noted({ site, now }, code, finding) };
  const { flips: before, unstable: wasUnstable } = settled(finding, now);
  const flips = [...before.filter((at) => !isPast(at, now)), now.toISOString()].slice(-(flipsMax + 1));
  const unstable = wasUnstable || flips.length > flipsMax;
  const after = { code, finding: { ...finding, flips, unstable, accepted: acceptedWhile(unstable) } };
  // A silent finding that opens takes the score with it. One that resolves raises it, which is no event.
  if (wasUnstable) return { ...after, changedSilently: finding.state === "open" };
  if (acceptance === "holds") return after;
  return { ...after, event: unstable ? "unstable" : finding.state === "open" ? "opened" : "resolved" };
}

/** Ends the silence of a finding that has kept its state. */
function settled(finding: KnownFinding, now: Date): KnownFinding {
  const last = finding.flips.at(-1);
  return finding.unstable && (last === undefined || isPast(last, now)) ? { ...finding, unstable: false, flips: [] } : finding;
}

function isPast(at: string, now: Date): boolean {
  return Math.abs(now.getTime() - Date.parse(at)) >= unstableDays * dayMs;
}

/** A page that is shown instead of the known one for so long is no maintenance page. */
const otherPageMs = dayMs;

export interface PageChanges {
  readonly page?: ShownPage | undefined;
  readonly otherPageSince?: string | null | undefined;
  /** Present if the first address shows another page than the known one. */
  readonly other?: PageChange;
}

/** Titles that change with each run belong to one page: after a day, the page of the run is the known one, whatever was shown meanwhile. */
export function changesOfPage(
  { page: from, otherPageSince }: SiteState,
  { page: to }: Pick<MeasuredReading, "page">,
  silent: SilentChecks,
  now: Date,
): PageChanges {
  if (to === undefined) return { page: from, otherPageSince };
  const isKnown = from === undefined || silent === "all" || isSamePage(from, to);
  const since = otherPageSince ?? now.toISOString();
  if (isKnown || Math.abs(now.getTime() - Date.parse(since)) >= otherPageMs) return { page: to, otherPageSince: null };
  return { page: from, otherPageSince: since, other: { from, to } };
}

function isSamePage(one: ShownPage, other: ShownPage): boolean {
  return one.url === other.url && titleWords(one) === titleWords(other) && one.asksPassword === other.asksPassword;
}

/** Letters of the title: counters and dates in digits change on one page. Without letters the whole title. */
function titleWords({ title }: ShownPage): string {
  return title.replace(/[^\p{L}\p{M}]+/gu, "") || title;
}

/** Host of another site, to which the first address did not lead before; undefined if it leads to none. */
export function otherSiteOf({ page: from }: SiteState, { page: to, addresses: [address = ""] }: MeasuredReading): string | undefined {
  if (from === undefined || to === undefined) return undefined;
  const site = siteOfUrl(to.url);
  return site === siteOfUrl(from.url) || site === siteOfUrl(address) ? undefined : new URL(to.url).host;
}

/** Smaller drops within a band are no event. They leave the reference as it is, so that many of them add up to one. */
const scoreDropMin = 5;

interface ComparedScore {
  /** Scores by measured address, without the limit for unread main defences. */
  readonly scores: ReadonlyMap<string, number>;
  /** Measured addresses that cannot be compared: they may lower the reference, and are no drop. */
  readonly begun: readonly string[];
  /** False if rules have changed what is measured. */
  readonly comparable: boolean;
  /** False if something had no verdict that may have lowered the score: then no rise is proven. */
  readonly complete: boolean;
  /** Whether everything was read that the doubted score was seen on. */
  readonly doubtRead: boolean;
}

export interface ScoreChange extends Pick<SiteState, "score" | "doubtedScore"> {
  /** The reference before the drop; null without a confirmed drop. */
  readonly droppedFrom: number | null;
  /** Score of a drop, if addresses cannot be compared that may be lower. */
  readonly droppedTo?: number;
}

/** A drop counts when a second run confirms it; a rise counts at once. */
export function changeOfScore(
  known: Pick<SiteState, "score" | "doubtedScore">,
  { begun, ...given }: ComparedScore,
  now: Date,
): ScoreChange {
  if (begun.length === 0) return changeOfCompared(known, given, now);
  const scores = new Map([...given.scores].filter(([url]) => !begun.includes(url)));
  const change = changeOfCompared(known, { ...given, scores }, now);
  const reference = Math.min(change.score, ...begun.flatMap((url) => given.scores.get(url) ?? []));
  const { doubtedScore } = change;
  const isDoubted = doubtedScore !== null && isDrop(reference, doubtedScore.score);
  return { ...change, score: reference, doubtedScore: isDoubted ? doubtedScore : null, droppedTo: Math.min(...scores.values()) };
}

function changeOfCompared(
  { score: reference, doubtedScore }: Pick<SiteState, "score" | "doubtedScore">,
  { comparable, complete, doubtRead, scores }: Omit<ComparedScore, "begun">,
  now: Date,
): ScoreChange & { readonly score: number } {
  const score = Math.min(...scores.values());
  if (reference === null || !comparable) {
    const kept = reference !== null && !complete ? Math.min(reference, score) : score;
    return { score: kept, doubtedScore: null, droppedFrom: null };
  }
  if (!isDrop(reference, score)) {
    const kept = complete ? Math.max(reference, score) : reference;
    return { score: kept, doubtedScore: doubtRead ? null : doubtedScore, droppedFrom: null };
  }
  const urls = [...scores].filter(([, one]) => isDrop(reference, one)).map(([url]) => url);
  if (doubtedScore === null) return { score: reference, doubtedScore: { score, since: now.toISOString(), urls }, droppedFrom: null };
  if (!isConfirmation(doubtedScore.since, now)) return { score: reference, doubtedScore: seenOn(doubtedScore, urls), droppedFrom: null };
  return { score, doubtedScore: null, droppedFrom: reference };
}

function isDrop(reference: number, score: number): boolean {
  const bandAt = (value: number) => bands.indexOf(standing(value).band);
  return reference - score >= scoreDropMin || bandAt(score) > bandAt(reference);
}

/** Days before the expiry; 0 is the expiry itself. */
const thresholdDays = [30, 14, 7, 1, 0] as const;
/** Longest threshold: a certificate that expires later needs no look at its site. */
export const certificateNoticeDaysMax = 30;
/**
 * Clients of certificate authorities renew when about a third of the lifetime is left. A notice at that time would come with each renewal,
 * so it comes a little later.
 */
const noticeShare = 0.3;

/** Days until the expiry, rounded up: 1 on the last day, 0 or below afterwards. */
export function certificateDaysLeft(expiresAt: string, now: Date): number {
  // Without the sum, 0 could be a negative zero.
  return Math.ceil((Date.parse(expiresAt) - now.getTime()) / dayMs) + 0;
}

/** Thresholds that were passed and not reported yet, the longest first. */
export function dueThresholds({ validFrom, expiresAt, noticed }: KnownCertificate, now: Date): readonly number[] {
  const leftMs = Date.parse(expiresAt) - now.getTime();
  const noticeMs = (Date.parse(expiresAt) - Date.parse(validFrom)) * noticeShare;
  return thresholdDays.filter((days) => leftMs <= days * dayMs && (days === 0 || days * dayMs < noticeMs) && !noticed.includes(days));
}

/** One event for all thresholds that were passed since the last; null for none. */
export function noticeCertificate(state: SiteState, now: Date): Pick<RunConclusion, "state" | "events"> | null {
  const { certificate } = state;
  const due = certificate === null ? [] : dueThresholds(certificate, now);
  if (certificate === null || due.length === 0) return null;
  const { expiresAt, noticed } = certificate;
  const data = { expiresAt, daysLeft: certificateDaysLeft(expiresAt, now) };
  return {
    state: { ...state, certificate: { ...certificate, noticed: [...noticed, ...due] } },
    events: [{ type: "certificate.expiring", token: null, data }],
  };
}

/** Certificate after a run; what was reported belongs to each certificate. Servers behind one name may take turns with two of them. */
export function certificateAfter(
  { certificate, formerCertificate = null }: SiteState,
  read: ReadCertificate | null,
): Pick<SiteState, "certificate" | "formerCertificate"> {
  if (read === null || (certificate !== null && isSame(certificate, read))) return { certificate, formerCertificate };
  const known = formerCertificate !== null && isSame(formerCertificate, read) ? formerCertificate : { ...read, noticed: [] };
  return { certificate: known, formerCertificate: certificate };
}

function isSame(one: ReadCertificate, other: ReadCertificate): boolean {
  return one.validFrom === other.validFrom && one.expiresAt === other.expiresAt;
}

/** Time between a doubtful run and its repetition. */
export const secondLookAfterMs = 10 * 60_000;
/** Shorter, since the clock of a server may be corrected meanwhile. */
const confirmedAfterMs = 9.5 * 60_000;
/** Runs in a row without a measurement after which a site, or an address of it, counts as unreachable. */
const failuresMin = 3;

/** Whether a run is late enough to confirm what was first seen at `since`. */
export function isConfirmation(since: string, now: Date): boolean {
  // After the clock was set back, `since` lies ahead.
  return Math.abs(now.getTime() - Date.parse(since)) >= confirmedAfterMs;
}

/** Runs that a person starts at once after another prove nothing more. */
export function isUnreachable(failures: number, since: string, now: Date): boolean {
  return failures >= failuresMin && isConfirmation(since, now);
}

/** A doubt that further addresses show. One of an earlier release knows none. */
function seenOn<Doubt extends { readonly urls?: readonly string[] }>(doubt: Doubt, urls: readonly string[]): Doubt {
  return doubt.urls === undefined ? doubt : { ...doubt, urls: [...new Set([...doubt.urls, ...urls])] };
}

export function secondLookTime(now: Date): string {
  return new Date(now.getTime() + secondLookAfterMs).toISOString();
}

/** Look after a run that measured nothing: all that `isUnreachable` asks for come in the time of one second look. */
export function lookAfterFailure(now: Date): string {
  return new Date(now.getTime() + secondLookAfterMs / (failuresMin - 1)).toISOString();
}

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
    return [url, { since, errorCode, failures: failures + (isOwnFault(errorCode) ? 0 : 1) }] as const;
  });
  return Object.fromEntries(rows);
}

function isLost({ failures = 0, since }: Partial<UnmeasuredAddress> = {}, now: Date): boolean {
  return since !== undefined && isUnreachable(failures, since, now);
}

/** Checks whose findings start again with a run, without events; `all`: the run begins a new baseline. */
export type SilentChecks = "all" | ReadonlySet<string>;

function isSilent(silent: SilentChecks, checkKey: string): boolean {
  return silent === "all" || silent.has(checkKey);
}

/**
 * All checks in the first run, and with another catalog, algorithm, header limit or public suffix list.
 * After a change of another data file: the checks that use it. Also plugin checks whose code changed, and checks that have a verdict for the
 * first time.
 */
export function silentChecksOf(state: SiteState, reading: MeasuredReading): SilentChecks {
  // Rows of earlier releases may have no addresses.
  const dataNames = state.rules === null || state.addresses === undefined ? null : changedDataOf(state.rules, reading.rules);
  if (dataNames === null) return "all";
  const [before, after] = [state.rules?.basis, reading.rules.basis];
  const begun = new Set([...(state.unread ?? []), ...(before && after ? changedPluginsOf(before, after) : [])]);
  const keys = [...reading.checks].filter(([key, { evidence }]) => begun.has(key) || dataNames.some((name) => evidence.has(name)));
  return new Set(keys.map(([key]) => key));
}

/** Rules after a run. A data file that this run did not use keeps the date of the last run that used it. */
export function rulesAfter({ rules }: SiteState, { rules: read }: MeasuredReading, silent: SilentChecks): RunRules {
  if (silent === "all" || read.basis === undefined) return read;
  return { ...read, basis: { ...read.basis, dataDates: { ...rules?.basis?.dataDates, ...read.basis.dataDates } } };
}

/** Checks that have had no verdict on any address since the baseline. */
export function unreadAfter({ unread = [] }: SiteState, { checks }: MeasuredReading, silent: SilentChecks): readonly string[] {
  const known = silent === "all" ? [...checks.keys()] : unread;
  return known.filter((key) => (checks.get(key)?.decidedUrls.size ?? 0) === 0);
}

/** Data files with another date, if nothing else differs; else null. */
function changedDataOf(before: RunRules, after: RunRules): readonly string[] | null {
  if (before.algorithmVersion !== after.algorithmVersion || before.catalogVersion !== after.catalogVersion) return null;
  if (before.basis === undefined || after.basis === undefined) return before.basis === after.basis ? [] : null;
  const [earlier, later] = [before.basis.dataDates, after.basis.dataDates];
  // Every scan uses a public suffix list: without a date the embedded one.
  const sameBasis = before.basis.headerValueCharsMax === after.basis.headerValueCharsMax && earlier.publicSuffixes === later.publicSuffixes;
  return sameBasis ? Object.keys(later).filter((name) => earlier[name] !== undefined && earlier[name] !== later[name]) : null;
}

/**
 * `ended`: the acceptance of a finding has ended, and that is not reported yet. Either a run noted that it held, or it ended after the last
 * run. An owner who withdraws one needs no report.
 */
function acceptanceOf(
  { accepted, reading }: Pick<Site, "accepted" | "reading">,
  code: string,
  finding: Pick<KnownFinding, "accepted">,
  now: Date,
): "holds" | "ended" | "none" {
  if (isAccepted({ accepted }, code, now)) return "holds";
  const lastRunMs = reading === null ? Number.POSITIVE_INFINITY : Date.parse(reading.at);
  const hasEnded = ({ until }: AcceptedFinding) => finding.accepted === true || (until !== null && Date.parse(until) + dayMs > lastRunMs);
  return accepted.some((one) => one.code === code && hasEnded(one)) ? "ended" : "none";
}

/** Stores the acceptances and counts the open findings again: lists show them without those that are accepted. */
export function acceptedChange(
  { reading }: Pick<Site, "reading">,
  accepted: readonly AcceptedFinding[],
  { findings }: SiteState,
  now: Date,
): SiteChange {
  const open = Object.entries(findings).filter(([code, { state }]) => state === "open" && !isAccepted({ accepted }, code, now)).length;
  return { accepted, reading: reading === null ? null : { ...reading, open } };
}
