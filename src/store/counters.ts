/** Counters of ids: one that is too low would give a new row the id of another one, and its rights. */
import type { Counter, Db } from "./database.ts";

export interface LowCounter {
  readonly counter: Counter;
  /** Highest id in use. */
  readonly used: number;
}

/** Finds counters that are lost or below an id in use; `repair` raises them. @throws DataDirError */
export async function compareCounters(db: Db, { repair }: { readonly repair: boolean }): Promise<readonly LowCounter[]> {
  const used = highestIds(db);
  const low = (Object.entries(used) as [Counter, number][]).filter(
    ([counter, id]) => (db.meta.get(counter) ?? 0) < id || isLost(db, counter),
  );
  if (repair && low.length > 0)
    await db.write(() => {
      for (const [counter, id] of low) db.meta.put(counter, id);
    });
  return low.map(([counter, id]) => ({ counter, used: id }));
}

function isLost(db: Db, counter: Counter): boolean {
  return db.meta.doesExist(counter) && db.meta.get(counter) === undefined;
}

/** From every row that names an id, so that the id of a lost record is not given again. */
function highestIds(db: Db): Readonly<Record<Counter, number>> {
  const ids: Record<Counter, number> = {
    nextScanId: 0,
    nextAccountId: 0,
    nextApiTokenId: 0,
    nextSessionId: 0,
    nextAuditId: 0,
    nextSiteId: 0,
    nextChannelId: 0,
    nextRuleId: 0,
    nextEventId: 0,
    nextDeliveryId: 0,
  };
  // A damaged key may be of any kind.
  const note = (counter: Counter, id: unknown): void => {
    if (Number.isSafeInteger(id)) ids[counter] = Math.max(ids[counter], id as number);
  };
  for (const { value } of db.scans.getRange()) {
    note("nextScanId", value.id);
    note("nextAccountId", value.accountId);
  }
  for (const id of db.audit.getKeys()) note("nextAuditId", id);
  for (const id of db.screenshots.getKeys()) note("nextScanId", id);
  for (const table of [db.accounts, db.credentials]) for (const id of table.getKeys()) note("nextAccountId", id);
  for (const [counter, table] of [
    ["nextScanId", db.scansByAccount],
    ["nextApiTokenId", db.apiTokenHashes],
    ["nextSessionId", db.sessionHashes],
    ["nextSiteId", db.sites],
    ["nextChannelId", db.channels],
    ["nextRuleId", db.notificationRules],
    ["nextEventId", db.events],
    ["nextDeliveryId", db.deliveries],
  ] as const)
    for (const key of table.getKeys() as Iterable<unknown>) {
      if (!Array.isArray(key)) continue;
      note("nextAccountId", key[0]);
      note(counter, key[1]);
    }
  return ids;
}
