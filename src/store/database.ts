/** The LMDB environment: its tables, its schema version and its write transactions. */
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { Account } from "./accounts.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { Credentials } from "./credentials.ts";
import { asDataDirError, DataDirError, ensureValidFile, ensureWritable } from "./data-dir.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { Lane } from "./lanes.ts";
import { type DataDirLock, lockDataDir } from "./lock.ts";
import { migration, schemaVersion } from "./migrations.ts";
import type { OneTimeLink } from "./one-time-links.ts";
import type { ScanRecord } from "./scans.ts";
import type { Session } from "./sessions.ts";

/** lmdb-js allows 12 tables by default and refuses any further one. */
const tablesMax = 64;
/** Address space reserved at start, in bytes. The file is only as long as its content, and the map can grow. */
const mapBytes = 16 * 2 ** 30;

type Counter = "nextScanId" | "nextAccountId" | "nextApiTokenId" | "nextSessionId";

/** Array keys sort element by element, so that a prefix is a range. */
export interface Tables {
  /** `queueTurn` is the state of the lane schedule. */
  readonly meta: Database<number, "schemaVersion" | "queueTurn" | Counter>;
  readonly scans: Database<ScanRecord, string>;
  /** Token of queued scans (see `queue.ts`). */
  readonly queueByLane: Database<string, [lane: Lane, place: number]>;
  /** Scan id to token. */
  readonly running: Database<string, number>;
  /** Token of finished scans by name and band; `""` is every name or every band (see `public-list.ts`). */
  readonly publicScans: Database<string, [name: string, band: string, scanId: number]>;
  readonly scansByAccount: Database<string, [accountId: number, scanId: number]>;
  /** Scans that an account may read. Unknown tokens and those of other accounts are the same failed lookup. */
  readonly ownScans: Database<number, [accountId: number, token: string]>;
  readonly results: Database<StoredResult, string>;
  readonly evidence: Database<{ readonly evidence: Evidence; readonly timings: Timings }, string>;
  /** By scan id, so that the oldest come first; raw bytes. */
  readonly screenshots: Database<Uint8Array, number>;
  readonly accounts: Database<Account, number>;
  readonly accountIdsByEmail: Database<number, string>;
  /** By the SHA-256 of the token's value. */
  readonly apiTokens: Database<ApiToken, string>;
  readonly apiTokenHashes: Database<string, [accountId: number, tokenId: number]>;
  readonly credentials: Database<Credentials, number>;
  /** By the SHA-256 of the session's value. */
  readonly sessions: Database<Session, string>;
  readonly sessionHashes: Database<string, [accountId: number, sessionId: number]>;
  /** By the SHA-256 of the link's value. */
  readonly oneTimeLinks: Database<OneTimeLink, string>;
}

export interface Db extends Tables {
  /**
   * Commits all changes of the action or none; they are on disk when the promise resolves. The action must be synchronous.
   * @throws DataDirError when the disk is full; any error of the action, after rolling back.
   */
  write<T>(action: () => T): Promise<T>;
  /** Next number of a counter; only within `write`. */
  next(counter: Counter): number;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly readOnly: boolean;
  /** The server's lock, if the caller holds it: a migration needs it, because no server may run meanwhile. */
  readonly lock?: DataDirLock | undefined;
}

/** @throws DataDirError */
export function openDatabase(dataDir: string, { readOnly, lock }: DatabaseOptions): Db {
  const path = join(dataDir, "store");
  if (!readOnly) ensureWritable(path);
  ensureValidFile(path);
  try {
    const root = open({ path, maxDbs: tablesMax, mapSize: mapBytes, readOnly });
    return withTables(root);
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }

  function withTables(root: RootDatabase): Db {
    const meta: Tables["meta"] = root.openDB({ name: "meta" });
    const storedVersion = meta.get("schemaVersion");
    if (storedVersion !== undefined) assertReadable(storedVersion);
    const tables = openTables(root, meta);
    if (storedVersion === undefined && !readOnly) meta.putSync("schemaVersion", schemaVersion);
    else if (storedVersion !== undefined && storedVersion < schemaVersion) migrateStore(root, tables);
    const commits = createGroupCommit(root);
    return {
      ...tables,
      write: (action) =>
        commits.write(action).catch((error) => {
          throw asDataDirError(error, dataDir);
        }),
      next: (counter) => {
        const number = (meta.get(counter) ?? 0) + 1;
        meta.put(counter, number);
        return number;
      },
      close: () => {
        commits.flush();
        return root.close();
      },
    };
  }

  /** Runs before any table is created, so that a refused store stays unchanged. */
  function assertReadable(storedVersion: number): void {
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

  function migrateStore(root: RootDatabase, tables: Tables): void {
    const held = lock ?? lockDataDir(dataDir);
    try {
      // Read again: another process may have migrated the store before the lock was taken.
      const from = tables.meta.get("schemaVersion") ?? schemaVersion;
      const migrate = migration({ ...tables, oldTable: (name) => root.openDB({ name, encoding: "json" }) }, from);
      root.transactionSync(() => {
        migrate();
        tables.meta.put("schemaVersion", schemaVersion);
      });
    } finally {
      if (held !== lock) held.release();
    }
  }
}

/** Range of one account's rows in a table whose keys begin with the account id, oldest first. */
export function accountRange(accountId: number): { readonly start: [number, number]; readonly end: [number, number] } {
  return { start: [accountId, 0], end: [accountId + 1, 0] };
}

function openTables(root: RootDatabase, meta: Tables["meta"]): Tables {
  // Bun parses JSON three times as fast as lmdb-js decodes its own format.
  const table = <V, K extends string | number | (string | number)[]>(name: keyof Tables): Database<V, K> =>
    root.openDB<V, K>({ name, encoding: "json" });
  return {
    meta,
    scans: table("scans"),
    queueByLane: table("queueByLane"),
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
    sessions: table("sessions"),
    sessionHashes: table("sessionHashes"),
    oneTimeLinks: table("oneTimeLinks"),
  };
}
