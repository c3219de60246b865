/** Caches of reads that every committed change empties, also a change of another process. */
import type { Clock } from "../base/clock.ts";

/** A turn of the event loop can be long: a change of another process in the middle of it is then seen too. */
const checkedMsMax = 2;
/** Per cache. The cache is emptied beyond it. */
const entriesMax = 1_000;

export interface ReadCaches {
  /**
   * Returns a function that answers like `read`, from memory while nothing was committed since. Undefined is never cached.
   * Not within a transaction, where `read` could return what is rolled back.
   */
  readonly cacheReads: <K extends string | number, V extends {}>(read: (key: K) => V | undefined) => (key: K) => V | undefined;
  /** Call after each commit of this process. */
  expire(): void;
}

/**
 * `readChanges` returns a number that every committed transaction changes, from a new snapshot. It is read once in a turn of the event
 * loop, and again after `checkedMsMax`: what another process commits before it sends a request is then seen by that request.
 */
export function createReadCaches(clock: Pick<Clock, "monotonicMs">, readChanges: () => number): ReadCaches {
  let changes = Number.NaN;
  let checked = false;
  let checkedAtMs = 0;
  const expire = () => {
    checked = false;
  };
  return { cacheReads, expire };

  function cacheReads<K, V extends {}>(read: (key: K) => V | undefined): (key: K) => V | undefined {
    const entries = new Map<K, V>();
    let emptiedAt = Number.NaN;
    return (key) => {
      check();
      if (emptiedAt !== changes) {
        entries.clear();
        emptiedAt = changes;
      }
      const known = entries.get(key);
      if (known !== undefined) return known;
      const value = read(key);
      if (value === undefined) return undefined;
      if (entries.size >= entriesMax) entries.clear();
      entries.set(key, value);
      return value;
    };
  }

  function check(): void {
    const nowMs = clock.monotonicMs();
    if (checked && nowMs - checkedAtMs < checkedMsMax) return;
    checked = true;
    checkedAtMs = nowMs;
    // Runs before the next requests are read from their sockets.
    setImmediate(expire);
    changes = readChanges();
  }
}
