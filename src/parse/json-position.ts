/** Position of the first fault in a JSON text (RFC 8259): an error of `JSON.parse` has none. */

const blanks = /[ \t\r\n]*/y;
const text = /"(?:[^"\\\p{Cc}]|\u007f|[\u0080-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or end";

/** Line and column, both from 1; null for valid JSON. */
export function jsonFaultPosition(json: string): { readonly line: number; readonly column: number } | null {
  const offset = faultOffset(json);
  if (offset === null) return null;
  const before = json.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function faultOffset(json: string): number | null {
  const closers: ("}" | "]")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at;
    if (!pattern.test(json)) return false;
    at = pattern.lastIndex;
    return true;
  };
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
    else if (expected.startsWith("key") && skip(text)) expected = ":";
    else if (!expected.startsWith("value")) return at;
    else if (next === "{" || next === "[") {
      at++;
      closers.push(next === "{" ? "}" : "]");
      expected = next === "{" ? "key or }" : "value or ]";
    } else if (skip(text) || skip(scalar)) expected = ", or end";
    else return at;
  }
}
