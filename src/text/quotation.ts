/** Marks untrusted text of a site within our sentences, so that pages can isolate it (direction, translation). */

/** Private use area (Unicode 23.5): our texts contain none, and values lose theirs. */
const opening = "\ue000";
const closing = "\ue001";
const marks = /[\ue000\ue001]/g;
const quotation = /\ue000([^\ue000\ue001]*)\ue001/;

/** Encloses a value in marks for `piecesOf`. Numbers need none. */
export function quoted(value: string | number): string | number {
  return typeof value === "number" ? value : `${opening}${value.replaceAll(marks, "\ufffd")}${closing}`;
}

/** Splits a text at its marked values. A value may be empty; text between values is not. */
export function piecesOf(text: string): readonly {
  readonly text: string;
  /** Whether a site wrote it. */
  readonly quoted: boolean;
}[] {
  return text
    .split(quotation)
    .map((piece, at) => ({ text: piece, quoted: at % 2 === 1 }))
    .filter((piece) => piece.quoted || piece.text !== "");
}

export function unmarked(text: string): string {
  return text.replaceAll(marks, "");
}
