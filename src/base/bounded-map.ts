/** Keeps what is remembered in memory within a bound, whoever fills it. */

/** Sets an entry as the youngest of a map that holds at most `entriesMax`: beyond them, the one that was set longest ago is forgotten. */
export function setYoungest<K, V>(map: Map<K, V>, key: K, value: V, entriesMax: number): void {
  // Deleted first, so that insertion order is age.
  map.delete(key);
  const [oldest] = map.size >= entriesMax ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
