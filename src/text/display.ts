/** Shows untrusted text and host names of a site so that readers cannot mistake them. */
import { domainToUnicode } from "node:url";

// Marks untrusted text of a site within our sentences, so that pages can isolate it (direction, translation).

/** Private use area (Unicode 23.5): our texts contain none, and values lose theirs. */
const opening = "\ue000";
const closing = "\ue001";
const marks = /[\ue000\ue001]/g;
const quotation = /\ue000([^\ue000\ue001]*)\ue001/;

/** Encloses a value in marks for `piecesOf`. Numbers are not marked. */
export function quoted(value: string | number): string | number {
  return typeof value === "number" ? value : `${opening}${value.replaceAll(marks, "\ufffd")}${closing}`;
}

/** Splits a text at its marked values. A value may be empty; text between values is not. */
export function piecesOf(text: string): readonly {
  readonly text: string;
  /** True if a site wrote the text. */
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

// Unicode form of internationalized host names, as far as a reader cannot mistake it for another name.

/** Start of an A-label: RFC 5890 section 2.3.2.1. */
const aLabelPrefix = "xn--";

/** Digits and the hyphen belong to every script. Signs that many scripts share, such as combining accents, are left out. */
const common = "0-9-";
/** Letters of the languages that Latin domain names are written in. Phonetic letters, clicks and the dotless i look like others. */
const latin =
  "a-z\\u00df-\\u00f6\\u00f8-\\u0130\\u0134-\\u0137\\u0139-\\u0148\\u014a-\\u017e\\u01a1\\u01b0\\u01ce-\\u01dc\\u0219\\u021b\\u1ea0-\\u1ef9";
/** Recommended scripts: UAX 31 table 5. */
const scripts = [
  ..."Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada".split(" "),
  ..."Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan".split(" "),
];

/** One script each. Japanese and Korean are written in several, which UTS 39 section 5.1 counts as one. */
const singleScripts: readonly RegExp[] = [
  new RegExp(`^[${latin}${common}]+$`, "u"),
  new RegExp(`^[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc${common}]+$`, "u"),
  new RegExp(`^[\\p{Script=Han}\\p{Script=Hangul}${common}]+$`, "u"),
  ...scripts.map((script) => new RegExp(`^[\\p{Script=${script}}${common}]+$`, "u")),
];

/** Labels that look as a whole like Latin: every letter has a Latin twin. */
const latinTwins: readonly RegExp[] = [
  // Cyrillic.
  /^[\u0430\u0432\u0433\u0435\u043a\u043c\u043d-\u0440\u0441-\u0443\u0445\u044a\u044c\u0455\u0456\u0458\u0461\u0475\u04bb\u04cf\u0501\u051b\u051d0-9-]+$/u,
  // Greek.
  /^[\u03b1-\u03b3\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03c90-9-]+$/u,
];

/**
 * Host for readers: each A-label of a single script in Unicode, every other label as it is.
 * @param host ASCII, as in URLs. Returned unchanged where nothing can be shown safely.
 */
export function unicodeHost(host: string): string {
  if (!host.includes(aLabelPrefix)) return host;
  return host.split(".").map(unicodeLabel).join(".");
}

function unicodeLabel(label: string): string {
  if (!label.startsWith(aLabelPrefix)) return label;
  const decoded = domainToUnicode(label);
  const safe = singleScripts.some((script) => script.test(decoded)) && !latinTwins.some((twins) => twins.test(decoded));
  return safe ? decoded : label;
}
