/** Migrations of a store from an older release, one step per schema version. */
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import type { Account } from "./accounts.ts";
import type { ApiToken } from "./api-tokens.ts";
import { publicKeysOf } from "./public-list.ts";
import type { Lane } from "./queue.ts";
import { appendToLane, gapValue, impliedGaps, laneOf } from "./queue.ts";
import { type ScanRecord, scanSummaryOf } from "./scan-record.ts";
import type { NumberTable, RowTable } from "./table.ts";
import type { Tables } from "./tables.ts";

/** Its tables accept rows of older schemas, and keep no indexes. */
export interface MigrationDb extends Tables {
  /** Opens a table of an older schema; only before the transaction begins. */
  oldTable<V, K extends string | number>(name: string): RowTable<V, K>;
}

/** Opens old tables and returns the action for the transaction. */
type Step = (db: MigrationDb) => () => void;

/** The first step leads from schema 1 to 2. A released step never changes. Each passes over rows that cannot be read. */
const steps: readonly Step[] = [
  toSchema2,
  toSchema3,
  toSchema4,
  // Schema 5 added the gaps of the queue, which `toSchema6` finds again, and the empty table of idempotency keys.
  addEmptyTables,
  toSchema6,
  // Schema 7 added the audit log and the figures of a day, which begin empty, and the settings of the last start.
  addEmptyTables,
  // Schema 8 added the deletions that were carried out; a store of an older release has none.
  addEmptyTables,
  // Schema 9 added watched sites, their notifications and a lane for their scans; a store of an older release has none.
  addEmptyTables,
  // Schema 10 added proofs, which wait in the queue of scans; a store of an older release has none.
  addEmptyTables,
];
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
      if (scan !== undefined) {
        const queueKey = appendToLane(db, [localLocation, laneOf(db, scan.accountId)]);
        db.queueByLane.put([...queueKey], token);
        db.scans.put(token, { ...scan, queueKey });
      }
      queue.remove(key);
    }
  };
}

/** The opening of the store has made the tables. */
function addEmptyTables(): () => void {
  return () => {};
}

/**
 * Gives queue, gaps and turn to the location `local`: keys were [lane, place]. Lists deep hosts by their own name. Older releases would
 * ignore the locations of scans. Workers and the identity of the store are new.
 */
function toSchema6(db: MigrationDb): () => void {
  const meta: NumberTable<string> = db.meta;
  return () => {
    for (const key of [...db.queueByLane.getKeys()] as unknown[]) {
      if (!isQueueKeyOfSchema5(key)) continue;
      db.queueByLane.put([localLocation, ...key], db.queueByLane.get(key as never) ?? "");
      db.queueByLane.remove(key as never);
    }
    for (const key of [...db.queueGaps.getKeys()]) db.queueGaps.remove(key);
    for (const key of impliedGaps(db)) db.queueGaps.put([...key], gapValue);
    meta.put(`queueTurn ${localLocation}`, meta.get("queueTurn") ?? 0);
    meta.remove("queueTurn");
    for (const token of [...db.scans.getKeys()]) {
      const scan = db.scans.get(token);
      const key: unknown = scan?.queueKey;
      if (scan !== undefined && isQueueKeyOfSchema5(key)) db.scans.put(token, { ...scan, queueKey: [localLocation, ...key] });
      const labels = scan?.status === "finished" ? (hostOf(scan.url)?.split(".").length ?? 0) : 0;
      if (scan !== undefined && labels > domainsOfSchema5) addToPublicList(db, scan);
    }
  };
}

function addToPublicList(db: Tables, scan: ScanRecord): void {
  for (const key of publicKeysOf(scan)) db.publicScans.put(key, scan.token);
}

/** Hosts of more labels were not listed under their own name. */
const domainsOfSchema5 = 6;

function isQueueKeyOfSchema5(key: unknown): key is [lane: Lane, place: number] {
  return Array.isArray(key) && key.length === 2;
}
