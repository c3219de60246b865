/** Reads the names that terms of SPF records lead to, and writes out their macros: RFC 7208 section 7. */
import { dnsLabelCharsMax, dnsNameCharsMax, fitsDns } from "./dns-name.ts";

/** What stands in for the macros that can be known without a mail at hand. */
export interface SpfScope {
  /** Whose record is being evaluated: `d`. */
  readonly domain: string;
  /** Domain of the sender's address: `o`, the one that the evaluation began with. */
  readonly senderDomain: string;
}

interface MacroExpand {
  /** Lower case. */
  readonly letter: string;
  /** URL escaping was asked for, by an upper-case letter. */
  readonly escaped: boolean;
  /** How many right-hand parts are kept; null for all. */
  readonly parts: number | null;
  readonly reversed: boolean;
  readonly delimiters: string;
}

/** `%%`, `%_` or `%-`: a sign that the grammar takes for itself. */
interface MacroEscape {
  readonly standsFor: string;
}

/** A run of text, or something that begins with a percent sign. */
type MacroPart = string | MacroExpand | MacroEscape;

/** `%{`, a letter, digits, `r`, delimiters, `}`. */
const expandForm = /^([slodiphv])(\d{0,3})(r?)([-.+,/_=]*)$/i;
const escapes: Readonly<Record<string, MacroEscape>> = { "%": { standsFor: "%" }, _: { standsFor: " " }, "-": { standsFor: "%20" } };
/** Letters that are known before any mail is sent. */
const knownLetters = "do";

/** The parts of a macro-string, or null when it is none: a stray percent sign, an unknown letter, a blank, a letter beyond ASCII. */
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
  const [matched, letter = "", digits = "", reverse = "", delimiters = ""] = expandForm.exec(text) ?? [];
  // Section 7.3: a number of parts must not be zero.
  if (matched === undefined || (digits !== "" && Number(digits) === 0)) return null;
  return {
    letter: letter.toLowerCase(),
    escaped: letter !== letter.toLowerCase(),
    parts: digits === "" ? null : Number(digits),
    reversed: reverse !== "",
    delimiters: delimiters === "" ? "." : delimiters,
  };
}

/** Whether the text is a macro-string, as an unknown modifier has to be. */
export function isSpfMacroString(text: string): boolean {
  return macroParts(text) !== null;
}

/**
 * What is wrong with a domain-spec (section 7.1), or null. Its end has to be a macro, or a dot and a label that could be a
 * top-level domain. A name of no macros must also be one that DNS can be asked for.
 */
export function spfDomainDefect(text: string): "bad-macro" | "bad-domain" | null {
  const parts = macroParts(text);
  if (parts === null) return text.includes("%") && /^[\x21-\x7e]*$/.test(text) ? "bad-macro" : "bad-domain";
  const end = parts.at(-1) ?? "";
  if (typeof end !== "string") return null;
  return endsInTopLabel(end) && (parts.length > 1 || fitsDns(text.replace(/\.$/, ""))) ? null : "bad-domain";
}

/** `toplabel`: letters, digits and inner hyphens, and not of digits alone. */
function endsInTopLabel(text: string): boolean {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  const dotAt = bare.lastIndexOf(".");
  const label = bare.slice(dotAt + 1);
  return dotAt >= 0 && label.length <= dnsLabelCharsMax && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label) && /[a-z-]/i.test(label);
}

/**
 * The name that a domain-spec stands for, in lower case and without a trailing dot. Null when it depends on a mail (on the
 * sender's address, its local part, its host), or comes out as a name that DNS cannot be asked for.
 */
export function expandSpfDomain(text: string, scope: SpfScope): string | null {
  const parts = macroParts(text);
  if (parts === null) return null;
  let name = "";
  for (const part of parts) {
    if (typeof part === "string") name += part;
    else if ("standsFor" in part) name += part.standsFor;
    else if (knownLetters.includes(part.letter)) name += expanded(part, part.letter === "d" ? scope.domain : scope.senderDomain);
    else return null;
  }
  const fitting = withinLength(name.toLowerCase().replace(/\.$/, ""));
  return fitsDns(fitting) ? fitting : null;
}

function expanded({ escaped, parts, reversed, delimiters }: MacroExpand, value: string): string {
  const all = value.split(new RegExp(`[${delimiters.replaceAll(/[-/]/g, "\\$&")}]`));
  const turned = reversed ? all.reverse() : all;
  const kept = turned.slice(parts === null ? 0 : Math.max(0, turned.length - parts)).join(".");
  return escaped ? encodeURIComponent(kept.toWellFormed()) : kept;
}

/** Labels are dropped from the left until the rest fits (RFC 7208 section 7.3). */
function withinLength(name: string): string {
  if (name.length <= dnsNameCharsMax) return name;
  const dotAt = name.indexOf(".", name.length - dnsNameCharsMax - 1);
  return dotAt < 0 ? name : name.slice(dotAt + 1);
}
