/**
 * Opening of LMDB beside other processes. Every process opens the store while no other one commits.
 *
 * `mdb_env_open2` of lmdb 3.5.6 reads the number of the newest transaction from the file. Later it writes that number where all processes
 * read it. A commit in between would be forgotten, and the next one would replace it. Openings for reading do the same.
 */
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from "lmdb";
import { openFolderLock } from "../base/file-lock.ts";

/** lmdb-js allows 12 tables by default and refuses any further one. */
export const tablesMax = 64;

type EnvironmentOptions = Pick<RootDatabaseOptionsWithPath, "mapSize" | "readOnly" | "noSync">;

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
      const opened = open({ path, maxDbs: tablesMax, ...options });
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

/** Opens the environment without its tables. */
export function openUnprepared(path: string, options: EnvironmentOptions): OpenedStore {
  return openEnvironment(path, options, (environment) => environment);
}

export const byteEncoding = { encoding: "binary", keyEncoding: "binary" } as const;
/** A table without decoding. */
export type ByteTable = Database<Buffer, Buffer>;

/** Undefined for a table that an older store does not have: it is not created. */
export function openByteTable(root: RootDatabase, name: string): ByteTable | undefined {
  const options = { name, ...byteEncoding, create: false };
  return root.openDB(options);
}

interface CommitHooks {
  /** Runs each transaction. */
  readonly commit: <T>(transaction: () => T) => T;
  /** Runs within each transaction, after its actions. */
  readonly beforeCommit: () => void;
  readonly afterCommit: () => void;
}

/** `run` executes the action; it returns how to answer once the transaction is on disk. */
interface Waiting {
  readonly run: (nested: boolean) => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: write actions that arrive together share one transaction, and so one flush to disk. Requests that arrive during a flush wait
 * in their sockets and share the next one. The transactions are synchronous. The asynchronous ones of lmdb-js keep the puts of an action that
 * throws, and a full disk leaves rejections that cannot be caught.
 */
export function createGroupCommit(root: Pick<RootDatabase, "transactionSync">, { commit, beforeCommit, afterCommit }: CommitHooks) {
  let waiting: Waiting[] = [];
  return { write, flush };

  /**
   * Runs the action in the transaction of the current turn of the event loop, in the order of the calls. Resolves when it is on disk.
   * An action that throws is rolled back alone. The action must be synchronous.
   * @throws Error of the action; any error of LMDB that keeps the transaction from the disk, for every action in it.
   */
  function write<T>(action: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (nested: boolean) => {
        let value: T;
        // Without a result: lmdb-js waits for a promise, and `put` returns one.
        const act = () => {
          value = action();
        };
        try {
          // Within a transaction, LMDB runs this one as a child transaction.
          if (nested) root.transactionSync(act);
          else act();
          return () => resolve(value);
        } catch (error) {
          if (!nested) throw error;
          return () => reject(error);
        }
      };
      waiting.push({ run, reject });
      // Runs after the handlers of all requests that have already arrived.
      if (waiting.length === 1) setImmediate(flush);
    });
  }

  /** Commits what waits. */
  function flush(): void {
    const group = waiting;
    if (group.length === 0) return;
    waiting = [];
    try {
      // An action alone needs no child transaction: its error rolls back everything.
      const answers = commit(() =>
        root.transactionSync(() => {
          const ran = group.map(({ run }) => run(group.length > 1));
          beforeCommit();
          return ran;
        }),
      );
      afterCommit();
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
