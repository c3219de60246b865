/** Makes texts of untrusted origin safe to write into any file. */

/**
 * Control characters but tab and line feed; line and paragraph separators with bidirectional controls (UAX 9); and the noncharacters that
 * XML 1.0 section 2.2 excludes.
 */
const unwanted = /(?![\t\n])\p{Cc}|[\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** Well-formed Unicode with line feeds as the only line breaks. U+FFFD replaces what controls terminals, the direction, or is not allowed in XML. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(unwanted, "\ufffd");
}

/** Plain text on one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll("\n", " ");
}

/** The text, or its beginning with an ellipsis. Never splits a surrogate pair. */
export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}
