/** Reads structured fields (RFC 9651), in the two shapes that security headers have: an item that is a token, and a dictionary of lists. */
import { type Item, isInnerList, parseDictionary, parseItem, Token } from "structured-headers";
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
  const item = parsed(parseItem, fields);
  return item !== null && item[0] instanceof Token ? item[0].toString() : null;
}

/** Lists by key, a single item as a list of one; null when the fields are no dictionary, which a browser ignores as a whole. */
export function parseStructuredDictionary(fields: readonly string[]): ReadonlyMap<string, readonly StructuredValue[]> | null {
  const dictionary = parsed(parseDictionary, fields);
  if (dictionary === null) return null;
  return new Map([...dictionary].map(([key, member]) => [key, (isInnerList(member) ? member[0] : [member]).map(structuredValue)]));
}

function parsed<T>(parse: (input: string) => T, fields: readonly string[]): T | null {
  try {
    return parse(trimBlanks(fields.join(", ")));
  } catch {
    // The library tells of a syntax error by throwing.
    return null;
  }
}

function structuredValue([value]: Item): StructuredValue {
  if (value instanceof Token) return { kind: "token", token: value.toString() };
  return typeof value === "string" ? { kind: "string", text: value } : { kind: "other" };
}
