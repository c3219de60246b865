/** Sorted lines of a name, a tab and one character, as bytes: as strings, the names would take several times the memory in each thread. */

export interface SortedLines {
  /** ASCII, sorted by bytes. A line feed ends each line. */
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();
const lineFeed = 0x0a;

/** Expects ASCII names without tab and line feed, each once, and one ASCII character for each. */
export function sortedLines(entries: Iterable<readonly [name: string, character: string]>): SortedLines {
  const lines = Array.from(entries, ([name, character]) => `${name}\t${character}\n`).sort();
  return { bytes: encoder.encode(lines.join("")) };
}

/** Binary search for the line of exactly this name: the code of its character; null without such a line. */
export function characterOf({ bytes }: SortedLines, name: string): number | null {
  const key = encoder.encode(`${name}\t`);
  let [from, to] = [0, bytes.length];
  while (from < to) {
    let start = (from + to) >>> 1;
    while (start > from && bytes[start - 1] !== lineFeed) start--;
    const order = orderOf(bytes, start, key);
    if (order === 0) return bytes[start + key.length] ?? null;
    if (order > 0) to = start;
    else {
      from = start;
      while (from < to && bytes[from] !== lineFeed) from++;
      from++;
    }
  }
  return null;
}

/** Negative if the line at `start` sorts before the key, 0 if it begins with the key. */
function orderOf(bytes: Uint8Array, start: number, key: Uint8Array): number {
  for (let at = 0; at < key.length; at++) {
    const difference = (bytes[start + at] ?? 0) - (key[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
