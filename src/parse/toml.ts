/** TOML documents (version 1.0) with the positions of their keys, which the parser does not give. */

import { parse, TomlDate, TomlError } from "smol-toml";
import { tryOr } from "../base/try-or.ts";
import { positionAt, type TextFault, type TextPosition } from "./text.ts";

export type TomlTable = Readonly<Record<string, unknown>>;

export interface TomlDocument {
  readonly table: TomlTable;
  /** Position of a key, or of the header of a table. A path inside a value has the position of its key. */
  positionOf(path: readonly string[]): TextPosition;
  /** A date without time as it was written, `YYYY-MM-DD`; null for other values. The parser moves 30 February to March. */
  dayAt(path: readonly string[]): string | null;
}

export function parseTomlDocument(text: string): TomlDocument | { readonly fault: TextFault } {
  try {
    const table = parse(text);
    const keys = keysIn(text);
    const positionOf = (path: readonly string[]) => positionAt(text, keys.find(path)?.key ?? 0);
    return { table, positionOf, dayAt: (path) => dayAt(table, path, text.slice(keys.get(path)?.value ?? text.length)) };
  } catch (error) {
    if (!(error instanceof TomlError)) return { fault: { reason: "it is nested too deeply", line: 1, column: 1 } };
    const [reason = ""] = error.message.split("\n");
    return { fault: { reason, line: error.line, column: error.column } };
  }
}

export function isTomlTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

const dayChars = "YYYY-MM-DD".length;

/** Date at a path. `source` begins with the value, and is empty for a value inside an inline table. */
function dayAt(table: TomlTable, path: readonly string[], source: string): string | null {
  let value: unknown = table;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (!(value instanceof TomlDate && value.isDate())) return null;
  return source === "" ? value.toISOString() : source.slice(0, dayChars);
}

const gap = /(?:[ \t\r\n]|#[^\n]*)*/y;
const header = /\[\[?[ \t]*/y;
const keyPart = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const equals = /[ \t]*=[ \t]*/y;
const dot = /[ \t]*\.[ \t]*/y;
/** A string, a comment, a bracket, the end of a line, or other signs of a value. */
const valuePart = /"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y;

/** Offsets of a key, or the header of a table, and of its value. */
interface KeyOffsets {
  readonly key: number;
  readonly value: number;
}

/** `text` is valid TOML. */
function keysIn(text: string) {
  const offsets = new Map<string, KeyOffsets>();
  const lengths = new Map<string, number>();
  let at = 0;
  const taken = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const names = () => {
    const parts = [unquoted(taken(keyPart))];
    while (taken(dot) !== "") parts.push(unquoted(taken(keyPart)));
    return parts;
  };
  let table: readonly string[] = [];
  for (taken(gap); at < text.length; taken(gap)) {
    const key = at;
    const opening = taken(header);
    const path = opening === "" ? [...table, ...names()] : indexed(names(), opening.startsWith("[["), lengths);
    if (opening === "") taken(equals);
    else table = path;
    // Parent tables may lack a header.
    for (let length = 1; length <= path.length; length++) {
      const name = JSON.stringify(path.slice(0, length));
      if (!offsets.has(name)) offsets.set(name, { key, value: at });
    }
    skipValue(taken);
    if (at === key) break;
  }
  const get = (path: readonly string[]) => offsets.get(JSON.stringify(path));
  const find = (path: readonly string[]): KeyOffsets | undefined =>
    path.length === 0 ? undefined : (get(path) ?? find(path.slice(0, -1)));
  return { get, find };
}

/** Skips to the end of the line on which a value, or a header, ends. */
function skipValue(taken: (pattern: RegExp) => string): void {
  let depth = 0;
  for (let part = taken(valuePart); part !== ""; part = taken(valuePart)) {
    if (part === "[" || part === "{") depth++;
    // The brackets that close a header were not opened here.
    else if (part === "]" || part === "}") depth = Math.max(0, depth - 1);
    else if (part === "\n" && depth === 0) return;
  }
}

/** Path of a header, with the index of each array of tables. `lengths` by path of the array. */
function indexed(names: readonly string[], appends: boolean, lengths: Map<string, number>): readonly string[] {
  let path: readonly string[] = [];
  names.forEach((name, at) => {
    path = [...path, name];
    const array = JSON.stringify(path);
    const length = (lengths.get(array) ?? 0) + (appends && at === names.length - 1 ? 1 : 0);
    if (length === 0) return;
    lengths.set(array, length);
    path = [...path, String(length - 1)];
  });
  return path;
}

function unquoted(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (!part.startsWith('"')) return part;
  // JSON does not have all escapes of TOML. The table's position is used instead.
  return tryOr(() => JSON.parse(part), part);
}
