/** The one LMDB environment: its named tables, its schema version, and the single way to change it. */
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { StoredResult } from "../judge/result.ts";
import type { Account } from "./accounts.ts";
import type { ApiToken } from "./api-tokens.ts";
import type { Credentials } from "./credentials.ts";
import { asDataDirError, DataDirError, ensureSoundFile, ensureWritable } from "./data-dir.ts";
import { type DataDirLock, lockDataDir } from "./lock.ts";
import { migration, schemaVersion } from "./migrations.ts";
import type { OneTimeLink } from "./one-time-links.ts";
import type { ScanRecord } from "./scans.ts";
import type { Session } from "./sessions.ts";

/** lmdb-js allows 12 by default, and an environment full of tables cannot be given another. */
const tablesMax = 64;
/** Address space taken at once, in bytes; the file itself is only as long as what it holds, and the map grows beyond this when it must. */
const mapBytes = 16 * 2 ** 30;

type Counter = "nextScanId" | "nextAccountId" | "nextApiTokenId" | "nextSessionId";

/** Keys that are lists of numbers and words sort element by element, so that a prefix is a range. */
export interface Tables {
  readonly meta: Database<number, "schemaVersion" | Counter>;
  readonly scans: Database<ScanRecord, string>;
  /** Scan id to token: ids rise, so key order is first in, first out. */
  readonly queue: Database<string, number>;
  /** Scan id to token, of scans that a worker has in hand. */
  readonly running: Database<string, number>;
  /** To token, of finished scans: under each name that a scan is found by, and there in every band (`""`) and in its own; see `public-list.ts`. */
  readonly publicScans: Database<string, [name: string, band: string, scanId: number]>;
  readonly scansByAccount: Database<string, [accountId: number, scanId: number]>;
  /** Which scans an account may read: a token of nobody and a token of somebody else are the same miss here. */
  readonly ownScans: Database<number, [accountId: number, token: string]>;
  readonly results: Database<StoredResult, string>;
  readonly evidence: Database<{ readonly evidence: Evidence; readonly timings: Timings }, string>;
  /** By scan id, so that the oldest come first; bytes as they are. */
  readonly screenshots: Database<Uint8Array, number>;
  readonly accounts: Database<Account, number>;
  readonly accountIdsByEmail: Database<number, string>;
  /** By the SHA-256 of the token's value. */
  readonly apiTokens: Database<ApiToken, string>;
  readonly apiTokenHashes: Database<string, [accountId: number, tokenId: number]>;
  /** By account. */
  readonly credentials: Database<Credentials, number>;
  /** By the SHA-256 of the session's value. */
  readonly sessions: Database<Session, string>;
  readonly sessionHashes: Database<string, [accountId: number, sessionId: number]>;
  /** By the SHA-256 of the link's value. */
  readonly oneTimeLinks: Database<OneTimeLink, string>;
}

export interface Db extends Tables {
  /**
   * All of an action's changes or none of them; they are on disk when the promise resolves. The action runs at once and may not wait.
   * @throws DataDirError when the disk is full; whatever the action throws, after undoing its changes.
   */
  write<T>(action: () => T): Promise<T>;
  /** The next number of a counter; only within `write`. */
  next(counter: Counter): number;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly readOnly: boolean;
  /** The server's lock, where the caller has it already: a store is brought to a new schema only while no server runs. */
  readonly lock?: DataDirLock | undefined;
}

/** @throws DataDirError */
export function openDatabase(dataDir: string, { readOnly, lock }: DatabaseOptions): Db {
  const path = join(dataDir, "store");
  if (!readOnly) ensureWritable(path);
  ensureSoundFile(path);
  try {
    const root = open({ path, maxDbs: tablesMax, mapSize: mapBytes, readOnly });
    return withTables(root);
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }

  function withTables(root: RootDatabase): Db {
    const meta: Tables["meta"] = root.openDB({ name: "meta" });
    const found = meta.get("schemaVersion");
    if (found !== undefined) assertReadable(found);
    const tables = openTables(root, meta);
    if (found === undefined && !readOnly) meta.putSync("schemaVersion", schemaVersion);
    else if (found !== undefined && found < schemaVersion) bringUpToDate(root, tables);
    return {
      ...tables,
      // The asynchronous forms keep the puts of a transaction that throws, and leave rejections behind that nobody can catch when the disk is full.
      write: async (action) => {
        try {
          return root.transactionSync(action);
        } catch (error) {
          throw asDataDirError(error, dataDir);
        }
      },
      next: (counter) => {
        const number = (meta.get(counter) ?? 0) + 1;
        meta.put(counter, number);
        return number;
      },
      close: () => root.close(),
    };
  }

  /** Asked before any table is made, so that a store which is refused is left exactly as it was. */
  function assertReadable(found: number): void {
    if (found > schemaVersion)
      throw new DataDirError(
        "newer",
        `data directory ${dataDir} was written by a newer assay (schema ${found}, this one knows ${schemaVersion}); use that version or another directory`,
      );
    if (found < schemaVersion && readOnly)
      throw new DataDirError(
        "older",
        `data directory ${dataDir} was written by an older assay (schema ${found}, this one reads ${schemaVersion}); start "assay serve" once, which brings it up to date`,
      );
  }

  function bringUpToDate(root: RootDatabase, tables: Tables): void {
    const held = lock ?? lockDataDir(dataDir);
    try {
      // Looked at again: another process may have done it until the lock was had.
      const from = tables.meta.get("schemaVersion") ?? schemaVersion;
      const migrate = migration({ ...tables, formerTable: (name) => root.openDB({ name, encoding: "json" }) }, from);
      root.transactionSync(() => {
        migrate();
        tables.meta.put("schemaVersion", schemaVersion);
      });
    } finally {
      if (held !== lock) held.release();
    }
  }
}

/** Everything of one account in a table whose keys begin with it, oldest first. */
export function rowsOf(accountId: number): { readonly start: [number, number]; readonly end: [number, number] } {
  return { start: [accountId, 0], end: [accountId + 1, 0] };
}

function openTables(root: RootDatabase, meta: Tables["meta"]): Tables {
  // Everything stored is plain JSON, and Bun parses that three times as fast as lmdb-js decodes its own format.
  const table = <V, K extends string | number | (string | number)[]>(name: keyof Tables): Database<V, K> =>
    root.openDB<V, K>({ name, encoding: "json" });
  return {
    meta,
    scans: table("scans"),
    queue: table("queue"),
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
