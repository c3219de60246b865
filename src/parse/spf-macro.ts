/** Parses the domain-specs of SPF terms and expands their macros: RFC 7208 section 7. */

import { dnsNameCharsMax } from "../evidence/limits.ts";
import { dnsLabelCharsMax, fitsDns } from "./dns-name.ts";

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
