/** Deliveries of some events of an account, for the page of a site. */
import type { Db } from "./database.ts";
import type { Delivery } from "./deliveries.ts";
import type { StoredEvent } from "./site-events.ts";

/** Newest deliveries of an account that are looked through. */
const readMax = 5_000;
/** An event may join a mail that began this long before it, and more. */
const marginMs = 3_600_000;

export interface DeliveriesOfEvents {
  /** Newest first. */
  readonly items: readonly Delivery[];
  /** False if older ones may have been missed. */
  readonly isComplete: boolean;
}

/** A delivery begins with its first event, so the walk ends before the oldest one of these. */
export function deliveriesOfEvents(db: Pick<Db, "deliveries">) {
  return (accountId: number, events: readonly StoredEvent[], limit: number): DeliveriesOfEvents => {
    const seqs = new Set(events.map(({ seq }) => seq));
    const oldestMs = Math.min(...events.map(({ at }) => Date.parse(at))) - marginMs;
    const items: Delivery[] = [];
    let read = 0;
    const rows = db.deliveries.getRange({ start: [accountId, Number.POSITIVE_INFINITY], end: [accountId, 0], reverse: true });
    for (const { value } of rows) {
      if (items.length >= limit || Date.parse(value.createdAt) < oldestMs) break;
      if (++read > readMax) return { items, isComplete: false };
      if (value.eventSeqs.some((seq) => seqs.has(seq))) items.push(value);
    }
    return { items, isComplete: true };
  };
}
