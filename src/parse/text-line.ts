/** Names, remarks and tags of one line, as people type them. */

/** Besides control characters: separators of lines, and controls of the direction of text (Unicode UAX 9). */
const refusedCharacters = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** False for characters that break a line or change the direction of the text beside it. */
export function isTextLine(text: string): boolean {
  return text.isWellFormed() && !refusedCharacters.test(text);
}

/** Characters that separate tags in a typed list, and so are in none. */
export const tagSeparators = /[,;|\n]/;

/** Tags of a typed list, without empty ones. */
export function splitTags(text: string, separators: RegExp = tagSeparators): readonly string[] {
  return text
    .split(separators)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
