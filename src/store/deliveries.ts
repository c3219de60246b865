/** Deliveries: durable work for channels. An event and its deliveries are written in one transaction, so that neither is lost. */
import { dayMs, hourMs } from "../base/units.ts";
import type { Channel, ChannelDisabling } from "./channels.ts";
import type { Db } from "./database.ts";
import { defineTable, type IndexRows, keyed, numberIndex, recordKeys, type Static, stored } from "./define-table.ts";
import { reads, stepwiseRemoval, transactions } from "./methods.ts";
import { channelsFor } from "./notification-rules.ts";
import { newestPage, type Page, type PageRequest } from "./page.ts";
import type { StoredEvent } from "./site-events.ts";
import { accountRange, newestFirst } from "./table.ts";

/** Ended deliveries, and events, are kept so long. */
export const deliveriesKeptDays = 30;
/** A mail or chat message waits so long for further events, so that one reports them together. */
const digestMs = 60_000;
/** Events of one mail or chat message; further ones go into the next. */
const digestEventsMax = 500;
/** Attempts that a delivery remembers. */
const attemptsKeptMax = 20;
/** Newest waiting deliveries of an account among which an open mail is looked for. */
const openDigestReadMax = 500;
/** Longer than any wait for an attempt: the last one of the schedule with its jitter, or what a receiver may ask for. */
const waitMsMax = 27 * hourMs;
/** Wrong times that are corrected at once. */
const correctedAtOnce = 1_000;
/** Rows that one look for due deliveries reads at most: rows of busy channels are passed over. */
const dueReadMax = 2_000;
const firstDueKey: DueKey = [0, 0, 0];
/** Newest deliveries of an account that are looked through for some events. */
const ofEventsReadMax = 5_000;
/** An event may join a mail that began this long before it, and more. */
const marginMs = hourMs;

/** `dropped`: its channel was removed or disabled. */
export const deliveryStates = ["waiting", "delivered", "failed", "dropped"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryAttempt {
  readonly at: string;
  readonly ms: number;
  /** Status of HTTP, or reply code of SMTP; null without an answer. */
  readonly status: number | null;
  /** Code of the failure; null for a success. */
  readonly because: string | null;
}

/** All instants are ISO 8601, UTC. */
const deliveryRow = stored.row({
  id: stored.id,
  accountId: stored.id,
  channelId: stored.id,
  /** Sequence numbers of its events: one for a webhook, one or more for other kinds. */
  eventSeqs: stored.listOf<number>(),
  createdAt: stored.time,
  /** The oldest first. */
  attempts: stored.listOf<DeliveryAttempt>(),
  state: stored.oneOf(deliveryStates),
  /** Null unless it waits. */
  nextAttemptAt: stored.orNull(stored.time),
  /** When a person made it wait again: attempts since then begin a new schedule. Null if no one did. */
  retriedAt: stored.orNull(stored.time),
  /** Attempts since then. Missing before the first retry, and in rows of earlier releases. */
  attemptsSinceRetry: stored.optional(stored.number),
});
export type Delivery = Static<typeof deliveryRow>;

type DueKey = [atMs: number, accountId: number, deliveryId: number];

export const deliveriesTable = defineTable({
  row: deliveryRow,
  key: keyed<[accountId: number, deliveryId: number]>(),
  indexes: {
    /** The values repeat the delivery. */
    deliveriesDue: numberIndex(
      ({ accountId, id, nextAttemptAt }: Delivery): IndexRows<DueKey, number> =>
        nextAttemptAt === null ? [] : [[[Date.parse(nextAttemptAt), accountId, id], id]],
      { recordKey: recordKeys.lastParts },
    ),
    /** Channel of each delivery that waits. */
    deliveriesWaiting: numberIndex(
      ({ state, accountId, id, channelId }: Delivery): IndexRows<[accountId: number, deliveryId: number], number> =>
        state === "waiting" ? [[[accountId, id], channelId]] : [],
      { recordKey: recordKeys.sameKey },
    ),
  },
  ofAccount: [{ by: "part", part: 0 }],
  keyIds: ["nextAccountId", "nextDeliveryId"],
});

export type AttemptOutcome =
  | { readonly state: "delivered" }
  | { readonly state: "waiting"; readonly nextAttemptAt: Date }
  /** `disables`: why the channel takes no deliveries from now on, if it still has the target of the attempt; null if it takes them. */
  | {
      readonly state: "failed";
      readonly disables: { readonly because: Extract<ChannelDisabling, "gone" | "failed">; readonly target: string } | null;
    };

export type DeliveryPlace = Pick<Delivery, "accountId" | "channelId">;

/** Queues the deliveries of events that were just stored; only within a transaction. */
export function queueDeliveries(db: Db, accountId: number, events: readonly StoredEvent[], now: Date): void {
  for (const event of events)
    for (const channelId of channelsFor(db, event)) {
      const channel = db.channels.get([accountId, channelId]);
      if (channel === undefined || channel.disabled !== null || channel.verifiedAt === null) continue;
      // Programs get each event by itself, people all of a minute together.
      const isDigest = channel.kind !== "webhook";
      const open = isDigest ? openDigest(db, accountId, channelId, now) : undefined;
      if (open !== undefined) putDelivery(db, { ...open, eventSeqs: [...open.eventSeqs, event.seq] });
      else addDelivery(db, { accountId, channelId, eventSeqs: [event.seq], now, waitMs: isDigest ? digestMs : 0 });
    }
}

/** The mail or message of the channel that is not due yet and has space for an event. Only its newest one can be open. */
function openDigest(db: Db, accountId: number, channelId: number, now: Date): Delivery | undefined {
  for (const { key, value } of db.deliveriesWaiting.getRange({ ...newestFirst([accountId]), limit: openDigestReadMax })) {
    const delivery = value === channelId ? db.deliveries.get(key) : undefined;
    if (delivery !== undefined) return isOpenDigest(delivery, now) ? delivery : undefined;
  }
  return undefined;
}

/** After the clock was set back, a mail may wait for a distant time: no event joins it. */
function isOpenDigest({ attempts, eventSeqs, nextAttemptAt }: Delivery, now: Date): boolean {
  const waitMs = nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt) - now.getTime();
  return attempts.length === 0 && eventSeqs.length < digestEventsMax && waitMs > 0 && waitMs <= digestMs;
}

function waitingOf(db: Db, accountId: number, channelId: number): readonly Delivery[] {
  const waiting = [...db.deliveriesWaiting.getRange(accountRange(accountId))];
  return waiting.flatMap(({ key, value }) => (value === channelId ? (db.deliveries.get(key) ?? []) : []));
}

interface NewDelivery extends Pick<Delivery, "accountId" | "channelId" | "eventSeqs"> {
  readonly now: Date;
  readonly waitMs: number;
}

function addDelivery(db: Db, { now, waitMs, ...given }: NewDelivery): void {
  const id = db.next("nextDeliveryId");
  const nextAttemptAt = new Date(now.getTime() + waitMs).toISOString();
  putDelivery(db, { ...given, id, createdAt: now.toISOString(), attempts: [], state: "waiting", nextAttemptAt, retriedAt: null });
}

/** Only within a transaction. */
function putDelivery(db: Db, delivery: Delivery): void {
  db.deliveries.put([delivery.accountId, delivery.id], delivery);
}

/** Ends what waits for a channel, as `dropped`; only within a transaction. */
export function giveUpDeliveriesOf(db: Db, accountId: number, channelId: number): void {
  for (const delivery of waitingOf(db, accountId, channelId)) putDelivery(db, { ...delivery, state: "dropped", nextAttemptAt: null });
}

/** Gives up what waits for the channel; only within a transaction. Keeps the first reason. */
export function disableChannel(db: Db, accountId: number, id: number, because: ChannelDisabling, now: Date): Channel | undefined {
  giveUpDeliveriesOf(db, accountId, id);
  const noticeDue = because === "gone" || because === "failed";
  return db.channels.update([accountId, id], ({ disabled }) => ({ disabled: disabled ?? { at: now.toISOString(), because, noticeDue } }));
}

export function deliveryRepository(db: Db) {
  let readFrom: DueKey = firstDueKey;
  return {
    find: (accountId: number, id: number): Delivery | undefined => db.deliveries.get([accountId, id]),
    /** Newest first. */
    list: (accountId: number, request: PageRequest): Page<Delivery> =>
      newestPage(db.deliveries, [accountId], request, ({ value }) => value),
    /**
     * Waiting deliveries whose time has come and that `accepts` takes, the earliest first. Where one look cannot read all, the next goes on
     * after it: many deliveries to busy channels hold up no other.
     */
    listDue: (now: Date, limit: number, accepts: (place: DeliveryPlace) => boolean = () => true): readonly Delivery[] => {
      const { due, next } = listDueDeliveries(db, readFrom, { now, limit, accepts });
      readFrom = next;
      return due;
    },
    /** Makes deliveries due whose time is too far ahead, as after the clock was set back. Returns their number. */
    correctTimes: async (now: Date): Promise<number> => {
      const wrong = wrongTimes(db, now);
      if (wrong.length > 0) await db.write(() => makeDue(db, wrong, now));
      return wrong.length;
    },
    /** Instant of the earliest waiting delivery; null without one. */
    nextDueAt: (): Date | null => {
      const [key] = db.deliveriesDue.getKeys({ limit: 1 });
      return key === undefined ? null : new Date(key[0]);
    },
    waitingCount: (): number => db.deliveriesWaiting.getCount(),
    ...reads(db, { ofEvents: deliveriesOfEvents }),
    ...transactions(db, { noteAttempt, retry, drop }),
    removeOlder: removalOfOld(db),
  };
}

/** Makes a delivery that has failed wait again; undefined for any other. */
function retry(db: Db, accountId: number, id: number, now: Date): Delivery | undefined {
  const state = db.deliveries.get([accountId, id])?.state;
  if (state !== "failed" && state !== "dropped") return undefined;
  const at = now.toISOString();
  return db.deliveries.update([accountId, id], () => ({ state: "waiting", nextAttemptAt: at, retriedAt: at, attemptsSinceRetry: 0 }));
}

/** Ends a delivery that has nothing left to send, as after the removal of its site. Ignored unless it waits. */
function drop(db: Db, accountId: number, id: number): void {
  const delivery = db.deliveries.get([accountId, id]);
  if (delivery?.state === "waiting") putDelivery(db, { ...delivery, state: "dropped", nextAttemptAt: null });
}

/** A mail without an attempt waits for events of a minute only. */
function wrongTimes(db: Db, now: Date): readonly Delivery[] {
  const ahead = (fromMs: number) =>
    [...db.deliveriesDue.getKeys({ start: [now.getTime() + fromMs + 1, 0, 0], limit: correctedAtOnce })].flatMap(
      ([, accountId, id]) => db.deliveries.get([accountId, id]) ?? [],
    );
  const isUntried = ({ attempts }: Delivery) => attempts.length === 0;
  return [...ahead(digestMs).filter(isUntried), ...ahead(waitMsMax).filter((one) => !isUntried(one))];
}

/** Only within a transaction. */
function makeDue(db: Db, wrong: readonly Delivery[], now: Date): void {
  for (const { accountId, id } of wrong) {
    const delivery = db.deliveries.get([accountId, id]);
    if (delivery?.state === "waiting") putDelivery(db, { ...delivery, nextAttemptAt: now.toISOString() });
  }
}

/** Ignored unless the delivery still waits: its channel may have been removed meanwhile. Returns the stored delivery. */
function noteAttempt(
  db: Db,
  { accountId, id, eventSeqs: sent }: Delivery,
  attempt: DeliveryAttempt,
  outcome: AttemptOutcome,
): Delivery | undefined {
  const delivery = db.deliveries.get([accountId, id]);
  if (delivery?.state !== "waiting") return undefined;
  // A clock that was set back can let an event join a mail that is being sent.
  const late = delivery.eventSeqs.filter((seq) => !sent.includes(seq));
  if (late.length > 0)
    addDelivery(db, { accountId, channelId: delivery.channelId, eventSeqs: late, now: new Date(attempt.at), waitMs: digestMs });
  const changed: Delivery = {
    ...delivery,
    eventSeqs: sent,
    attempts: [...delivery.attempts, attempt].slice(-attemptsKeptMax),
    state: outcome.state,
    nextAttemptAt: outcome.state === "waiting" ? outcome.nextAttemptAt.toISOString() : null,
    ...(delivery.retriedAt !== null && { attemptsSinceRetry: attemptsInSchedule(delivery) + 1 }),
  };
  putDelivery(db, changed);
  if (outcome.state !== "failed" || outcome.disables === null) return changed;
  const { because, target } = outcome.disables;
  const isSameTarget = db.channels.get([accountId, delivery.channelId])?.target === target;
  if (isSameTarget) disableChannel(db, accountId, delivery.channelId, because, new Date(attempt.at));
  return changed;
}

/** Attempts by the schedule under way. Times do not count them, because the clock may have been set back. */
export function attemptsInSchedule({ attempts, retriedAt, attemptsSinceRetry }: Delivery): number {
  if (retriedAt === null) return attempts.length;
  return attemptsSinceRetry ?? attempts.filter(({ at }) => at >= retriedAt).length;
}

/**
 * One step of the removal of ended deliveries and events that are older than `deliveriesKeptDays`. False after the last step of a round;
 * the next step begins another. A step reads a bounded number of rows: the tables can be large, and a server must not wait for all of them.
 */
function removalOfOld(db: Db): (now: Date) => Promise<boolean> {
  const isOld = (at: string, now: Date) => Date.parse(at) < now.getTime() - deliveriesKeptDays * dayMs;
  // A person may have made a delivery wait again.
  const deliveries = stepwiseRemoval(
    db,
    db.deliveries,
    ({ value: { state, createdAt } }, now: Date) => state !== "waiting" && isOld(createdAt, now),
  );
  // Sites keep their own events.
  const events = stepwiseRemoval(db, db.events, ({ value: { site, at } }, now: Date) => site === null && isOld(at, now));
  let step = deliveries;
  return async (now) => {
    const isMore = await step(now);
    const wasLast = step === events && !isMore;
    if (!isMore) step = step === events ? deliveries : events;
    return !wasLast;
  };
}

/** `next`: where the next look begins. */
function listDueDeliveries(
  db: Db,
  from: DueKey,
  { now, limit, accepts }: { readonly now: Date; readonly limit: number; readonly accepts: (place: DeliveryPlace) => boolean },
): { readonly due: readonly Delivery[]; readonly next: DueKey } {
  const due: Delivery[] = [];
  let [read, last] = [0, from];
  for (const key of db.deliveriesDue.getKeys({ start: from, end: [now.getTime() + 1, 0, 0], limit: dueReadMax })) {
    if (due.length >= limit) break;
    [read, last] = [read + 1, key];
    const [, accountId, id] = key;
    const channelId = db.deliveriesWaiting.get([accountId, id]);
    if (channelId === undefined || !accepts({ accountId, channelId })) continue;
    const delivery = db.deliveries.get([accountId, id]);
    if (delivery !== undefined) due.push(delivery);
  }
  const [atMs, accountId, id] = last;
  return { due, next: read < dueReadMax ? firstDueKey : [atMs, accountId, id + 1] };
}

/**
 * Deliveries of some events, newest first; `isComplete` is false if older ones may have been missed. A delivery begins with its first event,
 * so the walk ends before the oldest one of these.
 */
function deliveriesOfEvents(
  db: Db,
  accountId: number,
  events: readonly StoredEvent[],
  limit: number,
): { readonly items: readonly Delivery[]; readonly isComplete: boolean } {
  const seqs = new Set(events.map(({ seq }) => seq));
  const oldestMs = Math.min(...events.map(({ at }) => Date.parse(at))) - marginMs;
  const items: Delivery[] = [];
  let read = 0;
  for (const { value } of db.deliveries.getRange(newestFirst([accountId]))) {
    if (items.length >= limit || Date.parse(value.createdAt) < oldestMs) break;
    if (++read > ofEventsReadMax) return { items, isComplete: false };
    if (value.eventSeqs.some((seq) => seqs.has(seq))) items.push(value);
  }
  return { items, isComplete: true };
}
