/** What a run changes in the known findings of a site. Pure. */
import { dayMs } from "../base/units.ts";
import { worstFirst } from "../check/check.ts";
import type { EventFinding } from "../store/site-events.ts";
import type { FindingDoubt, KnownFinding, SiteState } from "../store/site-runs.ts";
import { isAccepted, type Site } from "../store/sites.ts";
import { acceptanceOf } from "./acceptances.ts";
import type { AddressChanges } from "./address-changes.ts";
import { isSilent, type SilentChecks } from "./rule-changes.ts";
import type { MeasuredReading, ReadFinding } from "./run-reading.ts";
import { isConfirmation, seenOn } from "./second-look.ts";

/** Changes of one code within `unstableDays` that are still reported. */
const flipsMax = 4;
/** A finding that changes more often is silent until it has kept its state so long. */
const unstableDays = 7;

export interface FindingChanges extends Pick<SiteState, "findings" | "doubts"> {
  /** For events, the worst first. */
  readonly opened: readonly EventFinding[];
  readonly resolved: readonly EventFinding[];
  readonly unstable: readonly EventFinding[];
  /** Some finding opened or resolved for another cause than the site. */
  readonly changedSilently: boolean;
  /** A doubt is too young to be confirmed. */
  readonly needsSecondLook: boolean;
}

export interface FindingContext {
  readonly site: Pick<Site, "accepted" | "reading">;
  readonly state: Pick<SiteState, "findings" | "doubts">;
  readonly reading: Pick<MeasuredReading, "addresses" | "findings" | "checks">;
  readonly silent: SilentChecks;
  readonly addresses: Pick<AddressChanges, "begun" | "outside">;
  readonly now: Date;
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
 * A finding opens when a second run confirms it. It is resolved at once when each address that had it was read without it.
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
  return changed(context, code, { ...known, state: "resolved", since: context.now.toISOString() });
}

function judgePresent(context: FindingContext, code: string, read: ReadFinding): Judged {
  const { site, state, reading, silent, addresses, now } = context;
  const known = state.findings[code];
  const doubt = doubtOf(context, code);
  if (known?.state === "open") {
    const urls = [...read.urls, ...unreadUrlsOf(known, reading)];
    const finding = settled({ ...known, ...read, urls }, now);
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

/** An open finding of which this run reports nothing: the end of its acceptance is left to a later one. */
function noted({ site, now }: FindingContext, code: string, finding: KnownFinding): KnownFinding {
  return acceptanceOf(site, code, finding, now) === "none" ? finding : { ...finding, accepted: true };
}

/** A finding that has just opened or resolved. */
function changed({ site, silent, now }: FindingContext, code: string, finding: KnownFinding): Judged {
  const acceptance = acceptanceOf(site, code, finding, now);
  const acceptedWhile = (isUnstable: boolean) => acceptance === "holds" || (acceptance === "ended" && isUnstable);
  if (isSilent(silent, finding.checkKey))
    return { code, finding: { ...finding, accepted: acceptedWhile(finding.unstable) }, changedSilently: true };
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
