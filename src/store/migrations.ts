/** Migrations of a store from an older release, one step per schema version. */
import type { Account } from "./accounts.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { Tables } from "./database.ts";
import { addToPublicList } from "./public-list.ts";
import { appendToLane, gapValue, impliedGaps, laneOf } from "./queue.ts";
import type { ScanRecord } from "./scans.ts";
import { scanSummaryOf } from "./summary.ts";
import type { RowTable } from "./table.ts";

export interface MigrationDb extends Tables {
  /** Opens a table of an older schema; only before the transaction begins. */
  oldTable<V, K extends string | number>(name: string): RowTable<V, K>;
}

/** Opens old tables and returns the action for the transaction. */
type Step = (db: MigrationDb) => () => void;

/** The first step leads from schema 1 to 2. A released step never changes. Each passes over rows that cannot be read. */
const steps: readonly Step[] = [toSchema2, toSchema3, toSchema4, toSchema5];
/** Rises with every change of the stored shapes that an older release would misread. */
export const schemaVersion = steps.length + 1;

/** Action that migrates a store of schema `from`; must run within one transaction. */
export function migration(db: MigrationDb, from: number): () => void {
  const actions = steps.slice(from - 1).map((step) => step(db));
  return () => {
    for (const action of actions) action();
  };
}

/** Adds summaries to finished scans. Rebuilds the public list, until now `finished` (scan id to token), by host and band. */
function toSchema2(db: MigrationDb): () => void {
  const finished = db.oldTable<string, number>("finished");
  return () => {
    // Copied first: a cursor over a table under change may return a row twice.
    for (const token of [...db.scans.getKeys()]) {
      const old: Omit<ScanRecord, "summary"> | undefined = db.scans.get(token);
      if (old === undefined) continue;
      const result = db.results.get(token);
      const scan: ScanRecord = { ...old, summary: result === undefined ? null : scanSummaryOf(result) };
      db.scans.put(token, scan);
      if (scan.status === "finished") addToPublicList(db, scan);
    }
    for (const id of [...finished.getKeys()]) finished.remove(id);
  };
}

/** Adds `disabled`, `locale` and `theme` to accounts, and `expiresAt` to tokens. */
function toSchema3(db: MigrationDb): () => void {
  return () => {
    for (const id of [...db.accounts.getKeys()]) {
      const old: Omit<Account, "disabled" | "locale" | "theme"> | undefined = db.accounts.get(id);
      if (old !== undefined) db.accounts.put(id, { disabled: false, locale: null, theme: "system", ...old });
    }
    for (const hash of [...db.apiTokens.getKeys()]) {
      const old: Omit<ApiToken, "expiresAt"> | undefined = db.apiTokens.get(hash);
      if (old !== undefined) db.apiTokens.put(hash, { expiresAt: null, ...old });
    }
  };
}

/** Moves the queue, until now `queue` (scan id to token), into lanes. Running scans find their lane when they are requeued. */
function toSchema4(db: MigrationDb): () => void {
  const queue = db.oldTable<string, number>("queue");
  return () => {
    for (const key of [...queue.getKeys()]) {
      const token = queue.get(key) ?? "";
      const scan = token === "" ? undefined : db.scans.get(token);
      if (scan !== undefined) db.scans.put(token, { ...scan, queueKey: appendToLane(db, laneOf(db, scan.accountId), token) });
      queue.remove(key);
    }
  };
}

/** Adds the gaps of the queue, and the empty table of idempotency keys. Older releases would ignore the gaps. */
function toSchema5(db: MigrationDb): () => void {
  return () => {
    for (const [lane, place] of impliedGaps(db)) db.queueGaps.put([lane, place], gapValue);
  };
}
