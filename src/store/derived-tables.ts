/** Tables and counters that follow from the records: compared with them, and rebuilt from them. */
import type { Db } from "./database.ts";
import { type Counter, counters, type TableKey } from "./define-table.ts";
import { gapValue, impliedGaps } from "./queue.ts";
import { isSameKey } from "./table.ts";
import { type AnyTable, allIndexes, allTables, anyTable, type IndexName } from "./tables.ts";

/** Rows per transaction: a few megabytes of memory. */
const rowsPerChunk = 1_000;

export interface DerivedReport {
  readonly table: IndexName | "queueGaps";
  /** Rows that the records imply and the table lacks. */
  readonly missing: number;
  /** Rows that no record implies. */
  readonly stray: number;
}

/** Compares every derived table with the records; `repair` also rebuilds it, and needs the server's lock. @throws DataDirError */
export async function compareDerivedTables(db: Db, { repair }: { readonly repair: boolean }): Promise<readonly DerivedReport[]> {
  const reports: DerivedReport[] = [];
  for (const index of allIndexes) reports.push(await compare(db, index, repair));
  return [...reports, await compareGaps(db, repair)];
}

/** Call after the rows of the queue are compared: the gaps follow from them. */
async function compareGaps(db: Db, repair: boolean): Promise<DerivedReport> {
  const gaps = anyTable(db, "queueGaps");
  const implied: readonly TableKey[] = impliedGaps(db).map((gap) => [...gap]);
  const expected = new Set(implied.map((gap) => JSON.stringify(gap)));
  const missing = implied.filter((gap) => gaps.get(gap) !== gapValue);
  const stray = [...gaps.getKeys()].filter((gap) => !expected.has(JSON.stringify(gap)));
  if (repair) {
    await eachChunk(db, true, missing, (gap) => gaps.put(gap, gapValue));
    await eachChunk(db, true, stray, (gap) => gaps.remove(gap));
  }
  return { table: "queueGaps", missing: missing.length, stray: stray.length };
}

async function compare(db: Db, { name, index, sources }: (typeof allIndexes)[number], repair: boolean): Promise<DerivedReport> {
  const table = anyTable(db, name);
  const tables = sources.map((source) => anyTable(db, source));
  let [missing, stray] = [0, 0];

  const addMissing = (records: AnyTable, recordKey: TableKey): void => {
    const record = records.get(recordKey);
    if (record === undefined) return;
    for (const [key, value] of index.rows(record, recordKey)) {
      if (table.get(key) === value) continue;
      missing++;
      if (repair) table.put(key, value);
    }
  };
  const removeStray = (key: TableKey): void => {
    const value = table.get(key) as string | number;
    const recordKey = index.recordKey({ key, value });
    // No record has an empty key or the number 0: they stand for a row that cannot be read.
    const implies = (records: AnyTable): boolean => {
      const record = recordKey ? records.get(recordKey) : undefined;
      return record !== undefined && index.rows(record, recordKey ?? "").some((row) => isSameKey(row[0], key) && row[1] === value);
    };
    if (tables.some(implies)) return;
    stray++;
    if (repair) table.remove(key);
  };

  await eachChunk(db, repair, [...table.getKeys()], removeStray);
  for (const records of tables) await eachChunk(db, repair, [...records.getKeys()], (key) => addMissing(records, key));
  return { table: name, missing, stray };
}

async function eachChunk(db: Db, repair: boolean, keys: readonly TableKey[], visit: (key: TableKey) => void): Promise<void> {
  for (let at = 0; at < keys.length; at += rowsPerChunk) {
    const chunk = () => keys.slice(at, at + rowsPerChunk).forEach(visit);
    if (repair) await db.write(chunk);
    else chunk();
  }
}

export interface LowCounter {
  readonly counter: Counter;
  /** Highest id in use. */
  readonly used: number;
}

/** Finds counters that are lost or below an id in use; `repair` raises them. @throws DataDirError */
export async function compareCounters(db: Db, { repair }: { readonly repair: boolean }): Promise<readonly LowCounter[]> {
  const used = highestIds(db);
  const isLost = (counter: Counter) => db.meta.doesExist(counter) && db.meta.get(counter) === undefined;
  const low = counters
    .map((counter) => [counter, used[counter]] as const)
    .filter(([counter, id]) => (db.meta.get(counter) ?? 0) < id || isLost(counter));
  if (repair && low.length > 0)
    await db.write(() => {
      for (const [counter, id] of low) db.meta.put(counter, id);
    });
  return low.map(([counter, id]) => ({ counter, used: id }));
}

/** From every row that names an id, so that the id of a lost record is not given again. */
function highestIds(db: Db): Readonly<Record<Counter, number>> {
  const ids = Object.fromEntries(counters.map((counter) => [counter, 0])) as Record<Counter, number>;
  // A damaged key may be of any kind.
  const note = (counter: Counter, id: unknown): void => {
    if (Number.isSafeInteger(id)) ids[counter] = Math.max(ids[counter], id as number);
  };
  for (const table of [db.scans, db.proofs])
    for (const { value } of table.getRange()) {
      note("nextScanId", value.id);
      note("nextAccountId", value.accountId);
    }
  for (const id of db.screenshots.getKeys()) note("nextScanId", id);
  const keyIds = [
    ...allTables.map(([name, table]) => [name, table.keyIds] as const),
    ...allIndexes.map(({ name, index }) => [name, index.keyIds ?? []] as const),
  ];
  for (const [name, counters] of keyIds) {
    if (counters.length === 0) continue;
    for (const key of anyTable(db, name).getKeys())
      for (const [part, counter] of counters.entries())
        note(counter, Array.isArray(key) === counters.length > 1 ? [key].flat()[part] : undefined);
  }
  return ids;
}
