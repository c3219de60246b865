/** The LMDB environment: its tables, its schema version and its write transactions. */
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { type Clock, systemClock } from "../base/clock.ts";
import {
  asDataDirError,
  createStoreHealth,
  DataDirError,
  damagedDataDir,
  ensureWritable,
  refuseHalfRestored,
  type StoreHealth,
} from "./data-dir.ts";
import type { Counter, Owner, TableKey } from "./define-table.ts";
import { createGroupCommit, type OpenedStore, openEnvironment } from "./environment.ts";
import { type DataDirLock, lockDataDir } from "./lock.ts";
import { migration, schemaVersion } from "./migrations.ts";
import { createReadCaches, type ReadCaches } from "./read-cache.ts";
import { randomBase62 } from "./secret-value.ts";
import type { StoreOptions } from "./store.ts";
import { prepareStoreFile, storeFileOf } from "./store-file.ts";
import { createUnreadableReport, openNumberTable, type RowTable } from "./table.ts";
import {
  hasRenamedTable,
  openFormatted,
  openTables,
  removeOwnedRows,
  type TableContext,
  type Tables,
  type tableDefinitions,
} from "./tables.ts";

/** Address space reserved at start, in bytes. The file is only as long as its content, and the map can grow. */
const mapBytes = 16 * 2 ** 30;

const instanceIdChars = 22;

export type Db = Tables & {
  /**
   * Commits all changes of the action or none; they are on disk when the promise resolves. The action must be synchronous.
   * @throws DataDirError when the disk is full; any error of the action, after rolling back.
   */
  write<T>(action: () => T): Promise<T>;
  /** Next number of a counter; only within `write`. */
  next(counter: Counter): number;
  readonly clock: Clock;
  readonly health: StoreHealth;
  /** Removes what belongs to an account or a site, by the definitions of the tables; only within `write`. */
  removeRows(kind: "ofAccount" | "ofSite", owner: Owner, only?: readonly (keyof typeof tableDefinitions)[]): void;
  readonly cacheReads: ReadCaches["cacheReads"];
  close(): Promise<void>;
};

export interface DatabaseOptions extends Pick<StoreOptions, "aroundWrite" | "clock" | "lock" | "noSync" | "onUnreadable"> {
  readonly readOnly: boolean;
}

/** @throws DataDirError */
export function openDatabase(dataDir: string, options: DatabaseOptions): Db {
  const { readOnly, noSync = false, lock, clock = systemClock, onUnreadable, aroundWrite = (write) => write() } = options;
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
    return openEnvironment(path, { mapSize: mapBytes, readOnly, noSync }, withTables);
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }

  function withTables({ root, commit, close }: OpenedStore): Db {
    // One transaction creates all tables: one for each would flush to the disk fifty times.
    const open = () => openVersion(dataDir, readOnly, { root, context: { report, asFault } });
    const { meta, tables, storedVersion } = readOnly ? open() : root.transactionSync(open);
    if (storedVersion < schemaVersion) migrateStore(dataDir, lock, { root, meta, context: { report, asFault, migrates: true } });
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
          const value = await aroundWrite(() => commits.write(action));
          health.noteChange();
          return value;
        } catch (error) {
          throw asFault(error);
        }
      },
      next: (counter) => {
        const last = meta.get(counter);
        // A counter that starts again would give numbers of other rows.
        if (last === undefined && meta.doesExist(counter))
          throw damagedDataDir(`data directory ${dataDir} has lost its counter ${counter}`);
        const number = (last ?? 0) + 1;
        meta.put(counter, number);
        return number;
      },
      removeRows: (kind, owner, only) => removeOwnedRows(tables, kind, owner, only),
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
  if (hasRenamedTable(root)) throw damagedDataDir(`${storeFileOf(dataDir)} has lost a table`);
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
    const oldTable = <V, K extends TableKey>(name: string) => openFormatted(root, name, context) as unknown as RowTable<V, K>;
    const migrate = migration({ ...tables, oldTable }, from);
    root.transactionSync(() => {
      migrate();
      tables.meta.put("schemaVersion", schemaVersion);
    });
  } finally {
    if (held !== lock) held.release();
  }
}

/** Gives an id to a store that is new, of an older release, or has lost its own. For a store that is open for writing. */
function putInstanceIfMissing(root: RootDatabase, { instance, clock }: Pick<Db, "instance" | "clock">): void {
  if (instanceOf({ instance }) !== "") return;
  root.transactionSync(() => {
    // Read again: another process may have been faster.
    if (instanceOf({ instance }) === "") instance.put("id", randomBase62(clock, instanceIdChars));
  });
}

/** Random id of the store, of letters and digits. Empty if a store that is open for reading only has lost it. */
export function instanceOf(db: Pick<Db, "instance">): string {
  return db.instance.get("id") ?? "";
}
