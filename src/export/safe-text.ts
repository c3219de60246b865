/** Makes texts of untrusted origin safe to write into any file, and into Markdown (CommonMark and the extensions of GitHub). */

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

/** Characters that Markdown, HTML, tables and formulas are made of. */
const active = "[&<>\\\\`*_[\\]{}|~$^!]";
/** Signs after which services link names, numbers and addresses: `@name`, `#12`, `GH-12`, `https://`, `mailto:`, `www.`. */
const linking = "[@#]|:(?=//)|\\b(?:GH-|www\\.|mailto:|xmpp:)";
const special = new RegExp(`(${active})|${linking}`, "gi");

/** Empty comment: renderers show nothing, and whatever they would link is cut in two. */
const cut = "<!-- -->";

/** What makes the beginning of a paragraph an item of a list, a rule or the underline of a heading. */
const blockStart = /^(\d{0,9})([-+=.)])/;

/** Text on one line that renders as itself, without links, mentions and references. */
export function escapedMarkdown(text: string): string {
  return plainLine(text)
    .trim()
    .replaceAll(special, (sign, isActive) => (isActive === undefined ? sign + cut : entity(sign)))
    .replace(blockStart, (_start, digits, sign) => digits + entity(sign));
}

function entity(sign: string): string {
  return `&#${sign.charCodeAt(0)};`;
}

/** Code on one line; neither markup nor links work in it. Empty for an empty text. Not for cells of a table, if it may have a pipe. */
export function codeSpan(text: string): string {
  const line = plainLine(text);
  if (line.trim() === "") return "";
  const fence = "`".repeat(1 + longestRun(line));
  const space = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Lines of code. */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, 1 + longestRun(text)));
  return `${fence}\n${text}\n${fence}`;
}

/** Length of the longest run of backticks. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
