/**
 * Queue of scans: the rows follow from the records of the scans. Each location has a queue of its own with all lanes, which a weighted round
 * robin serves. Each lane is first in, first out, and its places are consecutive numbers with few gaps. All writes need a transaction.
 */
import type { Db } from "./database.ts";
import { defineTable, keyed, stored } from "./define-table.ts";
import { firstKeyParts } from "./table.ts";

interface LaneTerms {
  /** Turns of the lane in each round: a whole number. A lane of weight 0 is a background lane: it is served when no lane before it has scans. */
  readonly weight: number;
  /** Part of the queue, 0 to 1, that may be taken before the lane's scans are refused. Each background lane counts apart from all others. */
  readonly queueShare: number;
}

/** A new lane needs one line here and its case in `laneOf`. */
export const lanes = {
  agency: { weight: 4, queueShare: 1 },
  /** Guests and the free plan: the rest of the queue is reserved for paying accounts. */
  free: { weight: 1, queueShare: 0.5 },
  // The runs of watched sites follow, in their order: a person never waits behind them.
  /** Runs that confirm or dismiss what a site may have lost: an alarm waits for them. */
  "second-look": { weight: 0, queueShare: 1 },
  scheduled: { weight: 0, queueShare: 1 },
  /** First runs of sites, many at a time after an import. */
  first: { weight: 0, queueShare: 1 },
} as const satisfies Record<string, LaneTerms>;

export type Lane = keyof typeof lanes;

export const laneNames = Object.keys(lanes) as readonly Lane[];
export const laneSchedule = createLaneSchedule(mapLanes((lane) => lanes[lane].weight));

export function isBackgroundLane(lane: Lane): boolean {
  return lanes[lane].weight === 0;
}

function mapLanes<T>(toValue: (lane: Lane) => T): Readonly<Record<Lane, T>> {
  return Object.fromEntries(laneNames.map((lane) => [lane, toValue(lane)])) as Record<Lane, T>;
}

/** Scans of one network that run at a time, apart from those that a person started. */
export const networkScansMax = 2;

/** Whether so many scans are all that may run in one network at a time. */
export function isNetworkBusy(scans: number): boolean {
  return scans >= networkScansMax;
}

/** Waiting scans of a lane that one claim looks at. */
const lookedAtMax = 500;

/** Place of a scan in the queue. */
interface Waiting<Name extends string> {
  readonly lane: Name;
  /** From 1, within the lane. */
  readonly rank: number;
  /** Scans that wait, by lane. */
  readonly lengths: Readonly<Record<Name, number>>;
}

/**
 * Weighted round robin over a fixed cycle of turns. A lane without scans loses its turn, so no turn is wasted and no lane starves.
 * `turn` is the whole state: an index of the cycle. An index outside of it, as after a change of weights, counts as 0.
 */
export function createLaneSchedule<Name extends string>(weights: Readonly<Record<Name, number>>) {
  const names = Object.keys(weights) as Name[];
  const cycle = cycleOf(names, weights);
  const from = (turn: number): readonly Name[] => (cycle[turn] === undefined ? cycle : [...cycle.slice(turn), ...cycle.slice(0, turn)]);

  return {
    /** Lane of the next claim and the turn after it; undefined if no lane has scans. */
    next: (turn: number, isWaiting: (lane: Name) => boolean): { readonly lane: Name; readonly turn: number } | undefined => {
      const start = cycle[turn] === undefined ? 0 : turn;
      const skipped = from(turn).findIndex(isWaiting);
      const lane = from(turn)[skipped];
      const background = lane === undefined ? names.find((name) => weights[name] === 0 && isWaiting(name)) : undefined;
      if (background !== undefined) return { lane: background, turn: start };
      return lane === undefined ? undefined : { lane, turn: (start + skipped + 1) % cycle.length };
    },

    /** Number of claims until this scan's, its own included, if no other scan arrives. Costs one walk over the cycle. */
    position: (turn: number, { lane, rank, lengths }: Waiting<Name>): number => {
      if (weights[lane] === 0) {
        const isBefore = (name: Name) => weights[name] !== 0 || names.indexOf(name) < names.indexOf(lane);
        return names.filter(isBefore).reduce((claims, name) => claims + lengths[name], rank);
      }
      const fullRounds = Math.floor((rank - 1) / weights[lane]);
      const turnsInLastRound = rank - fullRounds * weights[lane];
      const turns = from(turn);
      const own = turns.flatMap((name, index) => (name === lane ? [index] : []));
      const lastRound = turns.slice(0, own[turnsInLastRound - 1]);
      const turnsBefore = (name: Name) => fullRounds * weights[name] + lastRound.filter((each) => each === name).length;
      const others = names.filter((name) => name !== lane);
      return others.reduce((claims, name) => claims + Math.min(lengths[name], turnsBefore(name)), rank);
    },
  };
}

/** Smooth weighted round robin: spreads the turns of each lane over the cycle. */
function cycleOf<Name extends string>(names: readonly Name[], weights: Readonly<Record<Name, number>>): readonly Name[] {
  const total = names.reduce((sum, name) => sum + weights[name], 0);
  const credits = new Map(names.map((name) => [name, 0]));
  return Array.from({ length: total }, () => {
    for (const name of names) credits.set(name, (credits.get(name) ?? 0) + weights[name]);
    const served = names.reduce((best, name) => ((credits.get(name) ?? 0) > (credits.get(best) ?? 0) ? name : best));
    credits.set(served, (credits.get(served) ?? 0) - total);
    return served;
  });
}

export type LaneKey = readonly [location: string, lane: Lane];
/** Places rise by one towards the end of the lane. Ranks and lengths follow from the first and the last place, less the gaps between. */
export type QueueKey = readonly [location: string, lane: Lane, place: number];

type QueueDb = Pick<Db, "queueByLane" | "queueGaps" | "meta">;

/** The keys of the gaps say all. */
export const gapValue = 1;
/** Places of cancelled scans. */
export const queueGapsTable = defineTable({ row: stored.number, key: keyed<[...QueueKey]>(), fallback: 0, ofAccount: [] });
/** Gaps that a repair looks for: as many as the longest queue has places. */
const gapsMax = 1_000_000;

/** Lane of a new scan. Null is a guest. */
export function laneOf(db: Pick<Db, "accounts">, accountId: number | null): Lane {
  return accountId === null || db.accounts.get(accountId)?.plan === "free" ? "free" : "agency";
}

/** Place of one more scan at the end of the lane; null if the lane's share of the queue is taken. */
type FillLane = () => QueueKey | null;

/**
 * Reads the queue of the location once; `queueMax` counts for each location. The function may be called within the same transaction only,
 * and a scan is stored with each place.
 */
export function laneFiller(db: QueueDb, [location, lane]: LaneKey, queueMax: number): FillLane {
  const ends = mapLanes((name) => endsOf(db, [location, name]));
  const share = Math.ceil(queueMax * lanes[lane].queueShare);
  const counted = lanesCountedWith(lane);
  let places = counted.reduce((sum, name) => sum + placesIn(ends[name]), 0);
  let last = ends[lane]?.last ?? 0;
  let gaps: number | null = null;
  return () => {
    // Counted only where they decide: most queues are not full.
    if (places >= share) gaps ??= counted.reduce((sum, name) => sum + gapsIn(db, [location, name], ends[name]), 0);
    if (places - (gaps ?? 0) >= share) return null;
    places++;
    return [location, lane, ++last];
  };
}

/** Places that the lane can still take. */
export function freePlaces(db: QueueDb, [location, lane]: LaneKey, queueMax: number): number {
  const taken = lanesCountedWith(lane).reduce((sum, name) => sum + laneLength(db, [location, name]), 0);
  return Math.max(0, Math.ceil(queueMax * lanes[lane].queueShare) - taken);
}

/** Lanes that share the queue: scans of the background take no places of people, and scheduled ones none of a second look. */
function lanesCountedWith(lane: Lane): readonly Lane[] {
  return isBackgroundLane(lane) ? [lane] : laneNames.filter((name) => !isBackgroundLane(name));
}

export function queuedCount(db: QueueDb, location: string): number {
  return laneNames.reduce((sum, lane) => sum + laneLength(db, [location, lane]), 0);
}

/** Waiting scans of a lane. */
export interface LaneState {
  readonly location: string;
  readonly lane: Lane;
  readonly scans: number;
  /** Token of the next one; null for none. */
  readonly next: string | null;
}

/** Each lane of the location. Costs a few lookups, however many scans wait. */
export function laneStates(db: QueueDb, location: string): readonly LaneState[] {
  return laneNames.map((lane) => {
    const [front] = frontOfLane(db, [location, lane], 1);
    return { location, lane, scans: laneLength(db, [location, lane]), next: front?.[1] ?? null };
  });
}

/** Locations with waiting scans, in the order of their names. Costs one lookup for each. */
export function locationsWithQueue(db: Pick<Db, "queueByLane">): readonly string[] {
  return firstKeyParts(db.queueByLane, { from: "" });
}

/** Place after the last scan of the lane. */
export function appendToLane(db: QueueDb, lane: LaneKey): QueueKey {
  return [...lane, (lastPlace(db, lane) ?? 0) + 1];
}

/** Place before the first scan of the lane. */
export function prependToLane(db: QueueDb, lane: LaneKey): QueueKey {
  return [...lane, (firstPlace(db, lane) ?? 1) - 1];
}

export interface ClaimTerms {
  /** Whether background lanes are served. */
  readonly background: boolean;
  /** What may not start is passed over. */
  readonly mayStart: (token: string) => boolean;
}

/** Removes the next scan of the location and returns its token; undefined if none may start. */
export function takeNextQueued(db: QueueDb, location: string, { background, mayStart }: ClaimTerms): string | undefined {
  const heads = new Map<Lane, { readonly key: QueueKey; readonly value: string }>();
  const served = laneSchedule.next(turnOf(db, location), (lane) => {
    if (isBackgroundLane(lane) && !background) return false;
    for (const { key, value } of db.queueByLane.getRange({ ...laneRange([location, lane]), limit: lookedAtMax })) {
      if (!mayStart(value)) continue;
      heads.set(lane, { key, value });
      return true;
    }
    return false;
  });
  const row = served && heads.get(served.lane);
  if (served === undefined || row === undefined) return undefined;
  db.meta.put(`queueTurn ${location}`, served.turn);
  removeFromLane(db, row.key);
  return row.value;
}

/** The place of the scan becomes a gap, so that the keys of all others stay valid. */
export function removeFromLane(db: QueueDb, [location, lane, place]: QueueKey): void {
  db.queueByLane.remove([location, lane, place]);
  db.queueGaps.put([location, lane, place], gapValue);
  dropOuterGaps(db, [location, lane]);
}

/** Places without a scan between the first and the last of their lane, by the rows of the queue. */
export function impliedGaps(db: Pick<Db, "queueByLane">): readonly QueueKey[] {
  const gaps: QueueKey[] = [];
  for (const lane of locationsWithQueue(db).flatMap((location) => laneNames.map((name): LaneKey => [location, name]))) {
    let next: number | undefined;
    for (const [, , place] of db.queueByLane.getKeys(laneRange(lane))) {
      for (let gap = next ?? place; gap < place && gaps.length < gapsMax; gap++) gaps.push([...lane, gap]);
      next = place + 1;
    }
  }
  return gaps;
}

/** 1 for the next scan of the location, if no other arrives. Null for a key that is not in the queue. */
export function queuePositionOf(db: QueueDb, key: QueueKey): number | null {
  const [location, lane, place] = key;
  const first = firstPlace(db, [location, lane]);
  if (first === undefined || !db.queueByLane.doesExist([...key])) return null;
  return laneSchedule.position(turnOf(db, location), {
    lane,
    rank: place - first + 1 - gapCount(db, [location, lane], place),
    lengths: mapLanes((name) => laneLength(db, [location, name])),
  });
}

/** Tokens in the order in which the location claims them, if no other scan arrives. */
export function tokensInQueueOrder(db: QueueDb, location: string, limit: number): readonly string[] {
  const waiting = mapLanes((lane) =>
    frontOfLane(db, [location, lane], limit)
      .map(([, token]) => token)
      .values(),
  );
  const heads = new Map(laneNames.map((lane) => [lane, waiting[lane].next().value]));
  const tokens: string[] = [];
  let turn = turnOf(db, location);
  while (tokens.length < limit) {
    const served = laneSchedule.next(turn, (lane) => heads.get(lane) !== undefined);
    const token = served && heads.get(served.lane);
    if (served === undefined || token === undefined) break;
    tokens.push(token);
    heads.set(served.lane, waiting[served.lane].next().value);
    turn = served.turn;
  }
  return tokens;
}

/** The first places that are taken. */
export function frontOfLane(db: QueueDb, lane: LaneKey, limit: number): readonly (readonly [place: number, token: string])[] {
  return [...db.queueByLane.getRange({ ...laneRange(lane), limit })].map(({ key, value }) => [key[2], value]);
}

function turnOf(db: QueueDb, location: string): number {
  return db.meta.get(`queueTurn ${location}`) ?? 0;
}

function laneLength(db: QueueDb, lane: LaneKey): number {
  const ends = endsOf(db, lane);
  return placesIn(ends) - gapsIn(db, lane, ends);
}

type LaneEnds = { readonly first: number; readonly last: number };

/** First and last place of a lane; null for an empty one. */
function endsOf(db: QueueDb, lane: LaneKey): LaneEnds | null {
  const first = firstPlace(db, lane);
  const last = first === undefined ? undefined : lastPlace(db, lane);
  return first === undefined || last === undefined ? null : { first, last };
}

function placesIn(ends: LaneEnds | null): number {
  return ends === null ? 0 : ends.last - ends.first + 1;
}

function gapsIn(db: QueueDb, lane: LaneKey, ends: LaneEnds | null): number {
  return ends === null ? 0 : gapCount(db, lane, ends.last);
}

/** Gaps before a place. Costs a walk over them, which is short: outer gaps are dropped. Most queues have none. */
function gapCount(db: QueueDb, lane: LaneKey, place: number): number {
  if (db.queueGaps.getCount({ limit: 1 }) === 0) return 0;
  return db.queueGaps.getKeysCount({ start: laneRange(lane).start, end: [...lane, place] });
}

/** Gaps before the first and after the last place of a lane mean nothing. */
function dropOuterGaps(db: QueueDb, lane: LaneKey): void {
  const { start, end } = laneRange(lane);
  const before = { start, end: [...lane, firstPlace(db, lane) ?? Number.POSITIVE_INFINITY] };
  const after = { start: [...lane, lastPlace(db, lane) ?? Number.NEGATIVE_INFINITY], end };
  for (const key of [...db.queueGaps.getKeys(before), ...db.queueGaps.getKeys(after)]) db.queueGaps.remove(key);
}

function firstPlace(db: QueueDb, lane: LaneKey): number | undefined {
  const [key] = db.queueByLane.getKeys({ ...laneRange(lane), limit: 1 });
  return key?.[2];
}

function lastPlace(db: QueueDb, lane: LaneKey): number | undefined {
  const { start, end } = laneRange(lane);
  const [key] = db.queueByLane.getKeys({ start: end, end: start, reverse: true, limit: 1 });
  return key?.[2];
}

function laneRange(lane: LaneKey): { readonly start: [...LaneKey, number]; readonly end: [...LaneKey, number] } {
  return { start: [...lane, Number.NEGATIVE_INFINITY], end: [...lane, Number.POSITIVE_INFINITY] };
}
