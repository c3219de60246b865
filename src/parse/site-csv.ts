/** Schedules of watched sites, and CSV lists of sites. */
import { splitTags, tagSeparators } from "./text.ts";

export const scheduleIntervals = ["hourly", "daily", "weekly", "monthly"] as const;

export type ScheduleInterval = (typeof scheduleIntervals)[number];

/** How often a site is scanned: an interval, or cron with a time zone. */
export type SiteSchedule = { readonly every: ScheduleInterval } | { readonly cron: string; readonly zone: string };

export const scheduleDefault = { every: "weekly" } as const satisfies SiteSchedule;

// CSV lists of sites: `url,name,client,tags`. The separator is a comma, a semicolon or a tab: the one that the first line uses.
// The first line `sep=;` of Excel sets the separator too. A first line with a name of the column `url` names the columns, in any order. Further
// columns are ignored. Tags are separated by `|`; `,`, `;` and, without any of them, spaces work too. A cell may be quoted, but ends with its line: a missing quote
// spoils one line only. A text that begins as a formula stays as it is: it is dangerous in an export, which must quote it.

/** Limit of lines with a site. */
export const csvSitesMax = 1_000;
export const csvBytesMax = 1_048_576;
/** The longest URL, name, client and tags need about half of it. */
const lineCharsMax = 8_192;

const columns = ["url", "name", "client", "tags"] as const;
type Column = (typeof columns)[number];

/** Names in lower case, letters and digits alone. Where several cells name a column, the one whose name comes first here counts. */
const columnNames: Readonly<Record<Column, readonly string[]>> = {
  url: [
    ...["url", "urls", "uri", "websiteurl", "siteurl", "pageurl", "webadresse", "webaddress", "websiteadresse", "websiteaddress"],
    ...[
      "internetadresse",
      "siteaddress",
      "weblink",
      "link",
      "links",
      "website",
      "websites",
      "webseite",
      "webseiten",
      "homepage",
      "webpage",
    ],
    ...["internetseite", "webauftritt", "domain", "domains", "domainname", "dom\u00e4ne", "hostname", "host"],
    ...["adresse", "adressen", "address", "addresses", "site", "sites", "seite", "seiten", "page"],
  ],
  name: [
    "name",
    "sitename",
    "websitename",
    "seitenname",
    "anzeigename",
    "displayname",
    "bezeichnung",
    "titel",
    "title",
    "projekt",
    "project",
  ],
  client: [
    ...["client", "clients", "clientname", "kunde", "kunden", "kundin", "kundenname", "customer", "customers", "customername"],
    ...[
      "mandant",
      "mandanten",
      "auftraggeber",
      "firma",
      "firmenname",
      "unternehmen",
      "company",
      "companyname",
      "organisation",
      "organization",
    ],
  ],
  tags: [
    ...["tags", "tag", "schlagwort", "schlagworte", "schlagw\u00f6rter", "schlagwoerter", "stichwort", "stichworte", "stichw\u00f6rter"],
    ...["stichwoerter", "keywords", "keyword", "labels", "label", "etiketten", "kategorien", "kategorie", "categories", "category"],
    ...["gruppen", "gruppe", "groups", "group"],
  ],
};

/** First cell of a site's line: its name may be a name of a column, such as Website. */
const addressPattern = /:\/\/|^\S+\.[a-z]{2,}(?:[:/]|$)/i;

/** The first one is taken where several occur equally often. */
const separators = [",", ";", "\t"] as const;

/** Trimmed texts of a line; not validated. */
interface CsvSite {
  readonly url: string;
  readonly name: string;
  readonly client: string;
  readonly tags: readonly string[];
}

/** `quote-open`: a quoted cell does not end on its line. `quote-text`: text follows the closing quote. */
export type CsvLineFault = "quote-open" | "quote-text" | "too-many-cells" | "too-long";
/** `line`: number in the file, from 1. */
export type CsvLine =
  | { readonly line: number; readonly site: CsvSite }
  | { readonly line: number; readonly site: null; readonly fault: CsvLineFault };
export type CsvFault = "too-large" | "too-many-lines" | "empty";

type Cells = readonly string[] | { readonly fault: CsvLineFault };

/** UTF-8, or UTF-16 with a byte order mark. Other bytes are read as Windows-1252, which spreadsheets still write. */
export function decodeCsv(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  // The script of the pages contains this function, so it may call no other one of the program.
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** One entry for each line that is not blank, header excluded. */
export function parseSiteCsv(text: string): { readonly lines: readonly CsvLine[] } | { readonly fault: CsvFault } {
  // A text never has more UTF-16 code units than bytes of UTF-8.
  if (text.length > csvBytesMax) return { fault: "too-large" };
  const given = filledLines(text.replace(/^\ufeff/, ""));
  const named = given[0] === undefined ? undefined : /^"?sep=([,;\t])"?\s*$/i.exec(given[0].content)?.[1];
  const rows = named === undefined ? given : given.slice(1);
  const separator = named ?? separatorOf(rows[0]?.content ?? "");
  const header = headerOf(rows[0]?.content ?? "", separator);
  const data = header === null ? rows : rows.slice(1);
  if (data.length === 0) return { fault: "empty" };
  if (data.length > csvSitesMax) return { fault: "too-many-lines" };
  return { lines: data.map(({ line, content }) => lineOf(line, cellsOf(content, separator), header ?? columns)) };
}

/** Lines with separator and column names, which are no sites. */
const headLinesMax = 2;

interface FilledLine {
  /** Number in the file, from 1. */
  readonly line: number;
  readonly content: string;
}

/** Lines that are not blank, and one more than can be used at most: a file may have a million line breaks. */
function filledLines(text: string): readonly FilledLine[] {
  const found: FilledLine[] = [];
  let from = 0;
  for (let line = 1; from <= text.length && found.length <= csvSitesMax + headLinesMax; line++) {
    let end = from;
    while (end < text.length && text[end] !== "\n" && text[end] !== "\r") end++;
    const content = text.slice(from, end);
    if (content !== "" && /[^\s,;"]/.test(content)) found.push({ line, content });
    from = text.startsWith("\r\n", end) ? end + 2 : end + 1;
  }
  return found;
}

/** Tags of one cell. */
function tagsOfCell(cell: string): readonly string[] {
  return tagSeparators.test(cell) ? splitTags(cell) : splitTags(cell, /\s+/);
}

function lineOf(line: number, cells: Cells, header: readonly (Column | null)[]): CsvLine {
  if ("fault" in cells) return { line, site: null, fault: cells.fault };
  if (cells.some((cell, at) => at >= header.length && cell !== "")) return { line, site: null, fault: "too-many-cells" };
  const cellOf = (column: Column) => cells[header.indexOf(column)] ?? "";
  return { line, site: { url: cellOf("url"), name: cellOf("name"), client: cellOf("client"), tags: tagsOfCell(cellOf("tags")) } };
}

/** Columns of a header line; null if the line is not a header. The first of cells with the same name counts. */
function headerOf(line: string, separator: string): readonly (Column | null)[] | null {
  const cells = cellsOf(line, separator);
  if ("fault" in cells) return null;
  const given = cells.map((cell) =>
    cell
      .normalize("NFC")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ""),
  );
  const placeOf = (column: Column) => given.indexOf(columnNames[column].find((name) => given.includes(name)) ?? column);
  const places = columns.map(placeOf);
  const names = given.map((_, at) => columns[places.indexOf(at)] ?? null);
  const isSite = addressPattern.test(cells[0] ?? "") && !given.includes("url") && names.filter((name) => name !== null).length === 1;
  return names.includes("url") && !isSite ? names : null;
}

/** The separator that makes a header of the line, or else the most frequent one outside of quotes. */
function separatorOf(line: string): string {
  const cut = line.slice(0, lineCharsMax);
  const ofHeader = separators.find((separator) => cut.includes(separator) && headerOf(cut, separator) !== null);
  if (ofHeader !== undefined) return ofHeader;
  const unquoted = cut.replaceAll(/"[^"]*"/g, "");
  const countOf = (separator: string) => unquoted.split(separator).length;
  return separators.reduce<string>((best, each) => (countOf(each) > countOf(best) ? each : best), separators[0]);
}

/** RFC 4180 section 2, but for line breaks in quotes. A quote within an unquoted cell is text. */
function cellsOf(line: string, separator: string): Cells {
  if (line.length > lineCharsMax) return { fault: "too-long" };
  const cells: string[] = [];
  let at = 0;
  while (at <= line.length) {
    at = afterBlanks(line, at, separator);
    const end = line[at] === '"' ? closingQuote(line, at + 1) : at;
    if (end === -1) return { fault: "quote-open" };
    const next = line.indexOf(separator, end);
    const stop = next === -1 ? line.length : next;
    if (line[at] === '"') {
      if (line.slice(end + 1, stop).trim() !== "") return { fault: "quote-text" };
      cells.push(
        line
          .slice(at + 1, end)
          .replaceAll('""', '"')
          .trim(),
      );
    } else cells.push(line.slice(at, stop).trim());
    at = stop + 1;
  }
  return cells;
}

function afterBlanks(line: string, from: number, separator: string): number {
  let at = from;
  while (line[at] !== separator && /\s/.test(line[at] ?? "")) at++;
  return at;
}

/** Offset of the quote that ends a cell; -1 if none does. A doubled quote is an escaped quote. */
function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 2)) if (line[at + 1] !== '"') return at;
  return -1;
}
