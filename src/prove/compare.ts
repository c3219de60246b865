/** Compares the visit with a policy with two visits without it: what differs between those two is noise, and is left out. */
import type { Reading } from "../evidence/evidence.ts";
import type { BlockedByPolicy, DocumentShape, Observation, ObservedError, ObservedRequest } from "../evidence/observation.ts";
import type { DomFacts, NavigationFacts } from "../evidence/page-facts.ts";
import { hidesCode } from "./canaries.ts";

/** Part of the requests or elements that both visits without policy must share. */
const sharedPartMin = 0.5;
/** Part of the shown text, and characters, that may differ: clocks and counters change them. */
const textPartMax = 0.02;
const textCharsMax = 5;

/** What a proof reads of a visit. */
export interface VisitFacts {
  readonly readings: { readonly navigation: Reading<NavigationFacts>; readonly dom: Reading<DomFacts> };
  readonly observation: Observation;
}

/**
 * `works`: nothing differs. `blocks`: policies blocked something. `changes`: the page differs, although nothing was blocked. `no-draft`: no
 * policy could be drafted, and none was tried.
 */
export type ProofVerdict = "works" | "blocks" | "changes" | "unknown" | "no-draft";

/**
 * Why no verdict is possible. `hides-code`: code that was written into the page did not run without a policy either. `other-origin`:
 * the page leads to an origin whose documents the proof does not change.
 */
export type UnknownBecause =
  | "not-read"
  | "document-too-large"
  | "document-unreadable"
  | "never-settles"
  | "differs"
  | "reacts"
  | "hides-code"
  | "other-origin";

interface ElementChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

export interface VisitComparison {
  readonly verdict: ProofVerdict;
  /** Null unless the verdict is `unknown`. */
  readonly because: UnknownBecause | null;
  readonly blocked: readonly BlockedByPolicy[];
  /** Number of further things that were blocked. */
  readonly blockedDropped: number;
  readonly lost: readonly ObservedRequest[];
  readonly newErrors: readonly ObservedError[];
  readonly elements: readonly ElementChange[];
  /** Address that the page went to instead; null if it stayed. */
  readonly movedTo: string | null;
  /** Number of requests and kinds of elements that differ between the visits without policy. */
  readonly noise: number;
}

type Baselines = readonly [VisitFacts, VisitFacts];

export function compare(baselines: Baselines, enforced: VisitFacts): VisitComparison {
  const blocked = newlyBlocked(baselines, enforced);
  const lost = lostRequests(baselines, enforced);
  const newErrors = errorsAdded(baselines, enforced);
  const elements = elementChanges(baselines, enforced);
  const movedTo = addressOf(enforced) === addressOf(baselines[0]) ? null : addressOf(enforced);
  const because = blocked.length > 0 ? null : unknownBecause(baselines, enforced);
  const differs = lost.length + newErrors.length + elements.length > 0 || movedTo !== null;
  const verdict = blocked.length > 0 ? "blocks" : because !== null ? "unknown" : differs ? "changes" : "works";
  const { blockedDropped } = enforced.observation;
  return { verdict, because, blocked, blockedDropped, lost, newErrors, elements, movedTo, noise: noiseOf(baselines) };
}

/** Keeps what differs in both comparisons: the rest was chance. */
export function inBoth(one: VisitComparison, other: VisitComparison): VisitComparison {
  if (one.verdict !== "changes" || other.verdict !== "changes") return one.verdict === "changes" ? other : one;
  const keysOf = <T>(items: readonly T[], keyOf: (item: T) => string) => new Set(items.map(keyOf));
  const requests = keysOf(other.lost, requestKey);
  const errors = keysOf(other.newErrors, errorKey);
  const names = keysOf(other.elements, ({ name }) => name);
  const lost = one.lost.filter((request) => requests.has(requestKey(request)));
  const newErrors = one.newErrors.filter((error) => errors.has(errorKey(error)));
  const elements = one.elements.filter(({ name }) => names.has(name));
  const movedTo = other.movedTo === null ? null : one.movedTo;
  const differs = lost.length + newErrors.length + elements.length > 0 || movedTo !== null;
  return { ...one, verdict: differs ? "changes" : "works", lost, newErrors, elements, movedTo };
}

/** Why two visits with injected code, without a policy and with it, show nothing; null if they do. */
export function attackUntold([baseline]: Baselines, { observation: without }: VisitFacts, within: VisitFacts): UnknownBecause | null {
  const { shape, unchanged, canariesPressed = 0 } = within.observation;
  const because = unchanged ?? without.unchanged;
  if (because !== null) return because;
  if (shape === null || without.shape === null) return "not-read";
  if (hidesCode(without.canaries)) return "hides-code";
  // A page that goes away, or takes the code away, has heard that it was blocked.
  return addressOf(within) !== addressOf(baseline) || canariesPressed < (without.canariesPressed ?? 0) ? "reacts" : null;
}

/** A page that changes without a block, and can know of the policy, may do so on purpose: then it can do anything where it is deployed. */
export function heedingReactions(comparison: VisitComparison, baselines: Baselines, enforced: VisitFacts): VisitComparison {
  const reacts = comparison.verdict === "changes" && [...baselines, enforced].some(readsPolicies);
  return reacts ? { ...comparison, verdict: "unknown", because: "reacts" } : comparison;
}

/** The page hears of what is blocked, or asks for its own document, whose header a script can read. */
function readsPolicies(visit: VisitFacts): boolean {
  const { requests, hearsViolations = false } = visit.observation;
  const isOwn = ({ kind, url }: ObservedRequest) => (kind === "fetch" || kind === "xhr") && withoutQuery(url) === addressOf(visit);
  return hearsViolations || requests.some(isOwn);
}

function unknownBecause(baselines: Baselines, enforced: VisitFacts): UnknownBecause | null {
  const visits = [...baselines, enforced];
  const unchanged = visits.map(({ observation }) => observation.unchanged).find((reason) => reason !== null);
  if (unchanged !== undefined) return unchanged;
  if (visits.some(({ readings, observation }) => readings.dom.status === "failed" || observation.shape === null)) return "not-read";
  if (visits.some(({ observation }) => observation.stillLoading === true)) return "never-settles";
  if (visits.some(({ readings: { dom } }) => dom.status === "read" && dom.facts.stillChanging === true)) return "never-settles";
  if (visits.some(({ observation }) => observation.requestsDropped + observation.errorsDropped > 0)) return "never-settles";
  return isTooNoisy(baselines) ? "differs" : null;
}

function isTooNoisy([one, other]: Baselines): boolean {
  if (addressOf(one) !== addressOf(other)) return true;
  return (
    partShared(requestCounts(one), requestCounts(other)) < sharedPartMin ||
    partShared(elementCounts(one), elementCounts(other)) < sharedPartMin
  );
}

/** 1 for equal counts. */
function partShared(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const keys = [...new Set([...one.keys(), ...other.keys()])];
  const sum = (pick: (a: number, b: number) => number) => keys.reduce((all, key) => all + pick(one.get(key) ?? 0, other.get(key) ?? 0), 0);
  const most = sum(Math.max);
  return most === 0 ? 1 : sum(Math.min) / most;
}

function noiseOf([one, other]: Baselines): number {
  const differing = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) =>
    [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).length;
  return differing(requestCounts(one), requestCounts(other)) + differing(elementCounts(one), elementCounts(other));
}

/** Address without query, which differs from visit to visit on many pages. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

function addressOf({ readings: { navigation } }: VisitFacts): string {
  return navigation.status === "read" ? withoutQuery(navigation.facts.finalUrl) : "";
}

function requestKey({ kind, url }: ObservedRequest): string {
  return `${kind} ${withoutQuery(url)}`;
}

function countsOf(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(keys, (key) => key)].map(([key, same]) => [key, same.length]));
}

function loadedRequests({ observation }: VisitFacts): readonly ObservedRequest[] {
  return observation.requests.filter(({ outcome }) => outcome === "loaded");
}

function requestCounts(visit: VisitFacts): ReadonlyMap<string, number> {
  return countsOf(loadedRequests(visit).map(requestKey));
}

function lostRequests([one, other]: Baselines, enforced: VisitFacts): readonly ObservedRequest[] {
  const [first, second, after] = [requestCounts(one), requestCounts(other), requestCounts(enforced)];
  const least = (key: string): number => {
    const [a, b] = [first.get(key) ?? 0, second.get(key) ?? 0];
    // A number that varies proves no more than that there are some.
    return a === b ? a : Math.min(a, b, 1);
  };
  const known = new Map(loadedRequests(one).map((request) => [requestKey(request), request]));
  return [...known].flatMap(([key, request]) => ((after.get(key) ?? 0) < least(key) ? [request] : []));
}

/** Numbers and quoted addresses differ from visit to visit. */
function errorKey({ text }: ObservedError): string {
  return text.replace(/\d+/g, "#");
}

function errorsAdded(baselines: Baselines, enforced: VisitFacts): readonly ObservedError[] {
  const known = new Set(baselines.flatMap(({ observation }) => observation.errors.map(errorKey)));
  const added = enforced.observation.errors.filter((error) => !known.has(errorKey(error)));
  return [...new Map(added.map((error) => [errorKey(error), error])).values()];
}

function elementCounts({ observation }: VisitFacts): ReadonlyMap<string, number> {
  return new Map(observation.shape?.elements.map(({ name, count }) => [name, count]));
}

function elementChanges([one, other]: Baselines, enforced: VisitFacts): readonly ElementChange[] {
  const [first, second, after] = [one, other, enforced].map(({ observation }) => observation.shape);
  if (!first || !second || !after) return [];
  const [before, again, now] = [elementCounts(one), elementCounts(other), elementCounts(enforced)];
  const stable = [...new Set([...before.keys(), ...now.keys()])].filter((name) => (before.get(name) ?? 0) === (again.get(name) ?? 0));
  const changed = stable.map((name) => ({ name, before: before.get(name) ?? 0, after: now.get(name) ?? 0 }));
  return [...changed.filter((change) => change.before !== change.after), ...textChange(first, second, after)];
}

function textChange(first: DocumentShape, second: DocumentShape, after: DocumentShape): readonly ElementChange[] {
  const spread = Math.abs(first.textChars - second.textChars);
  const allowed = spread + Math.max(textCharsMax, first.textChars * textPartMax);
  if (Math.abs(first.textChars - after.textChars) <= allowed) return [];
  return [{ name: "#text", before: first.textChars, after: after.textChars }];
}

function blockedKey({ directive, kind, url, hash }: BlockedByPolicy): string {
  return `${directive} ${kind} ${withoutQuery(url ?? "")} ${hash}`;
}

/** What the observing policy reports, apart from what the page's own policies block today: the page works without that. */
export function observedNeeds({ blocked }: Observation): readonly BlockedByPolicy[] {
  // Code without a hash has the key of all other code without a hash.
  const isKnown = ({ kind, hash }: BlockedByPolicy) => kind !== "inline" || hash !== null;
  const stopped = new Set(blocked.filter((one) => !one.reportOnly && isKnown(one)).map(blockedKey));
  return blocked.filter((one) => one.reportOnly && !stopped.has(blockedKey(one)));
}

/** What the page's own policies, such as in a meta element, block anyway is not charged to the new one. */
function newlyBlocked(baselines: Baselines, { observation }: VisitFacts): readonly BlockedByPolicy[] {
  const known = new Set(baselines.flatMap((visit) => visit.observation.blocked.filter(({ reportOnly }) => !reportOnly).map(blockedKey)));
  const enforced = observation.blocked.filter((blocked) => !blocked.reportOnly && !known.has(blockedKey(blocked)));
  return [...new Map(enforced.map((blocked) => [blockedKey(blocked), blocked])).values()];
}
