/** Keys of sites among those whose run is planned. A key is stray if its site is gone, or has another key. */
import type { Db } from "./database.ts";
import type { Site } from "./sites.ts";

/** Rows that one step of the removal of stray ones reads. */
const readAtOnce = 500;

type SiteDueKey = [atMs: number, accountId: number, siteId: number];
const firstKey: SiteDueKey = [0, 0, 0];

/** Row of `sitesDue`: the earlier of the next run and the second look. None while neither is planned. */
export function dueKeysOf({ accountId, id, nextRunAt, secondLookAt }: Site): readonly (readonly [number, number, number])[] {
  const instants = [nextRunAt, secondLookAt].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  return instants.length === 0 ? [] : [[Math.min(...instants), accountId, id]];
}

/** Keys that are not stray, the earliest first. */
export function listDueKeys(db: Db, now: Date, limit: number): readonly SiteDueKey[] {
  const due: SiteDueKey[] = [];
  for (const key of db.sitesDue.getKeys({ end: [now.getTime() + 1, 0, 0] })) {
    if (due.length >= limit) break;
    if (!isStray(db, key)) due.push(key);
  }
  return due;
}

/** Reads a bounded number of rows in each step, and writes only if one of them is stray. */
export function removalOfStrayDue(db: Db): () => Promise<boolean> {
  let from = firstKey;
  return async () => {
    const keys = [...db.sitesDue.getKeys({ start: from, limit: readAtOnce })];
    const stray = keys.filter((key) => isStray(db, key));
    if (stray.length > 0)
      await db.write(() => {
        for (const key of stray) if (isStray(db, key)) db.sitesDue.remove(key);
      });
    const last = keys.length < readAtOnce ? undefined : keys.at(-1);
    from = last === undefined ? firstKey : [last[0], last[1], last[2] + 1];
    return last !== undefined;
  };
}

function isStray(db: Db, key: SiteDueKey): boolean {
  const [atMs, accountId, siteId] = key;
  const site = db.sites.get([accountId, siteId]);
  return site === undefined || !dueKeysOf(site).some(([plannedMs]) => plannedMs === atMs);
}
