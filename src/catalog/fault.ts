/** Faults of plugin files, each with its place in the source. */
import { positionAt, type TextPosition } from "../parse/text.ts";

/** Limit of reported faults: more would hide the first ones. */
const faultsShownMax = 50;

/** One reason why a file cannot be used. */
export interface PluginFault {
  /** Absolute path of the file, or of the folder. */
  readonly file: string;
  /** Line number from 1; null if the fault concerns the whole file. */
  readonly line: number | null;
  readonly column: number | null;
  /** One clause, without the file. */
  readonly reason: string;
}

/** Fault of a declaration, with the property names that lead to it, as in `["findings", "security.own.found", "severity"]`. */
export interface DeclarationFault {
  readonly reason: string;
  readonly path: readonly string[];
}

/** Checks that cannot be loaded. The message names every fault. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  constructor(readonly faults: readonly PluginFault[]) {
    super(describeFaults(faults).join("\n"));
  }
}

/** Control and formatting characters: file names and reasons come from plugins, and are printed to terminals. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line, as in `check /srv/checks/own-check.ts:3:7: no luck`. */
export function describeFault(fault: PluginFault): string {
  return `check ${placedReason(fault)}`;
}

/** One line, as in `/srv/checks/own-check.ts:3:7: no luck`, a form that editors and terminals link. */
export function placedReason({ file, line, column, reason }: PluginFault): string {
  const place = line === null ? file : column === null ? `${file}:${line}` : `${file}:${line}:${column}`;
  return `${place}: ${reason}`.replace(unprintable, " ");
}

/** One sentence each, bounded. */
export function describeFaults(faults: readonly PluginFault[]): readonly string[] {
  const shown = faults.slice(0, faultsShownMax).map(describeFault);
  return faults.length > shown.length ? [...shown, `and ${faults.length - shown.length} more faults`] : shown;
}

export function faultOfFile(file: string, reason: string): PluginFault {
  return faultAt(file, null, reason);
}

/** Fault of the whole file if the place is null. */
export function faultAt(file: string, place: TextPosition | null, reason: string): PluginFault {
  return { file, line: place?.line ?? null, column: place?.column ?? null, reason };
}

/**
 * Place of a property in source text: each name of `path` is searched after the one before it, as a key. Names that are not found are
 * passed over. Null if none is found.
 */
export function placeOfProperty(source: string, path: readonly string[]): TextPosition | null {
  let found: number | null = null;
  for (const name of path) {
    const key = new RegExp(`(?<![\\w$.-])(["'\`]?)${RegExp.escape(name)}\\1\\s*[:(,}]`, "g");
    key.lastIndex = found === null ? 0 : found + 1;
    found = key.exec(source)?.index ?? found;
  }
  return found === null ? null : positionAt(source, found);
}

/** Place of the first of `words` that occurs in the source; null if none does. */
export function placeOfWord(source: string, words: readonly string[]): TextPosition | null {
  for (const word of words) {
    const at = new RegExp(`(?<![\\w$])${RegExp.escape(word)}(?![\\w$])`).exec(source)?.index;
    if (at !== undefined) return positionAt(source, at);
  }
  return null;
}
