/** Deliveries: durable work for channels. An event and its deliveries are written in one transaction, so that neither is lost. */
import { accountRange } from "./account-range.ts";
import type { Channel, ChannelDisabling } from "./channels.ts";
import type { Db } from "./database.ts";
import { channelsFor } from "./notification-rules.ts";
import { type Page, type PageRequest, pageOf } from "./page.ts";
import type { StoredEvent } from "./site-events.ts";

/** Ended deliveries, and events, are kept so long. */
export const deliveriesKeptDays = 30;
const dayMs = 86_400_000;
/** A mail waits so long for further events, so that one mail reports them together. */
const digestMs = 60_000;
/** Events of one mail; further ones go into the next. */
const digestEventsMax = 500;
/** Attempts that a delivery remembers. */
const attemptsKeptMax = 20;
/** Rows that one look for due deliveries reads at most: those of busy channels are passed over. */
const dueReadMax = 10_000;
/** Rows that one transaction removes. */
const removedAtOnce = 200;

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
export interface Delivery {
  readonly id: number;
  readonly accountId: number;
  readonly channelId: number;
  /** Sequence numbers of its events: one for a webhook, one or more for a mail. */
  readonly eventSeqs: readonly number[];
  readonly createdAt: string;
  /** The oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  readonly state: DeliveryState;
  /** Null unless it waits. */
  readonly nextAttemptAt: string | null;
  /** When a person made it wait again: attempts since then begin a new schedule. Null if no one did. */
  readonly retriedAt: string | null;
}

export type AttemptOutcome =
  | { readonly state: "delivered" }
  | { readonly state: "waiting"; readonly nextAttemptAt: Date }
  /** `disables`: why the channel takes no deliveries from now on; null if it still does. */
  | { readonly state: "failed"; readonly disables: Extract<ChannelDisabling, "gone" | "failed"> | null };

export type DeliveryPlace = Pick<Delivery, "accountId" | "channelId">;

/** Queues the deliveries of events that were just stored; only within a transaction. */
export function queueDeliveries(db: Db, accountId: number, events: readonly StoredEvent[], now: Date): void {
  for (const event of events)
    for (const channelId of channelsFor(db, event)) {
      const channel = db.channels.get([accountId, channelId]);
      if (channel === undefined || channel.disabled !== null || channel.verifiedAt === null) continue;
      const open = channel.kind === "mail" ? openDigest(db, accountId, channelId, now) : undefined;
      if (open !== undefined) putDelivery(db, { ...open, eventSeqs: [...open.eventSeqs, event.seq] });
      else addDelivery(db, { accountId, channelId, eventSeqs: [event.seq], now, waitMs: channel.kind === "mail" ? digestMs : 0 });
    }
}

/** The mail of the channel that is not due yet and has space for an event. */
function openDigest(db: Db, accountId: number, channelId: number, now: Date): Delivery | undefined {
  return waitingOf(db, accountId, channelId).find(
    (one) =>
      one.attempts.length === 0 &&
      one.eventSeqs.length < digestEventsMax &&
      one.nextAttemptAt !== null &&
      Date.parse(one.nextAttemptAt) > now.getTime(),
  );
}

function waitingOf(db: Db, accountId: number, channelId: number): readonly Delivery[] {
  const waiting = [...db.deliveriesWaiting.getRange(accountRange(accountId))];
  return waiting.flatMap(({ key, value }) => (value === channelId ? (db.deliveries.get(key) ?? []) : []));
}

interface NewDelivery extends Pick<Delivery, "accountId" | "channelId" | "eventSeqs"> {
  readonly now: Date;
  readonly waitMs: number;
}

function addDelivery(db: Db, { now, waitMs, ...given }: NewDelivery): Delivery {
  const delivery: Delivery = {
    ...given,
    id: db.next("nextDeliveryId"),
    createdAt: now.toISOString(),
    attempts: [],
    state: "waiting",
    nextAttemptAt: new Date(now.getTime() + waitMs).toISOString(),
    retriedAt: null,
  };
  putDelivery(db, delivery);
  return delivery;
}

/** Row of `deliveriesDue`; none unless the delivery waits. */
export function deliveryDueKeysOf({ accountId, id, nextAttemptAt }: Delivery): readonly (readonly [number, number, number])[] {
  return nextAttemptAt === null ? [] : [[Date.parse(nextAttemptAt), accountId, id]];
}

/** Writes the delivery and the rows that follow from it; only within a transaction. */
function putDelivery(db: Db, delivery: Delivery): void {
  const key: [number, number] = [delivery.accountId, delivery.id];
  const before = db.deliveries.get(key);
  if (before !== undefined) for (const due of deliveryDueKeysOf(before)) db.deliveriesDue.remove([...due]);
  db.deliveries.put(key, delivery);
  for (const due of deliveryDueKeysOf(delivery)) db.deliveriesDue.put([...due], delivery.id);
  if (delivery.state === "waiting") db.deliveriesWaiting.put(key, delivery.channelId);
  else db.deliveriesWaiting.remove(key);
}

/** Only within a transaction. */
export function removeDelivery(db: Db, delivery: Delivery): void {
  const key: [number, number] = [delivery.accountId, delivery.id];
  for (const due of deliveryDueKeysOf(delivery)) db.deliveriesDue.remove([...due]);
  db.deliveriesWaiting.remove(key);
  db.deliveries.remove(key);
}

/** Ends what waits for a channel, as `dropped`; only within a transaction. */
export function giveUpDeliveriesOf(db: Db, accountId: number, channelId: number): void {
  for (const delivery of waitingOf(db, accountId, channelId)) putDelivery(db, { ...delivery, state: "dropped", nextAttemptAt: null });
}

interface DisabledChannel extends Pick<Channel, "accountId" | "id"> {
  readonly because: ChannelDisabling;
  readonly now: Date;
}

/** Gives up what waits for the channel; only within a transaction. Keeps the first reason. */
export function disableChannel(db: Db, { accountId, id, because, now }: DisabledChannel): Channel | undefined {
  giveUpDeliveriesOf(db, accountId, id);
  const channel = db.channels.get([accountId, id]);
  if (channel === undefined || channel.disabled !== null) return channel;
  const noticeDue = because === "gone" || because === "failed";
  const disabled: Channel = { ...channel, disabled: { at: now.toISOString(), because, noticeDue } };
  db.channels.put([accountId, id], disabled);
  return disabled;
}

export function deliveryRepository(db: Db) {
  const find = (accountId: number, id: number): Delivery | undefined => db.deliveries.get([accountId, id]);
  return {
    find,
    /** Newest first. */
    list: (accountId: number, { limit, cursor }: PageRequest): Page<Delivery> => {
      const start: [number, number] = [accountId, (cursor ?? Number.POSITIVE_INFINITY) - 1];
      const rows = db.deliveries.getRange({ start, end: [accountId, 0], reverse: true, limit: limit + 1 });
      return pageOf(
        [...rows].map(({ value }) => value),
        limit,
      );
    },
    /** Waiting deliveries whose time has come and that `accepts` takes, the earliest first. */
    listDue: (now: Date, limit: number, accepts: (place: DeliveryPlace) => boolean = () => true): readonly Delivery[] =>
      listDue(db, now, limit, accepts),
    /** Instant of the earliest waiting delivery; null without one. */
    nextDueAt: (): Date | null => {
      const [key] = db.deliveriesDue.getKeys({ limit: 1 });
      return key === undefined ? null : new Date(key[0]);
    },
    waitingCount: (): number => db.deliveriesWaiting.getCount(),
    /** Ignored unless the delivery still waits: its channel may have been removed meanwhile. Returns the stored delivery. */
    noteAttempt: (delivery: Delivery, attempt: DeliveryAttempt, outcome: AttemptOutcome): Promise<Delivery | undefined> =>
      db.write(() => noteAttempt(db, delivery, attempt, outcome)),
    /** Makes a delivery that has failed wait again; undefined for any other. */
    retry: (accountId: number, id: number, now: Date): Promise<Delivery | undefined> =>
      db.write(() => {
        const delivery = find(accountId, id);
        if (delivery?.state !== "failed" && delivery?.state !== "dropped") return undefined;
        const at = now.toISOString();
        const waiting: Delivery = { ...delivery, state: "waiting", nextAttemptAt: at, retriedAt: at };
        putDelivery(db, waiting);
        return waiting;
      }),
    /** Ends a delivery that has nothing left to send, as after the removal of its site. Ignored unless it waits. */
    drop: (accountId: number, id: number): Promise<void> =>
      db.write(() => {
        const delivery = find(accountId, id);
        if (delivery?.state === "waiting") putDelivery(db, { ...delivery, state: "dropped", nextAttemptAt: null });
      }),
    /** Removes some ended deliveries and events that are older than `deliveriesKeptDays`; false when none is left. */
    removeOlder: (now: Date): Promise<boolean> => db.write(() => removeOlder(db, now)),
  };
}

function listDue(db: Db, now: Date, limit: number, accepts: (place: DeliveryPlace) => boolean): readonly Delivery[] {
  const due: Delivery[] = [];
  for (const [, accountId, id] of db.deliveriesDue.getKeys({ end: [now.getTime() + 1, 0, 0], limit: dueReadMax })) {
    if (due.length >= limit) break;
    const channelId = db.deliveriesWaiting.get([accountId, id]);
    if (channelId === undefined || !accepts({ accountId, channelId })) continue;
    const delivery = db.deliveries.get([accountId, id]);
    if (delivery !== undefined) due.push(delivery);
  }
  return due;
}

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
  };
  putDelivery(db, changed);
  if (outcome.state === "failed" && outcome.disables !== null)
    disableChannel(db, { accountId, id: delivery.channelId, because: outcome.disables, now: new Date(attempt.at) });
  return changed;
}

function removeOlder(db: Db, now: Date): boolean {
  const before = now.getTime() - deliveriesKeptDays * dayMs;
  let removed = 0;
  for (const { value: delivery } of db.deliveries.getRange()) {
    if (removed >= removedAtOnce) return true;
    if (delivery.state === "waiting" || Date.parse(delivery.createdAt) >= before) continue;
    removeDelivery(db, delivery);
    removed++;
  }
  for (const { key, value: event } of db.events.getRange()) {
    if (removed >= removedAtOnce) return true;
    if (event.site !== null || Date.parse(event.at) >= before) continue;
    db.events.remove(key);
    removed++;
  }
  return removed > 0;
}
