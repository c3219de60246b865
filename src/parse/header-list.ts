/** Splits a header field that is a list into its values, as the Fetch standard's "get, decode, and split" does. */
import { splitOutsideQuotes } from "./quoted.ts";

/**
 * The values of all fields of one name, in order, without the blanks around them; an empty list when there is no field.
 * A comma inside a quoted string parts nothing. An empty value is a value.
 */
export function splitHeaderList(fields: readonly string[]): readonly string[] {
  if (fields.length === 0) return [];
  // Joined first: a quoted string may begin in one field and end in the next, and a browser reads on.
  return splitOutsideQuotes(fields.join(", "), ",").map(trimBlanks);
}

/** Without the blanks and tabs at both ends, which are all the white space that HTTP knows (RFC 9110 section 5.6.3). */
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
