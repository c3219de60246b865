/** Rows of the queue: each lane is first in, first out, and its places are consecutive numbers. All writes need a transaction. */
import type { Db } from "./database.ts";
import { type Lane, laneNames, laneSchedule, lanes, mapLanes } from "./lanes.ts";

/** Places rise by one towards the end of the lane. Ranks and lengths follow from the first and the last place. */
export type QueueKey = readonly [lane: Lane, place: number];

type QueueDb = Pick<Db, "queueByLane" | "meta">;

/** Lane of a new scan. Null is a guest. */
export function laneOf(db: Pick<Db, "accounts">, accountId: number | null): Lane {
  return accountId === null || db.accounts.get(accountId)?.plan === "free" ? "free" : "agency";
}

/** Whether the lane's share of the queue is taken. */
export function isQueueFull(db: QueueDb, lane: Lane, queueMax: number): boolean {
  return queuedCount(db) >= Math.ceil(queueMax * lanes[lane].queueShare);
}

export function queuedCount(db: QueueDb): number {
  return laneNames.reduce((sum, lane) => sum + laneLength(db, lane), 0);
}

export function appendToLane(db: QueueDb, lane: Lane, token: string): QueueKey {
  return putInLane(db, [lane, (lastPlace(db, lane) ?? 0) + 1], token);
}

export function prependToLane(db: QueueDb, lane: Lane, token: string): QueueKey {
  return putInLane(db, [lane, (firstPlace(db, lane) ?? 1) - 1], token);
}

/** Removes the next scan and returns its token; undefined if the queue is empty. */
export function takeNextQueued(db: QueueDb): string | undefined {
  const served = laneSchedule.next(turnOf(db), (lane) => firstPlace(db, lane) !== undefined);
  if (served === undefined) return undefined;
  db.meta.put("queueTurn", served.turn);
  const [row] = db.queueByLane.getRange({ ...laneRange(served.lane), limit: 1 });
  if (row === undefined) return undefined;
  db.queueByLane.remove(row.key);
  return row.value;
}

/** 1 for the next scan, if no other arrives. Null for a key that is not in the queue. */
export function queuePositionOf(db: QueueDb, key: QueueKey): number | null {
  const [lane, place] = key;
  const first = firstPlace(db, lane);
  if (first === undefined || !db.queueByLane.doesExist([...key])) return null;
  return laneSchedule.position(turnOf(db), { lane, rank: place - first + 1, lengths: mapLanes((name) => laneLength(db, name)) });
}

/** Tokens in the order in which they are claimed, if no other scan arrives. */
export function tokensInQueueOrder(db: QueueDb, limit: number): readonly string[] {
  const waiting = mapLanes((lane) => [...db.queueByLane.getRange({ ...laneRange(lane), limit })].map(({ value }) => value).values());
  const heads = new Map(laneNames.map((lane) => [lane, waiting[lane].next().value]));
  const tokens: string[] = [];
  let turn = turnOf(db);
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

function putInLane(db: QueueDb, key: QueueKey, token: string): QueueKey {
  db.queueByLane.put([...key], token);
  return key;
}

function turnOf(db: QueueDb): number {
  return db.meta.get("queueTurn") ?? 0;
}

function laneLength(db: QueueDb, lane: Lane): number {
  const first = firstPlace(db, lane);
  const last = lastPlace(db, lane);
  return first === undefined || last === undefined ? 0 : last - first + 1;
}

function firstPlace(db: QueueDb, lane: Lane): number | undefined {
  const [key] = db.queueByLane.getKeys({ ...laneRange(lane), limit: 1 });
  return key?.[1];
}

function lastPlace(db: QueueDb, lane: Lane): number | undefined {
  const { start, end } = laneRange(lane);
  const [key] = db.queueByLane.getKeys({ start: end, end: start, reverse: true, limit: 1 });
  return key?.[1];
}

function laneRange(lane: Lane): { readonly start: [Lane, number]; readonly end: [Lane, number] } {
  return { start: [lane, Number.NEGATIVE_INFINITY], end: [lane, Number.POSITIVE_INFINITY] };
}
