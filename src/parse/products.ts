/** Splits fields that name software: Server, and the comments of Via (RFC 9110 sections 10.2.4, 7.6.3 and 5.6.5). */

export interface Products {
  readonly words: readonly string[];
  readonly comments: readonly string[];
}

/** Words and comments of one value. An unclosed parenthesis extends to the end; an unopened one is part of its word. */
export function parseProducts(value: string): Products {
  const comments: string[] = [];
  let outside = "";
  let depth = 0;
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (depth > 0 && char === "\\") at++;
    else if (char === "(") {
      if (depth === 0) {
        outside += `${value.slice(start, at)} `;
        start = at + 1;
      }
      depth++;
    } else if (char === ")" && depth > 0) {
      depth--;
      if (depth === 0) {
        comments.push(value.slice(start, at));
        start = at + 1;
      }
    }
  }
  if (depth > 0) comments.push(value.slice(start));
  else outside += value.slice(start);
  return { words: outside.split(/[\s,]+/).filter((word) => word !== ""), comments };
}
