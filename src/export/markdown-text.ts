/** Untrusted text in Markdown (CommonMark and the extensions of GitHub). */
import { plainLine } from "./plain-text.ts";

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
