/** Splits list-valued header fields as the Fetch standard does ("get, decode, and split"). */

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

/** At least one part. Separators in quoted strings (RFC 9110 section 5.6.4) do not count; a backslash there escapes a character. */
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
