/** The LMDB environment: its tables, its schema version and its write transactions. */
import { join } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { Account } from "./accounts.ts";
import type { Activity } from "./activity.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { AuditEntry } from "./audit.ts";
import type { Channel, NotificationRule } from "./channels.ts";
import type { Credentials } from "./credentials.ts";
import { asDataDirError, DataDirError, damagedDataDir, ensureWritable, refuseHalfRestored } from "./data-dir.ts";
import type { Delivery } from "./deliveries.ts";
import { type OpenedStore, openEnvironment } from "./environment.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { IdempotentStart, IdempotentStartKey } from "./idempotent-starts.ts";
import { putInstanceIfMissing } from "./instance.ts";
import { type DataDirLock, lockDataDir } from "./lock.ts";
import { migration, schemaVersion } from "./migrations.ts";
import type { OneTimeLink } from "./one-time-links.ts";
import type { QueueKey } from "./queue.ts";
import { createReadCaches, type ReadCaches } from "./read-cache.ts";
import { type FormattedTable, rowFormats } from "./row-formats.ts";
import type { SiteAccount } from "./scan-events.ts";
import type { ScanRecord } from "./scans.ts";
import type { Session } from "./sessions.ts";
import type { Member, MemberInvitation, StoredBrand } from "./site-accounts.ts";
import type { StoredEvent } from "./site-events.ts";
import type { SiteHistoryEntry, SiteRun, SiteState } from "./site-runs.ts";
import type { Site } from "./sites.ts";
import type { StoreOptions } from "./store.ts";
import { prepareStoreFile } from "./store-file.ts";
import { createStoreHealth, type StoreHealth } from "./store-health.ts";
import {
  createUnreadableReport,
  type NumberTable,
  openNumberTable,
  openTable,
  type RowFormat,
  type RowTable,
  type TableKey,
} from "./table.ts";
import type { Worker } from "./workers.ts";

/** lmdb-js allows 12 tables by default and refuses any further one. */
const tablesMax = 64;
/** Address space reserved at start, in bytes. The file is only as long as its content, and the map can grow. */
const mapBytes = 16 * 2 ** 30;

export type Counter =
  | "nextScanId"
  | "nextAccountId"
  | "nextApiTokenId"
  | "nextSessionId"
  | "nextAuditId"
  | "nextSiteId"
  | "nextChannelId"
  | "nextRuleId"
  | "nextEventId"
  | "nextDeliveryId";

type Writable<T extends readonly unknown[]> = [...T];

/** Array keys sort element by element, so that a prefix is a range. */
export interface Tables {
  /** `queueTurn LOCATION` is the state of its lane schedule. `changes` counts the transactions of `write`, of all processes. */
  readonly meta: NumberTable<"schemaVersion" | `queueTurn ${string}` | "changes" | Counter>;
  /** One row: see `instance.ts`. */
  readonly instance: RowTable<string, "id">;
  readonly scans: RowTable<ScanRecord, string>;
  /** Token of queued scans (see `queue.ts`). */
  readonly queueByLane: RowTable<string, Writable<QueueKey>>;
  /** Places of cancelled scans; every value is `gapValue` (see `queue.ts`). */
  readonly queueGaps: RowTable<number, Writable<QueueKey>>;
  readonly idempotentStarts: RowTable<IdempotentStart, IdempotentStartKey>;
  /** Scan id to token. */
  readonly running: RowTable<string, number>;
  /** Token of finished scans by name and band; `""` is every name or every band (see `public-list.ts`). */
  readonly publicScans: RowTable<string, [name: string, band: string, scanId: number]>;
  readonly scansByAccount: RowTable<string, [accountId: number, scanId: number]>;
  /** Scans that an account may read. Unknown tokens and those of other accounts are the same failed lookup. */
  readonly ownScans: RowTable<number, [accountId: number, token: string]>;
  readonly results: RowTable<StoredResult, string>;
  readonly evidence: RowTable<{ readonly evidence: Evidence; readonly timings: Timings }, string>;
  /** By scan id, so that the oldest come first; raw bytes. */
  readonly screenshots: Database<Uint8Array, number>;
  readonly accounts: RowTable<Account, number>;
  readonly accountIdsByEmail: RowTable<number, string>;
  /** By the SHA-256 of the token's value. */
  readonly apiTokens: RowTable<ApiToken, string>;
  readonly apiTokenHashes: RowTable<string, [accountId: number, tokenId: number]>;
  readonly credentials: RowTable<Credentials, number>;
  /** By the SHA-256 of issuer and subject (see `oidc-links.ts`). */
  readonly accountIdsByIdentity: RowTable<number, string>;
  /** By the SHA-256 of the session's value. */
  readonly sessions: RowTable<Session, string>;
  readonly sessionHashes: RowTable<string, [accountId: number, sessionId: number]>;
  /** By the SHA-256 of the link's value. */
  readonly oneTimeLinks: RowTable<OneTimeLink, string>;
  readonly workers: RowTable<Worker, string>;
  readonly audit: RowTable<AuditEntry, number>;
  /** By the hours since the Unix epoch. */
  readonly activity: RowTable<Activity, number>;
  /** Deletions that this store has carried out, by their id (see `deletions-file.ts`). */
  readonly deletions: RowTable<{ readonly at: string }, string>;
  /** Settings of the last start, by name. */
  readonly settingsAtStart: RowTable<{ readonly value: string | null }, string>;
  readonly sites: RowTable<Site, [accountId: number, siteId: number]>;
  /** Sites whose run or second look is planned; the values repeat the site. */
  readonly sitesDue: RowTable<number, [atMs: number, accountId: number, siteId: number]>;
  readonly siteRuns: RowTable<SiteRun, number>;
  readonly siteStates: RowTable<SiteState, number>;
  readonly siteHistory: RowTable<SiteHistoryEntry, [siteId: number, atMs: number]>;
  readonly events: RowTable<StoredEvent, [accountId: number, seq: number]>;
  /** Account of each event of a site. */
  readonly siteEventIds: RowTable<number, [siteId: number, seq: number]>;
  readonly channels: RowTable<Channel, [accountId: number, channelId: number]>;
  readonly notificationRules: RowTable<NotificationRule, [accountId: number, ruleId: number]>;
  readonly deliveries: RowTable<Delivery, [accountId: number, deliveryId: number]>;
  /** The values repeat the delivery. */
  readonly deliveriesDue: RowTable<number, [atMs: number, accountId: number, deliveryId: number]>;
  /** Channel of each delivery that waits. */
  readonly deliveriesWaiting: RowTable<number, [accountId: number, deliveryId: number]>;
  readonly members: RowTable<Member, [ownerId: number, memberId: number]>;
  /** The values repeat the owner. */
  readonly ownersByMember: RowTable<number, [memberId: number, ownerId: number]>;
  /** By the SHA-256 of the link's value. */
  readonly memberInvitations: RowTable<MemberInvitation, string>;
  readonly brands: RowTable<StoredBrand, number>;
  readonly siteAccounts: RowTable<SiteAccount, number>;
  /** Account of each token for the metrics of sites, by the SHA-256 of its value. */
  readonly metricsTokens: RowTable<number, string>;
}

export interface Db extends Tables {
  /**
   * Commits all changes of the action or none; they are on disk when the promise resolves. The action must be synchronous.
   * @throws DataDirError when the disk is full; any error of the action, after rolling back.
   */
  write<T>(action: () => T): Promise<T>;
  /** Next number of a counter; only within `write`. */
  next(counter: Counter): number;
  readonly clock: Clock;
  readonly health: StoreHealth;
  readonly cacheReads: ReadCaches["cacheReads"];
  close(): Promise<void>;
}

export interface DatabaseOptions extends Pick<StoreOptions, "clock" | "lock" | "noSync" | "onUnreadable"> {
  readonly readOnly: boolean;
}

/** @throws DataDirError */
export function openDatabase(dataDir: string, { readOnly, noSync = false, lock, clock = systemClock, onUnreadable }: DatabaseOptions): Db {
  const path = join(dataDir, "store");
  const report = createUnreadableReport(onUnreadable);
  const health = createStoreHealth(path, clock);
  const asFault = (error: unknown) => {
    const fault = asDataDirError(error, dataDir);
    health.noteError(fault);
    return fault;
  };
  try {
    if (!readOnly) {
      refuseHalfRestored(dataDir);
      ensureWritable(path);
    }
    prepareStoreFile(dataDir, { readOnly, noSync });
    return openEnvironment(path, { maxDbs: tablesMax, mapSize: mapBytes, readOnly, noSync }, withTables);
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }

  function withTables({ root, commit, close }: OpenedStore): Db {
    // One transaction creates all tables: one for each would flush to the disk fifty times.
    const open = () => openVersion(dataDir, readOnly, { root, context: { report, asFault } });
    const { meta, tables, storedVersion } = readOnly ? open() : root.transactionSync(open);
    if (storedVersion < schemaVersion) migrateStore(dataDir, lock, { root, meta, context: { report, asFault, anyShape: true } });
    if (!readOnly) putInstanceIfMissing(root, { ...tables, clock });
    const { cacheReads, expire } = createReadCaches(clock, () => {
      root.resetReadTxn();
      return meta.get("changes") ?? Number.NaN;
    });
    const commits = createGroupCommit(root, {
      commit,
      beforeCommit: () => void meta.put("changes", (meta.get("changes") ?? 0) + 1),
      afterCommit: expire,
    });
    return {
      ...tables,
      ...{ health, clock },
      write: async (action) => {
        try {
          const value = await commits.write(action);
          health.noteChange();
          return value;
        } catch (error) {
          throw asFault(error);
        }
      },
      next: (counter) => {
        const last = meta.get(counter);
        // Counting anew would give numbers of other rows.
        if (last === undefined && meta.doesExist(counter))
          throw damagedDataDir(`data directory ${dataDir} has lost its counter ${counter}`);
        const number = (last ?? 0) + 1;
        meta.put(counter, number);
        return number;
      },
      cacheReads,
      close: () => {
        commits.flush();
        return close();
      },
    };
  }
}

/** Tables, and the version before a migration; a new store gets both. */
function openVersion(dataDir: string, readOnly: boolean, { root, context }: Omit<OpenedRoot, "meta">) {
  const meta: Tables["meta"] = openNumberTable(root, "meta", context.report);
  const storedVersion = meta.get("schemaVersion");
  if (storedVersion !== undefined) assertReadable(dataDir, storedVersion, readOnly);
  const tables = openTables(root, meta, context);
  if (storedVersion !== undefined) return { meta, tables, storedVersion };
  assertNew(dataDir, tables);
  if (!readOnly) meta.putSync("schemaVersion", schemaVersion);
  return { meta, tables, storedVersion: schemaVersion };
}

/** Runs before any table is created, so that a refused store stays unchanged. */
function assertReadable(dataDir: string, storedVersion: number, readOnly: boolean): void {
  if (storedVersion > schemaVersion)
    throw new DataDirError(
      "newer",
      `data directory ${dataDir} was written by a newer assay (schema ${storedVersion}, this one knows ${schemaVersion}); use that version or another directory`,
    );
  if (storedVersion < schemaVersion && readOnly)
    throw new DataDirError(
      "older",
      `data directory ${dataDir} was written by an older assay (schema ${storedVersion}, this one reads ${schemaVersion}); start "assay serve" once, which brings it up to date`,
    );
}

/** A store without its version number is new, or damaged if it has rows. */
function assertNew(dataDir: string, { accounts, scans }: Tables): void {
  if (accounts.getCount({ limit: 1 }) + scans.getCount({ limit: 1 }) > 0)
    throw damagedDataDir(`data directory ${dataDir} has lost the version number of its store`);
}

interface OpenedRoot {
  readonly root: RootDatabase;
  readonly meta: Tables["meta"];
  readonly context: TableContext;
}

function migrateStore(dataDir: string, lock: DataDirLock | undefined, { root, meta, context }: OpenedRoot): void {
  const held = lock ?? lockDataDir(dataDir);
  try {
    const tables = openTables(root, meta, context);
    // Read again: another process may have migrated the store before the lock was taken.
    const from = tables.meta.get("schemaVersion") ?? schemaVersion;
    const oldTable = <V, K extends TableKey>(name: string) => openAnyTable<V, K>(root, name, { ...context, accepts: () => true });
    const migrate = migration({ ...tables, oldTable }, from);
    root.transactionSync(() => {
      migrate();
      tables.meta.put("schemaVersion", schemaVersion);
    });
  } finally {
    if (held !== lock) held.release();
  }
}

interface TableContext {
  readonly report: (table: string, key: TableKey) => void;
  readonly asFault: (error: unknown) => unknown;
  /** Accepts rows of older schemas too. */
  readonly anyShape?: boolean;
}

function openTables(root: RootDatabase, meta: Tables["meta"], { report, asFault, anyShape = false }: TableContext): Tables {
  function table<V, K extends TableKey>(name: FormattedTable): RowTable<V, K> {
    const format: RowFormat<unknown> = rowFormats[name];
    const shape: RowFormat<unknown> = anyShape ? { ...format, accepts: () => true } : format;
    return openAnyTable(root, name, { ...(shape as RowFormat<V>), report, asFault });
  }
  return {
    meta,
    instance: table("instance"),
    scans: table("scans"),
    queueByLane: table("queueByLane"),
    queueGaps: table("queueGaps"),
    idempotentStarts: table("idempotentStarts"),
    running: table("running"),
    publicScans: table("publicScans"),
    scansByAccount: table("scansByAccount"),
    ownScans: table("ownScans"),
    results: table("results"),
    evidence: table("evidence"),
    screenshots: root.openDB({ name: "screenshots", encoding: "binary" }),
    accounts: table("accounts"),
    accountIdsByEmail: table("accountIdsByEmail"),
    apiTokens: table("apiTokens"),
    apiTokenHashes: table("apiTokenHashes"),
    credentials: table("credentials"),
    accountIdsByIdentity: table("accountIdsByIdentity"),
    sessions: table("sessions"),
    sessionHashes: table("sessionHashes"),
    oneTimeLinks: table("oneTimeLinks"),
    workers: table("workers"),
    audit: table("audit"),
    activity: table("activity"),
    settingsAtStart: table("settingsAtStart"),
    deletions: table("deletions"),
    sites: table("sites"),
    sitesDue: table("sitesDue"),
    siteRuns: table("siteRuns"),
    siteStates: table("siteStates"),
    siteHistory: table("siteHistory"),
    events: table("events"),
    siteEventIds: table("siteEventIds"),
    channels: table("channels"),
    notificationRules: table("notificationRules"),
    deliveries: table("deliveries"),
    deliveriesDue: table("deliveriesDue"),
    deliveriesWaiting: table("deliveriesWaiting"),
    metricsTokens: table("metricsTokens"),
    members: table("members"),
    ownersByMember: table("ownersByMember"),
    memberInvitations: table("memberInvitations"),
    brands: table("brands"),
    siteAccounts: table("siteAccounts"),
  };
}

function openAnyTable<V, K extends TableKey>(
  root: RootDatabase,
  name: string,
  { report, ...options }: RowFormat<V> & Pick<TableContext, "report" | "asFault">,
): RowTable<V, K> {
  const opened = openTable<V, K>(root, { ...options, name, onUnreadable: report });
  if (opened === undefined) throw new DataDirError("older", `the store has no table ${name} yet; start "assay serve" once`);
  return opened;
}
