/** LRU caches that allocate memory only for their entries. */
import { LRUCache } from "lru-cache";

/**
 * LRU cache of at most `entriesMax` entries. The option `max` of the package would allocate all of them at once: a dozen caches of 20,000
 * entries took 6 MB of an idle server.
 */
export function createLruCache<V extends {}>(entriesMax: number): LRUCache<string, V> {
  return new LRUCache<string, V>({ maxSize: entriesMax, sizeCalculation: () => 1 });
}

/** LRU cache of at most `bytesMax` bytes by `bytesOf`, at least 1 for each entry. A larger entry is not kept. */
export function createLruByteCache<V extends {}>(bytesMax: number, bytesOf: (value: V, key: string) => number): LRUCache<string, V> {
  return new LRUCache<string, V>({ maxSize: bytesMax, sizeCalculation: bytesOf });
}
