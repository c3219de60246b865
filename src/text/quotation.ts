/** Keeps apart, within a sentence of ours, what a site wrote: it is not to be translated, and may not steer what stands around it. */

/** Of the private use area (Unicode 23.5): no text of ours has them, and values lose theirs. */
const opening = "\ue000";
const closing = "\ue001";
const marks = /[\ue000\ue001]/g;
const quotation = /\ue000([^\ue000\ue001]*)\ue001/;

export interface Piece {
  readonly text: string;
  /** Whether a site wrote it. */
  readonly quoted: boolean;
}

/** The value between marks that only `piecesOf` reads. Numbers need none. */
export function quoted(value: string | number): string | number {
  return typeof value === "number" ? value : `${opening}${value.replaceAll(marks, "\ufffd")}${closing}`;
}

/** A text with marked values, taken apart. A value may be empty, what stands between values is not. */
export function piecesOf(text: string): readonly Piece[] {
  return text
    .split(quotation)
    .map((piece, at) => ({ text: piece, quoted: at % 2 === 1 }))
    .filter((piece) => piece.quoted || piece.text !== "");
}

/** The same text without the marks. */
export function unmarked(text: string): string {
  return text.replaceAll(marks, "");
}
