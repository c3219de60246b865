/** Names and remarks of one line, as people type them. */

/** Besides control characters: separators of lines, and controls of the direction of text (Unicode UAX 9). */
const refusedCharacters = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** False for characters that break a line or change the direction of the text beside it. */
export function isTextLine(text: string): boolean {
  return text.isWellFormed() && !refusedCharacters.test(text);
}
