/** One look for the deliveries whose time has come. */
import type { Db } from "./database.ts";
import type { Delivery, DeliveryPlace } from "./deliveries.ts";

/** Rows that one look for due deliveries reads at most: those of busy channels are passed over. */
const dueReadMax = 2_000;

export type DueKey = [atMs: number, accountId: number, deliveryId: number];
export const firstDueKey: DueKey = [0, 0, 0];

interface DueLook {
  readonly now: Date;
  readonly limit: number;
  readonly accepts: (place: DeliveryPlace) => boolean;
}

/** `next`: where the next look begins. */
export function listDueDeliveries(
  db: Db,
  from: DueKey,
  { now, limit, accepts }: DueLook,
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
