/** Conclusion of a run: its events, its reading and its entry in the history of the site. */
import type { Clock } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { dayMs } from "../base/units.ts";
import { standing } from "../judge/result.ts";
import { DataDirError } from "../store/data-dir.ts";
import type { NewEvent, PageChange } from "../store/site-events.ts";
import { newSiteState, type RunConclusion, type SiteRun, type SiteState } from "../store/site-runs.ts";
import { courseWith, isAccepted, type Site, type SiteChange, type SiteReading } from "../store/sites.ts";
import type { Store } from "../store/store.ts";
import {
  type AddressChanges,
  certificateAfter,
  changeOfScore,
  changesOfAddresses,
  changesOfFindings,
  changesOfPage,
  type FindingChanges,
  isConfirmation,
  isUnreachable,
  lookAfterFailure,
  otherSiteOf,
  rulesAfter,
  type ScoreChange,
  type SilentChecks,
  secondLookTime,
  silentChecksOf,
  unreadAfter,
  unreadUrlsOf,
  withoutRemoved,
} from "./run-changes.ts";
import { type MeasuredReading, mayPass, type RunReading, readRun, type UnmeasuredReading } from "./run-reading.ts";

/** Looks in a row that are ordered again after faults of the appliance, while something is in doubt. */
const missedLooksMax = 3;

/** `state` is the site's state before the run, and `read` what the run showed. */
export function concludeRun(site: Site, state: SiteState, run: Pick<SiteRun, "kind">, read: RunReading, now: Date): RunConclusion {
  const reading = ofThisSite(state, read);
  // Nothing that is known of another first address holds.
  const isOther = state.addresses !== undefined && state.addresses[0] !== reading.addresses[0];
  const known = { ...(isOther ? newSiteState : state), ...certificateAfter(isOther ? newSiteState : state, reading.certificate) };
  const before = isOther ? { ...site, failingSince: null } : site;
  if (reading.measured) return concludeMeasured({ site: before, state: withoutRemoved(known, reading.addresses), run, now }, reading);
  return reading.ownFault ? concludeOwnFault(before, known, run, reading, now) : concludeFailed(before, known, reading, now);
}

/** Page, score and certificate of another site, to which the address leads now, say nothing about the watched one. */
function ofThisSite(state: SiteState, reading: RunReading): RunReading {
  const isKnown = state.addresses?.[0] === reading.addresses[0];
  const leadsTo = reading.measured && isKnown ? otherSiteOf(state, reading) : undefined;
  if (leadsTo === undefined) return reading;
  return { measured: false, addresses: reading.addresses, certificate: null, errorCode: null, leadsTo, ownFault: false };
}

/** Ends a run that cannot be concluded, as if it had not been. */
export function abandonRun(_site: Site, state: SiteState): RunConclusion {
  return { state, site: {}, events: [], rules: null, history: null };
}

interface RunContext {
  readonly site: Site;
  readonly state: SiteState;
  readonly run: Pick<SiteRun, "kind">;
  readonly now: Date;
}

function concludeMeasured(context: RunContext, reading: MeasuredReading): RunConclusion {
  const { site, state, now } = context;
  const silent = silentChecksOf(state, reading);
  const addresses = changesOfAddresses(state, reading, silent, now);
  const { other: otherPage, ...page } = changesOfPage(state, reading, silent, now);
  const isOtherPage = otherPage !== undefined;
  const compared = (keepsOpen: boolean) => {
    const findings = changesOfFindings({ site, state, reading, silent, addresses, now, isOtherPage, keepsOpen });
    const score = scoreOfRun(state, reading, { silent, findings, addresses, isOtherPage }, now);
    return { findings, score, isAwaited: needsSecondLook(context, score, findings) };
  };
  const first = compared(false);
  const { findings, score, isAwaited } = first.isAwaited ? compared(true) : first;
  const shown = silent === "all" ? reading.score : shownScore(site, reading, addresses);
  const confirmed = isAwaited ? site.reading : null;
  const open = Object.entries(findings.findings).filter(([code, one]) => one.state === "open" && !isAccepted(site, code, now)).length;
  const certificateExpiresAt = state.certificate?.expiresAt ?? null;
  const entry = { token: reading.token, at: now.toISOString(), score: shown, ...standing(shown), open };
  return {
    state: {
      rules: rulesAfter(state, reading, silent),
      score: score.score,
      doubtedScore: score.doubtedScore,
      findings: findings.findings,
      doubts: findings.doubts,
      failures: 0,
      unreachable: false,
      certificate: state.certificate,
      formerCertificate: state.formerCertificate ?? null,
      addresses: reading.addresses,
      unread: unreadAfter(state, reading, silent),
      unreadAddresses: addresses.outside,
      unmeasured: addresses.unmeasured,
      ...page,
    },
    site: {
      secondLookAt: isAwaited ? secondLookTime(now) : null,
      failingSince: null,
      ...(confirmed === null
        ? {
            reading: { ...entry, certificateExpiresAt } satisfies SiteReading,
            trend: [...site.trend, shown],
            course: courseWith(site.course ?? [], entry),
          }
        : { reading: { ...confirmed, open, certificateExpiresAt, unconfirmed: unconfirmedIn(context, findings) } }),
    },
    events: eventsOf(context, { token: reading.token, score: reading.score, page: otherPage }, score, findings),
    rules: { ...reading.rules, judgedAt: reading.judgedAt },
    history: confirmed === null ? entry : null,
  };
}

function unconfirmedIn({ site, now }: RunContext, { doubts }: FindingChanges): number {
  return Object.keys(doubts).filter((code) => !isAccepted(site, code, now)).length;
}

interface ComparedRun {
  readonly silent: SilentChecks;
  readonly findings: FindingChanges;
  readonly addresses: AddressChanges;
  readonly isOtherPage: boolean;
}

function scoreOfRun(
  state: SiteState,
  reading: MeasuredReading,
  { silent, findings, addresses, isOtherPage }: ComparedRun,
  now: Date,
): ScoreChange {
  const known = silent === "all" ? { score: null, doubtedScore: null } : state;
  const open = Object.values(findings.findings).filter((one) => one.state === "open");
  // Where its check has no verdict in this run, an open finding may still lower the real score.
  const hidden = new Set([...reading.unmeasured.keys(), ...open.flatMap((one) => unreadUrlsOf(one, reading))]);
  const isRead = (url: string) => !hidden.has(url) || addresses.outside.includes(url);
  // A rise by a maintenance page must not make its end a drop.
  const complete = reading.addresses.every(isRead) && !isOtherPage;
  const doubtRead = state.doubtedScore?.urls?.every((url) => isRead(url)) ?? complete;
  const { scores } = reading;
  return changeOfScore(known, { scores, begun: addresses.begun, comparable: !findings.changedSilently, complete, doubtRead }, now);
}

/** While an address is not measured, the lowest score may be missing: a list must not show a rise. */
function shownScore({ reading: last }: Site, { score, unmeasured }: MeasuredReading, { outside }: AddressChanges): number {
  return last === null || [...unmeasured.keys()].every((url) => outside.includes(url)) ? score : Math.min(score, last.score);
}

/** A second look orders no third, unless the run before it measured nothing: then it is the first one that shows something. */
function needsSecondLook(
  { site, state, run, now }: RunContext,
  { doubtedScore }: ScoreChange,
  { needsSecondLook }: FindingChanges,
): boolean {
  const isFirst = run.kind !== "second-look" || state.failures > 0 || (state.missedLooks ?? 0) > 0;
  if (site.paused || !isFirst) return false;
  return needsSecondLook || (doubtedScore !== null && !isConfirmation(doubtedScore.since, now));
}

function eventsOf(
  { site, state, now }: RunContext,
  { token, page, score: shown }: Pick<MeasuredReading, "token" | "score"> & { readonly page: PageChange | undefined },
  score: ScoreChange,
  found: FindingChanges,
): readonly NewEvent[] {
  const events: NewEvent[] = [];
  const because = page === undefined ? {} : { page };
  const since = site.failingSince ?? now.toISOString();
  if (state.unreachable) events.push({ type: "site.recovered", token, data: { since } });
  if (score.droppedFrom !== null) {
    const to = score.droppedTo ?? shown;
    events.push({ type: "site.score_dropped", token, data: { from: score.droppedFrom, to, ...standing(to), ...because } });
  }
  if (found.opened.length > 0) {
    const doubtedAt = found.opened.flatMap(({ code }) => state.doubts[code]?.since ?? []).toSorted()[0];
    events.push({ type: "finding.opened", token, data: { findings: found.opened, ...(doubtedAt && { since: doubtedAt }), ...because } });
  }
  if (found.resolved.length > 0) events.push({ type: "finding.resolved", token, data: { findings: found.resolved } });
  if (found.unstable.length > 0) events.push({ type: "finding.unstable", token, data: { findings: found.unstable } });
  return events;
}

/**
 * The appliance failed, or a person ended the scan: the site is neither blamed nor changed. One repetition where it may help.
 * While something is in doubt, a few more.
 */
function concludeOwnFault(
  site: Site,
  state: SiteState,
  { kind }: Pick<SiteRun, "kind">,
  reading: UnmeasuredReading,
  now: Date,
): RunConclusion {
  const missed = state.missedLooks ?? 0;
  const isAwaited = missed < missedLooksMax && isInDoubt(site, state, now);
  const isRepeated = kind !== "second-look" && mayPass(reading.errorCode);
  const secondLookAt = (isRepeated || isAwaited) && !site.paused ? secondLookTime(now) : null;
  const after = secondLookAt === null ? state : { ...state, missedLooks: missed + 1 };
  return unmeasured(after, { ...withCertificate(site, state), failingSince: site.failingSince, secondLookAt }, []);
}

function isInDoubt(site: Site, { doubts, doubtedScore }: SiteState, now: Date): boolean {
  return doubtedScore !== null || Object.keys(doubts).some((code) => !isAccepted(site, code, now));
}

/** Findings, score and doubts stay as they are. */
function concludeFailed(site: Site, state: SiteState, reading: UnmeasuredReading, now: Date): RunConclusion {
  const { errorCode, leadsTo } = reading;
  const failures = state.failures + 1;
  const since = site.failingSince ?? now.toISOString();
  const isReported = isUnreachable(failures, since, now) && !state.unreachable;
  const unreachable = state.unreachable || isReported;
  // A site that was never measured has lost nothing that a second look could confirm.
  const secondLookAt = unreachable || site.paused || site.reading === null ? null : lookAfterFailure(now);
  const events: readonly NewEvent[] = isReported
    ? [{ type: "site.unreachable", token: null, data: { since, errorCode, ...(leadsTo !== undefined && { leadsTo }) } }]
    : [];
  const addresses = state.addresses ?? reading.addresses;
  return unmeasured(
    { ...state, failures, unreachable, addresses, missedLooks: 0 },
    { ...withCertificate(site, state), failingSince: since, secondLookAt },
    events,
  );
}

function unmeasured(state: SiteState, site: SiteChange, events: readonly NewEvent[]): RunConclusion {
  return { state, site, events, rules: null, history: null };
}

/** A site whose certificate has expired may be one that no run can measure. */
function withCertificate({ reading }: Site, { certificate }: SiteState): SiteChange {
  return reading === null || certificate === null ? {} : { reading: { ...reading, certificateExpiresAt: certificate.expiresAt } };
}

/** Scans that wait longer are cancelled, as at a location that has lost its workers. The run must end for the next one to start. */
const runMsMax = dayMs;

export interface ConclusionOptions {
  readonly store: Pick<Store, "siteRuns" | "scans" | "results" | "evidence">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

/** Returns the number of events. @throws DataDirError, after which the rest is left to the next call. */
export async function concludeEndedRuns({ store, clock, log }: ConclusionOptions): Promise<number> {
  let events = 0;
  for (const run of store.siteRuns.list()) {
    if (isWaiting(store, run)) continue;
    try {
      events += await concludeOne(store, run, clock.now());
    } catch (error) {
      noteFault(log, run, error);
      await store.siteRuns.conclude(run, abandonRun, clock.now()).catch((again: unknown) => noteFault(log, run, again));
    }
  }
  return events;
}

/** A fault of one run does not stop the others. @throws DataDirError */
function noteFault(log: Log, { siteId }: SiteRun, error: unknown): void {
  if (error instanceof DataDirError) throw error;
  log.error("run of a site could not be concluded", { site: siteId, because: messageOf(error) });
}

/** Ends scans that have waited for too long. */
export async function cancelOldRuns({ store, clock, log }: ConclusionOptions): Promise<void> {
  for (const run of store.siteRuns.list()) {
    if (clock.now().getTime() - Date.parse(run.startedAt) < runMsMax) continue;
    log.warn("scans of a site have waited too long", { site: run.siteId });
    for (const { token } of run.scans) await store.scans.cancelQueued(token, clock.now());
  }
}

/** Scans of a lane run in their order, so the last one of a run is the best sign. */
function isWaiting({ scans }: Pick<Store, "scans">, run: SiteRun): boolean {
  const last = scans.findByToken(run.scans.at(-1)?.token ?? "");
  return last?.status === "queued" || last?.status === "running";
}

async function concludeOne(store: ConclusionOptions["store"], run: SiteRun, now: Date): Promise<number> {
  if (store.siteRuns.endedScans(run) === null) return 0;
  const reading = readStored(store, run);
  const events = await store.siteRuns.conclude(run, (site, state) => concludeRun(site, state, run, reading, now), now);
  return events?.length ?? 0;
}

function readStored({ scans, results, evidence }: Pick<Store, "scans" | "results" | "evidence">, run: SiteRun): RunReading {
  const scanned = run.scans.map(({ url, token }) => {
    const scan = scans.findByToken(token);
    return { url, scan, result: scan?.status === "finished" ? results.find(token) : undefined };
  });
  return readRun(scanned, evidence.find(run.scans[0]?.token ?? "")?.evidence);
}
