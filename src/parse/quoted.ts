/** Parts a header value at a separator, leaving quoted strings whole (RFC 9110 section 5.6.4). */

/** At least one part; a separator inside a quoted string parts nothing, and a backslash there takes the next character along. */
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
