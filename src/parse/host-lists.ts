/** Lists of host names: the public suffix list and the HSTS preload list. */
import { domainToASCII } from "node:url";
import { dnsNameCharsMax } from "../evidence/limits.ts";
import { parseInternetDate } from "./internet-date.ts";

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

// Public suffix list in the format of publicsuffix.org, and its algorithm (https://github.com/publicsuffix/list/wiki/Format).

export interface PublicSuffixes extends SortedLines {
  /** Rules of both sections. */
  readonly rules: number;
  /** Day of the comment `VERSION: `, `YYYY-MM-DD`; null without one. */
  readonly versionDate: string | null;
}

/** Parts of a host name by the list. */
export interface HostParts {
  /** Lower case, ASCII, without trailing dot. Null for addresses and invalid names; all other parts are null too. */
  readonly hostname: string | null;
  /** Public suffix of the name; the last label if no rule matches. */
  readonly publicSuffix: string | null;
  /** The suffix with one more label; null if the name is itself a suffix. */
  readonly domain: string | null;
  /** Section of the rule that decided. Both are false without a rule. */
  readonly isIcann: boolean;
  readonly isPrivate: boolean;
}

type Section = "ICANN" | "PRIVATE";

/** Bits for the kinds of rules of a name. The section PRIVATE uses the next higher bit of each kind. */
const kindBits = { plain: 0b000001, wildcard: 0b000100, exception: 0b010000 } as const;
type Kind = keyof typeof kindBits;
const sectionShift: Readonly<Record<Section, number>> = { ICANN: 0, PRIVATE: 1 };
/** The bits are stored as one character from `@` on. */
const firstCharacter = 0x40;

/** Characters of a name before its conversion to ASCII, which may remove some of them. */
const unicodeCharsMax = 4 * dnsNameCharsMax;
const namePattern = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const onlyAscii = /^[\x20-\x7e]*$/;
const markerPattern = /^\/\/ ===(BEGIN|END) (ICANN|PRIVATE) DOMAINS===/;
const versionPattern = /^\/\/ VERSION: (\d{4}-\d\d-\d\d)/;

/** The fault names the first invalid line or the missing marker, so that a cut file is refused. */
export function parsePublicSuffixes(text: string): PublicSuffixes | { readonly fault: string } {
  const bitsOf = new Map<string, number>();
  const ended = new Set<Section>();
  let section: Section | null = null;
  let rules = 0;
  let versionDate: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const content = line.trim();
    const marker = markerPattern.exec(content);
    if (marker !== null) {
      const named = marker[2] as Section;
      if (marker[1] === "END" ? section !== named : section !== null || ended.has(named))
        return { fault: `line ${index + 1}: ${misplaced}` };
      if (marker[1] === "END") ended.add(named);
      section = marker[1] === "BEGIN" ? named : null;
    } else if (content.startsWith("//")) versionDate ??= dayIn(content);
    else if (content !== "") {
      const rule = ruleIn(content);
      if (rule === null) return { fault: `line ${index + 1} is no rule` };
      if (section === null) return { fault: `line ${index + 1}: the rule is in no section` };
      bitsOf.set(rule.name, (bitsOf.get(rule.name) ?? 0) | (kindBits[rule.kind] << sectionShift[section]));
      rules += 1;
    }
  }
  if (!ended.has("ICANN") || section !== null) return { fault: `it has no line // ===END ${section ?? "ICANN"} DOMAINS===` };
  if (rules === 0) return { fault: "it has no rule" };
  const entries = Array.from(bitsOf, ([name, bits]) => [name, String.fromCharCode(firstCharacter + bits)] as const);
  return { ...sortedLines(entries), rules, versionDate };
}

const misplaced = "the marker of a section is out of place";

function dayIn(comment: string): string | null {
  const day = versionPattern.exec(comment)?.[1];
  return day === undefined || parseInternetDate(`${day}T00:00:00Z`) === null ? null : day;
}

/** A rule ends at the first space. Wildcards are taken as the first label only, and exceptions with a parent only. */
function ruleIn(content: string): { readonly name: string; readonly kind: Kind } | null {
  const [rule = ""] = content.split(/\s/, 1);
  const kind: Kind = rule.startsWith("!") ? "exception" : rule.startsWith("*.") ? "wildcard" : "plain";
  const name = asciiName(rule.replace(/^(?:!|\*\.)/, ""));
  return name === null || (kind === "exception" && !name.includes(".")) ? null : { name, kind };
}

/** Lower-case ASCII form of a host name; null if it is invalid. */
function asciiName(text: string): string | null {
  if (text.length > unicodeCharsMax) return null;
  const name = onlyAscii.test(text) ? text.toLowerCase() : domainToASCII(text);
  return name.length <= dnsNameCharsMax && namePattern.test(name) ? name : null;
}

/** Parts of a host name. Rules of the section PRIVATE count only with `privateToo`. */
export function hostPartsIn(list: SortedLines, host: string, privateToo: boolean): HostParts {
  const hostname = asciiName(host.replace(/\.$/, ""));
  // URL standard, "ends in a number": such a host is an IPv4 address.
  if (hostname === null || /(?:^|\.)\d+$/.test(hostname))
    return { hostname: null, publicSuffix: null, domain: null, isIcann: false, isPrivate: false };
  const labels = hostname.split(".");
  const { at, bits } = suffixOf(list, labels, privateToo);
  return {
    hostname,
    publicSuffix: labels.slice(at).join("."),
    domain: at === 0 ? null : labels.slice(at - 1).join("."),
    isIcann: (bits & icannBits) !== 0,
    isPrivate: (bits & privateBits) !== 0,
  };
}

const icannBits = kindBits.plain | kindBits.wildcard | kindBits.exception;
const privateBits = icannBits << sectionShift.PRIVATE;

/** Index of the first label of the suffix, and the bits of the rule that decided; 0 without a rule. */
function suffixOf(list: SortedLines, labels: readonly string[], privateToo: boolean): { readonly at: number; readonly bits: number } {
  const counted = privateToo ? icannBits | privateBits : icannBits;
  const found = labels.map((_label, at) => bitsIn(list, labels.slice(at).join(".")) & counted);
  const either = (kind: Kind) => kindBits[kind] | (kindBits[kind] << sectionShift.PRIVATE);
  const excepted = found.findIndex((bits) => (bits & either("exception")) !== 0);
  if (excepted !== -1) return { at: excepted + 1, bits: (found[excepted] ?? 0) & either("exception") };
  for (const at of found.keys()) {
    // As in browsers, the rule `*.name` also makes `name` a suffix.
    const bits = ((found[at] ?? 0) & (either("plain") | either("wildcard"))) | ((found[at + 1] ?? 0) & either("wildcard"));
    if (bits !== 0) return { at, bits };
  }
  return { at: labels.length - 1, bits: 0 };
}

function bitsIn(list: SortedLines, name: string): number {
  return (characterOf(list, name) ?? firstCharacter) - firstCharacter;
}

// HSTS preload list: names, each with whether its subdomains are covered.

/** Lines of a name, a tab, and `1` where the entry covers subdomains, else `0`. */
export type PreloadLines = SortedLines;

interface PreloadCoverage {
  readonly host: boolean;
  /** True if names below the host are covered too. */
  readonly subdomains: boolean;
}

const entryPattern = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\t[01]$/;
const one = 0x31;

/** Sorts the lines and removes repeated ones. The fault names the first line that is not an entry. */
export function parsePreloadList(text: string): PreloadLines | { readonly fault: string } {
  const rows = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const at = rows.findIndex((row) => row.length > dnsNameCharsMax + "\t1".length || !entryPattern.test(row));
  if (at !== -1) return { fault: `line ${at + 1} is not a lower-case name, a tab, and 0 or 1` };
  const entries = new Map<string, string>();
  for (const row of rows) {
    const [name = "", subdomains = ""] = row.split("\t");
    if ((entries.get(name) ?? subdomains) !== subdomains) return { fault: `${name} has both 0 and 1` };
    entries.set(name, subdomains);
  }
  return sortedLines(entries);
}

/** Coverage of a host. As in Chromium, the most specific entry decides, even if it excludes subdomains. */
export function preloadCoverage(list: PreloadLines, host: string): PreloadCoverage {
  const name = host.replace(/\.$/, "");
  if (name.length > dnsNameCharsMax) return { host: false, subdomains: false };
  const own = characterOf(list, name);
  if (own !== null) return { host: true, subdomains: own === one };
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const above = characterOf(list, name.slice(dot + 1));
    if (above !== null) return { host: above === one, subdomains: above === one };
  }
  return { host: false, subdomains: false };
}
