/** Public suffix list in the format of publicsuffix.org, and its algorithm (https://github.com/publicsuffix/list/wiki/Format). */
import { domainToASCII } from "node:url";
import { parseInternetDate } from "./internet-date.ts";
import { characterOf, type SortedLines, sortedLines } from "./sorted-lines.ts";

export interface PublicSuffixes extends SortedLines {
  /** Rules of both sections. */
  readonly rules: number;
  /** Day of the comment `VERSION: `, `YYYY-MM-DD`; null without one. */
  readonly versionDate: string | null;
}

/** Parts of a host name by the list. */
export interface HostParts {
  /** Lower case, ASCII, without trailing dot; null for an address and for what is no host name, as are all other parts then. */
  readonly hostname: string | null;
  /** Without a rule for it, the last label. */
  readonly publicSuffix: string | null;
  /** The suffix with one more label; null for a name that is a suffix itself. */
  readonly domain: string | null;
  /** Section of the rule that decided. Both are false without a rule. */
  readonly isIcann: boolean;
  readonly isPrivate: boolean;
}

type Section = "ICANN" | "PRIVATE";

/** Kinds of rules of a name, as bits: those of the section PRIVATE are the next higher ones. */
const kindBits = { plain: 0b000001, wildcard: 0b000100, exception: 0b010000 } as const;
type Kind = keyof typeof kindBits;
const sectionShift: Readonly<Record<Section, number>> = { ICANN: 0, PRIVATE: 1 };
/** The bits are stored as one character from `@` on. */
const firstCharacter = 0x40;

/** Characters of a DNS name (RFC 1035 section 2.3.4), without the final dot. */
const nameCharsMax = 253;
/** Characters of a name before its conversion to ASCII, which may remove some of them. */
const unicodeCharsMax = 4 * nameCharsMax;
const namePattern = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const onlyAscii = /^[\x20-\x7e]*$/;
const markerPattern = /^\/\/ ===(BEGIN|END) (ICANN|PRIVATE) DOMAINS===/;
const versionPattern = /^\/\/ VERSION: (\d{4}-\d\d-\d\d)/;

/** The fault names the first line that is no rule, or the marker that is missing: a file that was cut must not pass. */
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

/** Lower case; null for what is no host name. */
function asciiName(text: string): string | null {
  if (text.length > unicodeCharsMax) return null;
  const name = onlyAscii.test(text) ? text.toLowerCase() : domainToASCII(text);
  return name.length <= nameCharsMax && namePattern.test(name) ? name : null;
}

/** Without `privateToo`, rules of the section PRIVATE do not count. */
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
    // A wildcard rule counts for the name below which it stands too, as in browsers.
    const bits = ((found[at] ?? 0) & (either("plain") | either("wildcard"))) | ((found[at + 1] ?? 0) & either("wildcard"));
    if (bits !== 0) return { at, bits };
  }
  return { at: labels.length - 1, bits: 0 };
}

function bitsIn(list: SortedLines, name: string): number {
  return (characterOf(list, name) ?? firstCharacter) - firstCharacter;
}
