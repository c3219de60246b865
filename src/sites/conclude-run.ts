/** What follows from a run of a site: its state, its entry in lists, and the events. Pure. */
import { standing } from "../judge/result.ts";
import type { NewEvent } from "../store/site-events.ts";
import { newSiteState, type RunConclusion, type SiteRun, type SiteState } from "../store/site-runs.ts";
import { isAccepted, type Site, type SiteChange, type SiteReading } from "../store/sites.ts";
import { type AddressChanges, changesOfAddresses, withoutRemoved } from "./address-changes.ts";
import { certificateAfter } from "./certificate-notices.ts";
import { changesOfFindings, type FindingChanges, unreadUrlsOf } from "./finding-changes.ts";
import { rulesAfter, type SilentChecks, silentChecksOf, unreadAfter } from "./rule-changes.ts";
import type { MeasuredReading, RunReading, UnmeasuredReading } from "./run-reading.ts";
import { changeOfScore, type ScoreChange } from "./score-change.ts";
import { isConfirmation, isUnreachable, secondLookTime } from "./second-look.ts";

/** Looks in a row that are ordered again after faults of the appliance, while something is in doubt. */
const missedLooksMax = 3;

/** `state` is that of the site before the run. */
export function concludeRun(site: Site, state: SiteState, run: Pick<SiteRun, "kind">, reading: RunReading, now: Date): RunConclusion {
  // Nothing that is known of another first address holds.
  const isOther = state.addresses !== undefined && state.addresses[0] !== reading.addresses[0];
  const known = { ...(isOther ? newSiteState : state), ...certificateAfter(isOther ? newSiteState : state, reading.certificate) };
  const before = isOther ? { ...site, failingSince: null } : site;
  if (reading.measured) return concludeMeasured({ site: before, state: withoutRemoved(known, reading.addresses), run, now }, reading);
  return reading.ownFault ? concludeOwnFault(before, known, run, reading, now) : concludeFailed(before, known, reading, now);
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
  const findings = changesOfFindings({ site, state, reading, silent, addresses, now });
  const score = scoreOfRun(state, reading, { silent, findings, addresses }, now);
  const shown = silent === "all" ? reading.score : shownScore(site, reading, addresses);
  const open = Object.entries(findings.findings).filter(([code, one]) => one.state === "open" && !isAccepted(site, code, now)).length;
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
    },
    site: {
      secondLookAt: needsSecondLook(context, score, findings) ? secondLookTime(now) : null,
      failingSince: null,
      reading: { ...entry, certificateExpiresAt: state.certificate?.expiresAt ?? null } satisfies SiteReading,
      trend: [...site.trend, shown],
    },
    events: eventsOf(context, reading, score, findings),
    rules: { ...reading.rules, judgedAt: reading.judgedAt },
    history: entry,
  };
}

interface ComparedRun {
  readonly silent: SilentChecks;
  readonly findings: FindingChanges;
  readonly addresses: AddressChanges;
}

function scoreOfRun(state: SiteState, reading: MeasuredReading, { silent, findings, addresses }: ComparedRun, now: Date): ScoreChange {
  const known = silent === "all" ? { score: null, doubtedScore: null } : state;
  const open = Object.values(findings.findings).filter((one) => one.state === "open");
  // Where its check has no verdict in this run, an open finding may still lower the real score.
  const hidden = new Set([...reading.unmeasured.keys(), ...open.flatMap((one) => unreadUrlsOf(one, reading))]);
  const isRead = (url: string) => !hidden.has(url) || addresses.outside.includes(url);
  const complete = reading.addresses.every(isRead);
  const doubtRead = state.doubtedScore?.urls?.every((url) => isRead(url)) ?? complete;
  const { scores } = reading;
  return changeOfScore(known, { scores, begun: addresses.begun, comparable: !findings.changedSilently, complete, doubtRead }, now);
}

/** Without one of its addresses, the lowest score may be missing: a list must not show a rise. */
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
  reading: MeasuredReading,
  score: ScoreChange,
  found: FindingChanges,
): readonly NewEvent[] {
  const { token } = reading;
  const events: NewEvent[] = [];
  const since = site.failingSince ?? now.toISOString();
  if (state.unreachable) events.push({ type: "site.recovered", token, data: { since } });
  if (score.droppedFrom !== null) {
    const to = score.droppedTo ?? reading.score;
    events.push({ type: "site.score_dropped", token, data: { from: score.droppedFrom, to, ...standing(to) } });
  }
  if (found.opened.length > 0) events.push({ type: "finding.opened", token, data: { findings: found.opened } });
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
  const mayPass = kind !== "second-look" && (reading.errorCode === "interrupted" || reading.errorCode === "browser-unavailable");
  const missed = state.missedLooks ?? 0;
  const isAwaited = missed < missedLooksMax && isInDoubt(site, state, now);
  const secondLookAt = (mayPass || isAwaited) && !site.paused ? secondLookTime(now) : null;
  const after = secondLookAt === null ? state : { ...state, missedLooks: missed + 1 };
  return unmeasured(after, { ...withCertificate(site, state), failingSince: site.failingSince, secondLookAt }, []);
}

function isInDoubt(site: Site, { doubts, doubtedScore }: SiteState, now: Date): boolean {
  return doubtedScore !== null || Object.keys(doubts).some((code) => !isAccepted(site, code, now));
}

/** Findings, score and doubts stay as they are. */
function concludeFailed(site: Site, state: SiteState, reading: UnmeasuredReading, now: Date): RunConclusion {
  const failures = state.failures + 1;
  const since = site.failingSince ?? now.toISOString();
  const isReported = isUnreachable(failures, since, now) && !state.unreachable;
  const unreachable = state.unreachable || isReported;
  const secondLookAt = unreachable || site.paused ? null : secondLookTime(now);
  const events: readonly NewEvent[] = isReported
    ? [{ type: "site.unreachable", token: null, data: { since, errorCode: reading.errorCode } }]
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
