/** All tables of the store: definitions by name, and what is done to every table alike. */
import type { Database, RootDatabase } from "lmdb";
import { accountsTable } from "./accounts.ts";
import { activityTable } from "./activity.ts";
import { apiTokensTable } from "./api-tokens.ts";
import { auditTable, settingsAtStartTable } from "./audit.ts";
import { channelsTable } from "./channels.ts";
import { credentialsTable } from "./credentials.ts";
import { DataDirError } from "./data-dir.ts";
import {
  type Counter,
  defineTable,
  type IndexDefinition,
  indexFormatOf,
  keyed,
  type Owner,
  type RowFormat,
  rowFormatOf,
  stored,
  type TableDefinition,
  type TableKey,
} from "./define-table.ts";
import { deletionsTable } from "./deletions-file.ts";
import { deliveriesTable } from "./deliveries.ts";
import { notificationRulesTable } from "./notification-rules.ts";
import { oneTimeLinksTable } from "./one-time-links.ts";
import { proofResultsTable, proofsTable } from "./proofs.ts";
import { queueGapsTable } from "./queue.ts";
import { evidenceTable, resultsTable, scansTable } from "./scan-record.ts";
import { sessionsTable } from "./sessions.ts";
import { brandsTable, memberInvitationsTable, membersTable, siteAccountsTable } from "./site-accounts.ts";
import { eventsTable } from "./site-events.ts";
import { siteHistoryTable, siteRunsTable, siteStatesTable } from "./site-runs.ts";
import { sitesTable } from "./sites.ts";
import { idempotentStartsTable } from "./start-scans.ts";
import { accountRange, type NumberTable, openTable, type RowTable } from "./table.ts";
import { workersTable } from "./workers.ts";

/** A new table needs one line here. Tables of earlier schemas are in `migrations.ts`. */
export const tableDefinitions = {
  /** Identity of the store, in one row. */
  instance: defineTable({ row: stored.text, key: keyed<"id">(), fallback: "", ofAccount: [] }),
  scans: scansTable,
  proofs: proofsTable,
  proofResults: proofResultsTable,
  queueGaps: queueGapsTable,
  idempotentStarts: idempotentStartsTable,
  results: resultsTable,
  evidence: evidenceTable,
  accounts: accountsTable,
  apiTokens: apiTokensTable,
  credentials: credentialsTable,
  sessions: sessionsTable,
  oneTimeLinks: oneTimeLinksTable,
  workers: workersTable,
  audit: auditTable,
  activity: activityTable,
  settingsAtStart: settingsAtStartTable,
  deletions: deletionsTable,
  sites: sitesTable,
  siteRuns: siteRunsTable,
  siteStates: siteStatesTable,
  siteHistory: siteHistoryTable,
  events: eventsTable,
  channels: channelsTable,
  notificationRules: notificationRulesTable,
  deliveries: deliveriesTable,
  members: membersTable,
  memberInvitations: memberInvitationsTable,
  brands: brandsTable,
  siteAccounts: siteAccountsTable,
} as const;

type Definitions = typeof tableDefinitions;
type RecordTables = {
  readonly [N in keyof Definitions]: Definitions[N] extends TableDefinition<infer V, infer K, infer _X> ? RowTable<V, K> : never;
};
type Together<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer A) => void ? A : never;
type AllIndexes = Together<{ [N in keyof Definitions]: Definitions[N]["indexes"] }[keyof Definitions]>;
type IndexTables = {
  readonly [I in keyof AllIndexes]: AllIndexes[I] extends IndexDefinition<infer _V, infer _K, infer IK, infer IV>
    ? RowTable<IV, IK>
    : never;
};
export type IndexName = keyof AllIndexes;

/** Array keys sort element by element, so that a prefix is a range. */
export type Tables = RecordTables &
  IndexTables & {
    /** `queueTurn LOCATION` is the state of its lane schedule. `changes` counts the transactions of `write`, of all processes. */
    readonly meta: NumberTable<"schemaVersion" | `queueTurn ${string}` | "changes" | Counter>;
    /** Raw bytes, keyed by scan id, so that the oldest come first. */
    readonly screenshots: Database<Uint8Array, number>;
  };

/** A definition without its types, for what is done to every table alike. */
export type AnyDefinition = TableDefinition<unknown, TableKey, Readonly<Record<string, AnyIndex>>>;
type AnyIndex = IndexDefinition<unknown, TableKey, TableKey, string | number>;
export type AnyTable = RowTable<unknown, TableKey>;

export const allTables = Object.entries(tableDefinitions) as unknown as readonly (readonly [keyof Definitions, AnyDefinition])[];
/** Each index with the tables that it follows from: an index of two tables is declared in both. */
export const allIndexes = [
  ...Map.groupBy(
    allTables.flatMap(([source, { indexes }]) =>
      (Object.entries(indexes) as [IndexName, AnyIndex][]).map(([name, index]) => ({ name, index, source })),
    ),
    ({ name }) => name,
  ).values(),
].flatMap(([first, ...others]) =>
  first === undefined ? [] : [{ name: first.name, index: first.index, sources: [first, ...others].map(({ source }) => source) }],
);

/** Formats of all tables of JSON rows. */
export const rowFormats: ReadonlyMap<string, RowFormat<unknown>> = new Map<string, RowFormat<unknown>>([
  ...allTables.map(([name, definition]) => [name, rowFormatOf(definition)] as const),
  ...allIndexes.map(({ name, index }) => [name, indexFormatOf(index.fallback)] as const),
]);
/** Names of all tables, also of the two that are not JSON. */
export const tableNames: readonly string[] = [...rowFormats.keys(), "meta", "screenshots"];

/** Tables of older schemas, which stay empty after their migration. */
const retiredTables: readonly string[] = ["finished", "queue"];

/** A damaged name hides a table: LMDB would create the table again, empty. Older and newer releases have either fewer tables or more. */
export function hasRenamedTable(root: RootDatabase): boolean {
  const found = [...root.getKeys()].map((name) => String(name).replace(/\0+$/, ""));
  const isUnknown = (name: string) => !tableNames.includes(name) && !retiredTables.includes(name);
  return found.some(isUnknown) && tableNames.some((name) => !found.includes(name));
}

/** The table of that name, without its types. */
export function anyTable(tables: Tables, name: keyof Definitions | IndexName): AnyTable {
  return tables[name] as unknown as AnyTable;
}

export interface TableContext {
  readonly report: (table: string, key: TableKey) => void;
  readonly asFault: (error: unknown) => unknown;
  /** For a migration: accepts rows of older schemas too, and keeps no indexes. */
  readonly migrates?: boolean;
}

/** @throws DataDirError `older` if a table is missing and the store is open for reading. */
export function openTables(root: RootDatabase, meta: Tables["meta"], context: TableContext): Tables {
  const opened: Record<string, unknown> = { meta, screenshots: root.openDB({ name: "screenshots", encoding: "binary" }) };
  for (const { name } of allIndexes) opened[name] = openFormatted(root, name, context);
  for (const [name, { indexes }] of allTables) {
    const open = Object.entries(indexes).map(([index, { rows }]) => ({ rows, table: opened[index] as AnyTable }));
    opened[name] = openFormatted(root, name, context, open);
  }
  return opened as unknown as Tables;
}

/** Any table by its name; one of an older schema accepts all rows. */
export function openFormatted(
  root: RootDatabase,
  name: string,
  { report, asFault, migrates = false }: TableContext,
  indexes: Parameters<typeof openTable<unknown, TableKey>>[1]["indexes"] = [],
): AnyTable {
  const format = rowFormats.get(name) ?? { accepts: () => true };
  const shape = migrates ? { ...format, accepts: () => true, indexes: [] } : { ...format, indexes };
  const table = openTable<unknown, TableKey>(root, { ...shape, name, onUnreadable: report, asFault });
  if (table === undefined) throw new DataDirError("older", `the store has no table ${name} yet; start "assay serve" once`);
  return table;
}

/** Removes the rows of an account or a site, by the definitions of all tables or of some; only within a transaction. */
export function removeOwnedRows(
  tables: Tables,
  kind: "ofAccount" | "ofSite",
  owner: Owner,
  only: readonly string[] = Object.keys(tableDefinitions),
): void {
  for (const [name, definition] of allTables) {
    if (!only.includes(name)) continue;
    const table = anyTable(tables, name);
    for (const belonging of definition[kind]) {
      if (belonging.by === "index")
        removeByIndex(table, anyTable(tables, belonging.index as IndexName), definition, belonging.index, owner.id);
      else for (const key of keysOf(table, belonging, owner)) table.remove(key);
    }
  }
}

type Belonging = AnyDefinition["ofAccount"][number];

/** Copied: a cursor over a table under change may pass over a row. */
function keysOf(table: AnyTable, belonging: Exclude<Belonging, { by: "index" }>, owner: Owner): readonly TableKey[] {
  if (belonging.by === "key") return [owner.id];
  if (belonging.by === "row") return [...table.getRange()].flatMap(({ key, value }) => (belonging.test(value, owner) ? [key] : []));
  if (belonging.part === 0) return [...table.getKeys(accountRange(owner.id))];
  return [...table.getKeys()].filter((key) => Array.isArray(key) && key[belonging.part] === owner.id);
}

/** Also removes index rows whose record cannot be read. */
function removeByIndex(table: AnyTable, rows: AnyTable, { indexes }: AnyDefinition, name: string, id: number): void {
  for (const { key, value } of [...rows.getRange(accountRange(id))]) {
    const recordKey = indexes[name]?.recordKey({ key, value: value as string | number });
    if (recordKey) table.remove(recordKey);
    rows.remove(key);
  }
}
