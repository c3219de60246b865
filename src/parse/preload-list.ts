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
  return { bytes: new TextEncoder().encode(sorted.map((row) => `${row}\n`).join("")) };
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
  const key = new TextEncoder().encode(`${name}\t`);
  let [from, to] = [0, bytes.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const start = middle === from ? from : Math.max(from, bytes.lastIndexOf(lineFeed, middle - 1) + 1);
    const order = Buffer.compare(bytes.subarray(start, start + key.length), key);
    if (order === 0) return bytes[start + key.length] === one;
    if (order > 0) to = start;
    else from = bytes.indexOf(lineFeed, start) + 1;
  }
  return null;
}
