/** Finds positions in a JSON text, and its number and depth of values (RFC 8259). */
import { positionAt, type TextPosition } from "./text.ts";

const blanks = /[ \t\r\n]*/y;
/** Part of a string: a pattern for a whole one fails on millions of characters. */
const textPart = /(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/uy;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or end";

/** Line and column, both from 1; null for valid JSON. */
export function jsonFaultPosition(json: string): TextPosition | null {
  const offset = faultOffset(json);
  return offset === null ? null : positionAt(json, offset);
}

/** Position of the value at a path in valid JSON. A path that ends early has the position of the last value that exists. */
export function jsonValuePosition(json: string, path: readonly string[]): TextPosition {
  let at = endOf(blanks, json, 0);
  for (const name of path) {
    const inner = memberOffset(json, at, name);
    if (inner === null) break;
    at = inner;
  }
  return positionAt(json, at);
}

const structure = /[{}[\]]|[^{}[\]",:\s]+/y;

function endOf(pattern: RegExp, json: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(json) ? pattern.lastIndex : at;
}

/** Offset after the string that begins at `at`; `at` itself if there is no valid string. */
function endOfText(json: string, at: number): number {
  if (json[at] !== '"') return at;
  let end = at + 1;
  for (let next = endOf(textPart, json, end); next > end; next = endOf(textPart, json, end)) end = next;
  return json[end] === '"' ? end + 1 : at;
}

/** Offset of the member with this name or index. `JSON.parse` takes the last of several with one name. */
function memberOffset(json: string, container: number, name: string): number | null {
  const closer = { "{": "}", "[": "]" }[json[container] ?? ""];
  if (closer === undefined) return null;
  let found: number | null = null;
  let at = endOf(blanks, json, container + 1);
  for (let index = 0; json[at] !== closer && at < json.length; index++) {
    let key = String(index);
    if (closer === "}") {
      const end = endOfText(json, at);
      key = JSON.parse(json.slice(at, end));
      // The value begins behind the colon.
      at = endOf(blanks, json, endOf(blanks, json, end) + 1);
    }
    if (key === name) found = at;
    at = endOf(blanks, json, endOfValue(json, at));
    if (json[at] === ",") at = endOf(blanks, json, at + 1);
  }
  return found;
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const sign = json[at];
    if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
    const end = sign === '"' ? endOfText(json, at) : endOf(structure, json, at);
    // Commas, colons and white space between the parts of a container.
    at = end === at ? at + 1 : end;
  } while (depth > 0 && at < json.length);
  return at;
}

function faultOffset(json: string): number | null {
  const closers: ("}" | "]")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const skipTo = (end: number) => {
    const skipped = end > at;
    at = end;
    return skipped;
  };
  const skip = (pattern: RegExp) => skipTo(endOf(pattern, json, at));
  const skipText = () => skipTo(endOfText(json, at));
  for (;;) {
    skip(blanks);
    const next = json[at];
    if (expected === ", or end" && closers.length === 0) return next === undefined ? null : at;
    if (next === undefined) return at;
    const closes = next === closers.at(-1) && [", or end", "value or ]", "key or }"].includes(expected);
    if (closes) closers.pop();
    if (closes || (expected === ":" && next === ":") || (expected === ", or end" && next === ",")) at++;
    if (closes) expected = ", or end";
    else if (expected === ":" && next === ":") expected = "value";
    else if (expected === ", or end" && next === ",") expected = closers.at(-1) === "}" ? "key" : "value";
    else if (expected.startsWith("key") && skipText()) expected = ":";
    else if (!expected.startsWith("value")) return at;
    else if (next === "{" || next === "[") {
      at++;
      closers.push(next === "{" ? "}" : "]");
      expected = next === "{" ? "key or }" : "value or ]";
    } else if (skipText() || skip(scalar)) expected = ", or end";
    else return at;
  }
}

// Number and depth of the values in a JSON text (RFC 8259), found without parsing it: a short text can hold millions of empty lists.

export interface JsonSize {
  /** At least the number of values in valid JSON; names do not count. */
  readonly values: number;
  /** Nesting depth of lists and objects; 0 for a single value. */
  readonly depth: number;
}

const [quote, backslash, comma, listStart, listEnd, objectStart, objectEnd] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Size of a JSON text. The numbers mean nothing if the text is not valid JSON. */
export function jsonSize(json: Uint8Array): JsonSize {
  let values = 1;
  let depth = 0;
  let open = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) {
      const end = stringEnd(json, at);
      if (end < 0) break;
      at = end;
    } else if (byte === listStart || byte === objectStart) {
      values++;
      depth = Math.max(depth, ++open);
    } else if (byte === comma) values++;
    else if (byte === listEnd || byte === objectEnd) open--;
  }
  return { values, depth };
}

/** Position of the quote that ends the string; -1 without one. */
function stringEnd(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (json[before] === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
