/** Reads structured fields (RFC 9651), in the two shapes that security headers have: an item that is a token, and a dictionary of lists. */
import { trimBlanks } from "./header-list.ts";

/** A member of an allow list. What is neither token nor string has no meaning in the headers that are read here. */
export type StructuredValue =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "other" };

/**
 * The token that all fields of one name give together, without its parameters; null when they are not an item, or the item is no
 * token. Two fields are never an item: section 4.2 has them joined by a comma.
 */
export function parseStructuredToken(fields: readonly string[]): string | null {
  const rest = new Rest(joined(fields));
  const value = readItem(rest);
  return value?.kind === "token" && rest.isEmpty() ? value.token : null;
}

/**
 * Lists by key, a single item as a list of one; null when the fields are no dictionary, which a browser ignores as a whole. Of a
 * repeated key the last counts (section 4.2.2).
 */
export function parseStructuredDictionary(fields: readonly string[]): ReadonlyMap<string, readonly StructuredValue[]> | null {
  const rest = new Rest(joined(fields));
  const dictionary = new Map<string, readonly StructuredValue[]>();
  if (rest.isEmpty()) return dictionary;
  do {
    const key = rest.take(keyForm);
    const member = key === null ? null : readMember(rest);
    if (key === null || member === null) return null;
    dictionary.set(key, member);
    // A comma has to be followed by another member: none may trail.
  } while (rest.take(commaForm) !== null);
  return rest.isEmpty() ? dictionary : null;
}

/** Text that is read from its beginning on. */
class Rest {
  private at = 0;

  constructor(private readonly text: string) {}

  /** What the sticky form matches here, or null; what was matched is read. */
  take(form: RegExp): string | null {
    form.lastIndex = this.at;
    const [matched = null] = form.exec(this.text) ?? [];
    if (matched !== null) this.at += matched.length;
    return matched;
  }

  isEmpty(): boolean {
    return this.at === this.text.length;
  }
}

const keyForm = /[a-z*][a-z0-9_\-.*]*/y;
const commaForm = /[ \t]*,[ \t]*/y;
const spacesForm = / */y;

/** Section 4.2.4 to 4.2.10. The first form that fits is the only one that can. */
const tokenForm = /[a-z*][a-z0-9!#$%&'*+\-.^_`|~:/]*/iy;
const stringForm = /"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;
const displayStringForm = /%"(?:[\x20-\x21\x23-\x24\x26-\x7e]|%[0-9a-f]{2})*"/y;
const otherForms: readonly RegExp[] = [
  // Decimal, integer and date: a number that is longer than it may be is none, and no shorter one either.
  /-?\d{1,12}\.\d{1,3}(?![\d.])/y,
  /@?-?\d{1,15}(?![\d.])/y,
  /\?[01]/y,
  /:(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}(?:==)?|[a-z0-9+/]{3}=?)?:/iy,
];

function joined(fields: readonly string[]): string {
  return trimBlanks(fields.join(", "));
}

/** What stands behind a key: nothing, which means true, or an equals sign and an item or a list (section 4.2.2). */
function readMember(rest: Rest): readonly StructuredValue[] | null {
  if (rest.take(/=/y) === null) return readParameters(rest) ? [{ kind: "other" }] : null;
  if (rest.take(/\(/y) !== null) return readInnerList(rest);
  const item = readItem(rest);
  return item === null ? null : [item];
}

/** Section 4.2.1.2, behind the opening parenthesis. */
function readInnerList(rest: Rest): readonly StructuredValue[] | null {
  const values: StructuredValue[] = [];
  rest.take(spacesForm);
  while (rest.take(/\)/y) === null) {
    const item = readItem(rest);
    // Items are parted by spaces; behind the last one there may be none.
    if (item === null || rest.take(/ +|(?=\))/y) === null) return null;
    values.push(item);
  }
  return readParameters(rest) ? values : null;
}

function readItem(rest: Rest): StructuredValue | null {
  const value = readBareItem(rest);
  return value !== null && readParameters(rest) ? value : null;
}

/** Reads past the parameters, none of which has a meaning in the headers that are read here (section 4.2.3.2). False: they are not whole. */
function readParameters(rest: Rest): boolean {
  while (rest.take(/; */y) !== null) {
    if (rest.take(keyForm) === null) return false;
    if (rest.take(/=/y) !== null && readBareItem(rest) === null) return false;
  }
  return true;
}

function readBareItem(rest: Rest): StructuredValue | null {
  const token = rest.take(tokenForm);
  if (token !== null) return { kind: "token", token };
  const quoted = rest.take(stringForm);
  if (quoted !== null) return { kind: "string", text: quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1") };
  const display = rest.take(displayStringForm);
  if (display !== null) return isUtf8(display.slice(2, -1)) ? { kind: "other" } : null;
  return otherForms.some((form) => rest.take(form) !== null) ? { kind: "other" } : null;
}

/** Section 4.2.10: the bytes that stand behind percent signs are to be UTF-8. */
function isUtf8(escaped: string): boolean {
  try {
    decodeURIComponent(escaped);
    return true;
  } catch {
    return false;
  }
}
