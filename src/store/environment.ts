/**
 * Opening of LMDB beside other processes. Every process opens the store while no other one commits.
 *
 * `mdb_env_open2` of lmdb 3.5.6 reads the number of the newest transaction from the file. Later it writes that number where all processes
 * read it. A commit in between would be forgotten, and the next one would replace it. Openings for reading do the same.
 */
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from "lmdb";
import { openFolderLock } from "../base/file-lock.ts";

type EnvironmentOptions = Pick<RootDatabaseOptionsWithPath, "maxDbs" | "mapSize" | "readOnly" | "noSync">;

export interface OpenedStore {
  readonly root: RootDatabase;
  /** Runs a transaction while no other process opens the store. Not within another one. */
  commit<T>(transaction: () => T): T;
  close(): Promise<void>;
}

/**
 * The folder must exist. `prepare` may write: no other process opens the store meanwhile.
 * @throws the error of LMDB, of the file system, or of `prepare`
 */
export function openEnvironment<T>(path: string, options: EnvironmentOptions, prepare: (environment: OpenedStore) => T): T {
  const lock = openFolderLock(path);
  let root: RootDatabase | undefined;
  try {
    return lock.exclusive(() => {
      const opened = open({ path, ...options });
      root = opened;
      return prepare({ root: opened, commit: lock.shared, close: () => opened.close().finally(lock.close) });
    });
  } catch (error) {
    // An environment that stays open would be given to the next opening of this process, read-only as it is.
    void root?.close();
    lock.close();
    throw error;
  }
}
