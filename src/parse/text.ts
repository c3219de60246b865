/** One-line texts that people type, positions in texts for messages, and suggestions for unknown words. */
import { tryOr } from "../base/try-or.ts";

/** Control characters, line separators, and controls of the text direction (Unicode UAX 9). */
const refusedCharacters = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** True if no character breaks the line or changes the direction of text beside it. */
export function isTextLine(text: string): boolean {
  return text.isWellFormed() && !refusedCharacters.test(text);
}

/** Characters that separate tags in a typed list. No tag contains them. */
export const tagSeparators = /[,;|\n]/;

/** Tags of a typed list, without empty ones. */
export function splitTags(text: string, separators: RegExp = tagSeparators): readonly string[] {
  return text
    .split(separators)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Both count from 1. A column counts UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Reason and position of a refused text. */
export interface TextFault extends TextPosition {
  /** The predicate of a sentence, as in `"until" must be a date`. */
  readonly reason: string;
}

export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** Above this share of wrong letters a suggestion would confuse. */
const wrongShareMax = 0.5;

/** Candidate with the fewest edits from `word`; the first of equals. Null if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const editsMax = Math.max(word.length, candidate.length) * wrongShareMax;
    // The length difference is a lower bound of the edits. Skipping early bounds the work on long hostile words.
    if (Math.abs(word.length - candidate.length) > editsMax) continue;
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits && edits <= editsMax) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Levenshtein distance: insertions, deletions and replacements of single letters. */
function editsBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

/** Text without percent-encoding; null if it is malformed or not UTF-8. */
export function percentDecoded(text: string): string | null {
  return tryOr(() => decodeURIComponent(text), null);
}
