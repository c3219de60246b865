/** Parses SPF records into terms and defects, and expands their macros: RFC 7208 sections 4.5, 4.6, 7 and 12. */
import ipaddr from "ipaddr.js";
import { dnsNameCharsMax } from "../../evidence/limits.ts";
import { dnsLabelCharsMax, fitsDns } from "../dns.ts";

/** Macro values that are known without a mail. */
export interface SpfScope {
  /** `d`: domain that publishes the current record. */
  readonly domain: string;
  /** `o`: domain of the sender's address, where the evaluation started. */
  readonly senderDomain: string;
}

interface MacroExpand {
  /** Lower case. */
  readonly letter: string;
  /** True for an upper-case letter, which requests URL escaping. */
  readonly escaped: boolean;
  /** Number of right-hand parts to keep; null for all. */
  readonly parts: number | null;
  readonly reversed: boolean;
  readonly delimiters: string;
}

/** `%%`, `%_` or `%-`: an escaped character. */
interface MacroEscape {
  readonly literal: string;
}

/** Plain text, or a macro or escape after a percent sign. */
type MacroPart = string | MacroExpand | MacroEscape;

/** `%{`, a letter, digits, `r`, delimiters, `}`. */
const expandPattern = /^([slodiphv])(\d{0,3})(r?)([-.+,/_=]*)$/i;
const escapes: Readonly<Record<string, MacroEscape>> = { "%": { literal: "%" }, _: { literal: " " }, "-": { literal: "%20" } };
/** Letters whose value does not depend on the mail. */
const knownLetters = "do";

/** Parts of a macro-string; null for a stray percent sign, an unknown letter, a blank or non-ASCII text. */
function macroParts(text: string): readonly MacroPart[] | null {
  if (!/^[\x21-\x7e]*$/.test(text)) return null;
  const parts: MacroPart[] = [];
  let at = 0;
  while (at < text.length) {
    const percentAt = text.indexOf("%", at);
    if (percentAt > at || percentAt < 0) parts.push(text.slice(at, percentAt < 0 ? text.length : percentAt));
    if (percentAt < 0) break;
    const sign = text[percentAt + 1] ?? "";
    const sole = escapes[sign];
    const endAt = sole === undefined ? text.indexOf("}", percentAt) : percentAt + 1;
    const part = sole ?? (sign === "{" && endAt > 0 ? macroExpand(text.slice(percentAt + 2, endAt)) : null);
    if (part === null) return null;
    parts.push(part);
    at = endAt + 1;
  }
  return parts;
}

function macroExpand(text: string): MacroExpand | null {
  const [matched, letter = "", digits = "", reverse = "", delimiters = ""] = expandPattern.exec(text) ?? [];
  // RFC 7208 section 7.3: the number of parts must not be zero.
  if (matched === undefined || (digits !== "" && Number(digits) === 0)) return null;
  return {
    letter: letter.toLowerCase(),
    escaped: letter !== letter.toLowerCase(),
    parts: digits === "" ? null : Number(digits),
    reversed: reverse !== "",
    delimiters: delimiters === "" ? "." : delimiters,
  };
}

/** True for a macro-string, the required form of unknown modifiers. */
export function isSpfMacroString(text: string): boolean {
  return macroParts(text) !== null;
}

/** RFC 7208 section 7.1: it must end in a macro, or in a dot and a valid top-level label. Without macros it must fit DNS. */
export function spfDomainDefect(text: string): "bad-macro" | "bad-domain" | null {
  const parts = macroParts(text);
  if (parts === null) return text.includes("%") && /^[\x21-\x7e]*$/.test(text) ? "bad-macro" : "bad-domain";
  const end = parts.at(-1) ?? "";
  if (typeof end !== "string") return null;
  return endsInTopLabel(end) && (parts.length > 1 || fitsDns(text.replace(/\.$/, ""))) ? null : "bad-domain";
}

/** `toplabel`: letters, digits and inner hyphens, but not only digits. */
function endsInTopLabel(text: string): boolean {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  const dotAt = bare.lastIndexOf(".");
  const label = bare.slice(dotAt + 1);
  return dotAt >= 0 && label.length <= dnsLabelCharsMax && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label) && /[a-z-]/i.test(label);
}

/** Lower case, without a trailing dot. Null if it depends on the mail (address, local part or host), or does not fit DNS. */
export function expandSpfDomain(text: string, scope: SpfScope): string | null {
  const parts = macroParts(text);
  if (parts === null) return null;
  let name = "";
  for (const part of parts) {
    if (typeof part === "string") name += part;
    else if ("literal" in part) name += part.literal;
    else if (knownLetters.includes(part.letter)) name += expanded(part, part.letter === "d" ? scope.domain : scope.senderDomain);
    else return null;
  }
  const fitting = withinLength(name.toLowerCase().replace(/\.$/, ""));
  return fitsDns(fitting) ? fitting : null;
}

function expanded({ escaped, parts, reversed, delimiters }: MacroExpand, value: string): string {
  const all = value.split(new RegExp(`[${delimiters.replaceAll(/[-/]/g, "\\$&")}]`));
  const ordered = reversed ? all.reverse() : all;
  const kept = ordered.slice(parts === null ? 0 : Math.max(0, ordered.length - parts)).join(".");
  return escaped ? encodeURIComponent(kept.toWellFormed()) : kept;
}

/** RFC 7208 section 7.3: labels are dropped from the left until the name fits. */
function withinLength(name: string): string {
  if (name.length <= dnsNameCharsMax) return name;
  const dotAt = name.indexOf(".", name.length - dnsNameCharsMax - 1);
  return dotAt < 0 ? name : name.slice(dotAt + 1);
}

type SpfQualifier = "+" | "-" | "~" | "?";
type SpfMechanismName = "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists";

export interface SpfPrefixes {
  readonly ip4: number;
  readonly ip6: number;
}

export interface SpfMechanism {
  readonly name: SpfMechanismName;
  readonly qualifier: SpfQualifier;
  /** As written, with macros; null if the mechanism uses the current domain or an address. */
  readonly domain: string | null;
  /** As written; null if the mechanism is neither `ip4` nor `ip6`. */
  readonly address: string | null;
  /** Lengths of the prefixes that an address must share with the sender's, by family. */
  readonly prefixes: SpfPrefixes;
  /** The term as written. */
  readonly text: string;
}

/**
 * `unknown-mechanism`: neither a mechanism of RFC 7208 nor a modifier. `bad-address`: not an address of that family, or an invalid prefix
 * length. `bad-domain`: a name is missing or invalid. `bad-macro`: a percent sign without a valid macro. `bad-argument`: the mechanism does
 * not accept this argument. `repeated-modifier`: redirect or exp occurs twice.
 */
export type SpfDefectKind = "unknown-mechanism" | "bad-address" | "bad-domain" | "bad-macro" | "bad-argument" | "repeated-modifier";

interface SpfDefect {
  readonly kind: SpfDefectKind;
  /** The term as written. */
  readonly text: string;
}

export interface SpfRecord {
  /** Valid mechanisms in order. */
  readonly mechanisms: readonly SpfMechanism[];
  /** Target for mail that matches no mechanism, as written; the first if repeated. */
  readonly redirect: { readonly domain: string; readonly text: string } | null;
  /** A single defect invalidates the complete record (RFC 7208 section 4.6). */
  readonly defects: readonly SpfDefect[];
}

/** RFC 7208 section 4.5: a space or the end of the text follows the version. */
const versionPattern = /^v=spf1(?: |$)/i;
const termPattern = /^([-+~?]?)([a-z][a-z0-9._-]*)(.*)$/is;
/** Prefix length without leading zeros (RFC 7208 section 5.6). */
const prefixPattern = /^(?:0|[1-9]\d{0,2})$/;
const bytePattern = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const ip4Pattern = new RegExp(`^${bytePattern}(?:\\.${bytePattern}){3}$`);
const bits: SpfPrefixes = { ip4: 32, ip6: 128 };

/** Parsed record; null for a text that is not an SPF record and is ignored by receivers. */
export function parseSpf(text: string): SpfRecord | null {
  const version = versionPattern.exec(text);
  if (version === null) return null;
  const mechanisms: SpfMechanism[] = [];
  const modifiers = new Map<string, { readonly domain: string; readonly text: string }>();
  const defects: SpfDefect[] = [];
  for (const term of text.slice(version[0].length).split(" ")) {
    if (term === "") continue;
    const read = readTerm(term);
    if ("kind" in read) defects.push(read);
    else if ("qualifier" in read) mechanisms.push(read);
    else if (read.name !== null && modifiers.has(read.name)) defects.push({ kind: "repeated-modifier", text: term });
    else if (read.name !== null) modifiers.set(read.name, { domain: read.domain, text: term });
  }
  return { mechanisms, redirect: modifiers.get("redirect") ?? null, defects };
}

/** True for a text that looks like an SPF record with an invalid version: `v=spf10`, `v=spf1;`, `spf1 -all`. */
export function isMisspeltSpf(text: string): boolean {
  return !versionPattern.test(text) && /^["' \t]*(?:v *= *)?spf-?1/i.test(text);
}

interface Modifier {
  /** Lower case; null for a modifier that RFC 7208 does not define. */
  readonly name: "redirect" | "exp" | null;
  readonly domain: string;
}

function readTerm(text: string): SpfMechanism | Modifier | SpfDefect {
  const [, sign = "", word = "", rest = ""] = termPattern.exec(text) ?? [];
  const name = word.toLowerCase();
  if (rest.startsWith("=") && sign === "") return readModifier(name, rest.slice(1), text);
  const reader = Object.hasOwn(argumentReaders, name) ? argumentReaders[name as SpfMechanismName] : undefined;
  if (reader === undefined || (rest !== "" && rest[0] !== ":" && rest[0] !== "/")) return { kind: "unknown-mechanism", text };
  const argument = reader(rest);
  if (typeof argument === "string") return { kind: argument, text };
  return { name: name as SpfMechanismName, qualifier: (sign || "+") as SpfQualifier, ...argument, text };
}

function readModifier(name: string, value: string, text: string): Modifier | SpfDefect {
  if (name !== "redirect" && name !== "exp") return isSpfMacroString(value) ? { name: null, domain: "" } : { kind: "bad-macro", text };
  const defect = spfDomainDefect(value);
  return defect === null ? { name, domain: value } : { kind: defect, text };
}

type Argument = Pick<SpfMechanism, "domain" | "address" | "prefixes">;
/** Parses the text after a mechanism's name, including its colon or slash. */
type ArgumentReader = (rest: string) => Argument | SpfDefectKind;

const noArgument: Argument = { domain: null, address: null, prefixes: bits };

const argumentReaders: Readonly<Record<SpfMechanismName, ArgumentReader>> = {
  all: (rest) => (rest === "" ? noArgument : "bad-argument"),
  include: readDomain,
  a: readHost,
  mx: readHost,
  ptr: (rest) => (rest === "" ? noArgument : readDomain(rest)),
  ip4: (rest) => readNetwork(rest, "ip4"),
  ip6: (rest) => readNetwork(rest, "ip6"),
  exists: readDomain,
};

function readDomain(rest: string): Argument | SpfDefectKind {
  if (rest.startsWith("/")) return "bad-argument";
  const domain = rest.slice(1);
  return spfDomainDefect(domain) ?? { ...noArgument, domain };
}

/** Optional name and up to two prefix lengths: `:name/24//64`. */
function readHost(rest: string): Argument | SpfDefectKind {
  const [, name = "", ip4Prefix, ip6Prefix] = /^(.*?)(?:\/(\d+))?(?:\/\/(\d+))?$/s.exec(rest) ?? [];
  if (name.startsWith("/")) return "bad-address";
  if (!isPrefix(ip4Prefix, "ip4") || !isPrefix(ip6Prefix, "ip6")) return "bad-address";
  const prefixes: SpfPrefixes = { ip4: Number(ip4Prefix ?? bits.ip4), ip6: Number(ip6Prefix ?? bits.ip6) };
  if (name === "") return { ...noArgument, prefixes };
  const domain = name.slice(1);
  return spfDomainDefect(domain) ?? { ...noArgument, domain, prefixes };
}

function readNetwork(rest: string, family: keyof SpfPrefixes): Argument | SpfDefectKind {
  const [address = "", ...prefixes] = rest.slice(1).split("/");
  const [prefix, ...more] = prefixes;
  const isSound = rest.startsWith(":") && more.length === 0 && isAddress(address, family) && isPrefix(prefix, family);
  return isSound ? { ...noArgument, address, prefixes: { ...bits, [family]: Number(prefix ?? bits[family]) } } : "bad-address";
}

function isAddress(text: string, family: keyof SpfPrefixes): boolean {
  if (family === "ip4") return ip4Pattern.test(text);
  // RFC 4291 section 2.2 allows IPv4 notation for the last four bytes. Zones (RFC 4007) are not allowed.
  const tail = text.slice(text.lastIndexOf(":") + 1);
  return /^[0-9a-f:.]{2,45}$/i.test(text) && (!tail.includes(".") || ip4Pattern.test(tail)) && ipaddr.IPv6.isValid(text);
}

function isPrefix(text: string | undefined, family: keyof SpfPrefixes): boolean {
  return text === undefined || (prefixPattern.test(text) && Number(text) <= bits[family]);
}
