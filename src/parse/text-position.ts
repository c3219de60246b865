/** Places in a text, for messages that name them. */

/** Both count from 1. A column counts UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Why a text is refused, and where. */
export interface TextFault extends TextPosition {
  /** The predicate of a sentence, as in `"until" must be a date`. */
  readonly reason: string;
}

export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
