/** HSTS preload list as sorted lines of bytes: as strings, its names would take several times the memory in each thread. */

/** Lines of a name, a tab, and `1` where the entry covers subdomains, else `0`. */
export interface PreloadLines {
  /** ASCII, sorted by bytes. A line feed ends each line. */
  readonly bytes: Uint8Array;
}

export interface PreloadCoverage {
  readonly host: boolean;
  /** Whether names below the host are covered too. */
  readonly subdomains: boolean;
}

const entryPattern = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\t[01]$/;
/** Characters of a DNS name (RFC 1035 section 2.3.4), without the final dot. */
const nameCharsMax = 253;
const encoder = new TextEncoder();
const lineFeed = 0x0a;
const one = 0x31;

/** Sorts the lines and removes repeated ones. The fault names the first line that is not an entry. */
export function parsePreloadList(text: string): PreloadLines | { readonly fault: string } {
  const rows = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const at = rows.findIndex((row) => row.length > nameCharsMax + "\t1".length || !entryPattern.test(row));
  if (at !== -1) return { fault: `line ${at + 1} is not a lower-case name, a tab, and 0 or 1` };
  const sorted = [...new Set(rows)].sort();
  const repeated = sorted.find((row, index) => row.slice(0, -1) === sorted[index + 1]?.slice(0, -1));
  if (repeated !== undefined) return { fault: `${repeated.slice(0, -2)} has both 0 and 1` };
  return { bytes: encoder.encode(sorted.map((row) => `${row}\n`).join("")) };
}

/** The most specific entry decides, as in Chromium: an entry without subdomains ends the coverage by an entry above it. */
export function preloadCoverage(list: PreloadLines, host: string): PreloadCoverage {
  const name = host.replace(/\.$/, "");
  if (name.length > nameCharsMax) return { host: false, subdomains: false };
  const own = coversSubdomains(list, name);
  if (own !== null) return { host: true, subdomains: own };
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const covered = coversSubdomains(list, name.slice(dot + 1));
    if (covered !== null) return { host: covered, subdomains: covered };
  }
  return { host: false, subdomains: false };
}

/** Binary search for the entry of exactly this name; null without one. */
function coversSubdomains({ bytes }: PreloadLines, name: string): boolean | null {
  const key = encoder.encode(`${name}\t`);
  let [from, to] = [0, bytes.length];
  while (from < to) {
    let start = (from + to) >>> 1;
    while (start > from && bytes[start - 1] !== lineFeed) start--;
    const order = orderOf(bytes, start, key);
    if (order === 0) return bytes[start + key.length] === one;
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
