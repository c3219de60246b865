/** HSTS preload list: names, each with whether its subdomains are covered. */
import { characterOf, type SortedLines, sortedLines } from "./sorted-lines.ts";

/** Lines of a name, a tab, and `1` where the entry covers subdomains, else `0`. */
export type PreloadLines = SortedLines;

export interface PreloadCoverage {
  readonly host: boolean;
  /** Whether names below the host are covered too. */
  readonly subdomains: boolean;
}

const entryPattern = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\t[01]$/;
/** Characters of a DNS name (RFC 1035 section 2.3.4), without the final dot. */
const nameCharsMax = 253;
const one = 0x31;

/** Sorts the lines and removes repeated ones. The fault names the first line that is not an entry. */
export function parsePreloadList(text: string): PreloadLines | { readonly fault: string } {
  const rows = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const at = rows.findIndex((row) => row.length > nameCharsMax + "\t1".length || !entryPattern.test(row));
  if (at !== -1) return { fault: `line ${at + 1} is not a lower-case name, a tab, and 0 or 1` };
  const entries = new Map<string, string>();
  for (const row of rows) {
    const [name = "", subdomains = ""] = row.split("\t");
    if ((entries.get(name) ?? subdomains) !== subdomains) return { fault: `${name} has both 0 and 1` };
    entries.set(name, subdomains);
  }
  return sortedLines(entries);
}

/** The most specific entry decides, as in Chromium: an entry without subdomains ends the coverage by an entry above it. */
export function preloadCoverage(list: PreloadLines, host: string): PreloadCoverage {
  const name = host.replace(/\.$/, "");
  if (name.length > nameCharsMax) return { host: false, subdomains: false };
  const own = characterOf(list, name);
  if (own !== null) return { host: true, subdomains: own === one };
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const above = characterOf(list, name.slice(dot + 1));
    if (above !== null) return { host: above === one, subdomains: above === one };
  }
  return { host: false, subdomains: false };
}
