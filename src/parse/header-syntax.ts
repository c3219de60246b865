/** Syntax that many header fields share: comma-separated lists (RFC 9110 section 5.6.1) and structured fields (RFC 9651). */
import { percentDecoded } from "./text.ts";

/** Trimmed values of all fields of one name, in order; empty without a field. Commas in quoted strings do not separate. */
export function splitHeaderList(fields: readonly string[]): readonly string[] {
  if (fields.length === 0) return [];
  // Fields are joined first: browsers continue a quoted string across two fields.
  return splitOutsideQuotes(fields.join(", "), ",").map(trimBlanks);
}

/** Trims spaces and tabs, the only white space of HTTP (RFC 9110 section 5.6.3). */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\t";
}

/** Splits into at least one part. Separators in quoted strings (RFC 9110 section 5.6.4) do not count; a backslash there escapes. */
export function splitOutsideQuotes(value: string, separator: "," | ";"): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (quoted && char === "\\") at++;
    else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(value.slice(start));
  return parts;
}

// Parses structured fields (RFC 9651) in two shapes: an item that is a token, and a dictionary of lists.

/** Member of an allow list. `other`: neither a token nor a string, without meaning in the supported headers. */
export type StructuredValue =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "other" };

/** Token without its parameters; null for any other value. Several fields are joined by commas and are not a single item (RFC 9651 section 4.2). */
export function parseStructuredToken(fields: readonly string[]): string | null {
  return parseStructuredItem(fields)?.token ?? null;
}

/** Token with its parameters by name, of which the last of equal names counts (RFC 9651 section 4.2.3.2); null for any other value. */
export function parseStructuredItem(
  fields: readonly string[],
): { readonly token: string; readonly parameters: ReadonlyMap<string, StructuredValue> } | null {
  const cursor = new Cursor(joined(fields));
  const value = readBareItem(cursor);
  const parameters = value === null ? null : readParameters(cursor);
  return value?.kind === "token" && parameters !== null && cursor.isEmpty() ? { token: value.token, parameters } : null;
}

/** Lists by key; a single item is a list of one. Null if malformed. The last of repeated keys counts (RFC 9651 section 4.2.2). */
export function parseStructuredDictionary(fields: readonly string[]): ReadonlyMap<string, readonly StructuredValue[]> | null {
  const cursor = new Cursor(joined(fields));
  const dictionary = new Map<string, readonly StructuredValue[]>();
  if (cursor.isEmpty()) return dictionary;
  do {
    const key = cursor.take(keyPattern);
    const member = key === null ? null : readMember(cursor);
    if (key === null || member === null) return null;
    dictionary.set(key, member);
    // A comma requires another member; trailing commas are invalid.
  } while (cursor.take(commaPattern) !== null);
  return cursor.isEmpty() ? dictionary : null;
}

/** Read position in a text. */
class Cursor {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Consumes and returns the match of a sticky pattern at the position; null without a match. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const [matched = null] = pattern.exec(this.text) ?? [];
    if (matched !== null) this.at += matched.length;
    return matched;
  }

  isEmpty(): boolean {
    return this.at === this.text.length;
  }
}

const keyPattern = /[a-z*][a-z0-9_\-.*]*/y;
const commaPattern = /[ \t]*,[ \t]*/y;
const spacesPattern = / */y;
/** RFC 9651 sections 4.2.4 to 4.2.10. At most one pattern matches at any position. */
const tokenPattern = /[a-z*][a-z0-9!#$%&'*+\-.^_`|~:/]*/iy;
const stringPattern = /"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;
const displayStringPattern = /%"(?:[\x20-\x21\x23-\x24\x26-\x7e]|%[0-9a-f]{2})*"/y;
const otherPatterns: readonly RegExp[] = [
  // Decimal, integer and date. A number with too many digits is invalid as a whole.
  /-?\d{1,12}\.\d{1,3}(?![\d.])/y,
  /@?-?\d{1,15}(?![\d.])/y,
  /\?[01]/y,
  /:(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}(?:==)?|[a-z0-9+/]{3}=?)?:/iy,
];

function joined(fields: readonly string[]): string {
  return trimBlanks(fields.join(", "));
}

/** Value of a key: an item or list after an equals sign, or true without one (RFC 9651 section 4.2.2). */
function readMember(cursor: Cursor): readonly StructuredValue[] | null {
  if (cursor.take(/=/y) === null) return readParameters(cursor) === null ? null : [{ kind: "other" }];
  if (cursor.take(/\(/y) !== null) return readInnerList(cursor);
  const item = readItem(cursor);
  return item === null ? null : [item];
}

/** RFC 9651 section 4.2.1.2, after the opening parenthesis. */
function readInnerList(cursor: Cursor): readonly StructuredValue[] | null {
  const values: StructuredValue[] = [];
  cursor.take(spacesPattern);
  while (cursor.take(/\)/y) === null) {
    const item = readItem(cursor);
    // Spaces separate items; they are optional after the last one.
    if (item === null || cursor.take(/ +|(?=\))/y) === null) return null;
    values.push(item);
  }
  return readParameters(cursor) === null ? null : values;
}

function readItem(cursor: Cursor): StructuredValue | null {
  const value = readBareItem(cursor);
  return value === null || readParameters(cursor) === null ? null : value;
}

/** Values by name; true, the value of a bare name, is of the kind `other` (RFC 9651 section 4.2.3.2). Null if malformed. */
function readParameters(cursor: Cursor): ReadonlyMap<string, StructuredValue> | null {
  const parameters = new Map<string, StructuredValue>();
  while (cursor.take(/; */y) !== null) {
    const key = cursor.take(keyPattern);
    const value: StructuredValue | null = cursor.take(/=/y) === null ? { kind: "other" } : readBareItem(cursor);
    if (key === null || value === null) return null;
    parameters.set(key, value);
  }
  return parameters;
}

function readBareItem(cursor: Cursor): StructuredValue | null {
  const token = cursor.take(tokenPattern);
  if (token !== null) return { kind: "token", token };
  const quoted = cursor.take(stringPattern);
  if (quoted !== null) return { kind: "string", text: quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1") };
  const display = cursor.take(displayStringPattern);
  // RFC 9651 section 4.2.10: percent-encoded bytes must be UTF-8.
  if (display !== null) return percentDecoded(display.slice(2, -1)) === null ? null : { kind: "other" };
  return otherPatterns.some((pattern) => cursor.take(pattern) !== null) ? { kind: "other" } : null;
}
