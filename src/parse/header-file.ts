/** Parses a file of request header fields: one `Name: value` a line. */
import type { LineFault } from "./cookie-file.ts";

export interface GivenHeader {
  /** As written in the file. */
  readonly name: string;
  readonly value: string;
}

const headersMax = 50;
/** Common limit of servers for one line of a request head. */
const headerCharsMax = 8_000;
/** RFC 9110 section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** RFC 9110 section 5.5, without obsolete bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e]+$/;

/** Fields that the browser or the connection sets itself: another value breaks the request, or changes what a server sees of the page load. */
const reservedNames =
  /^(?:proxy-.*|sec-.*|access-control-.*|if-.*|:.*|accept-charset|accept-encoding|connection|content-(?:length|type|encoding)|cookie2?|date|expect|host|http2-settings|keep-alive|origin|range|referer|set-cookie2?|te|trailer|transfer-encoding|upgrade|via)$/i;

/** Faults never quote the file, because it holds secrets. */
export function parseHeaderFile(text: string): { readonly headers: readonly GivenHeader[] } | LineFault {
  const headers: GivenHeader[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const header = headerIn(line);
    const reason = typeof header === "string" ? header : faultAmong(header, headers);
    if (reason !== null) return { line: at + 1, reason };
    if (typeof header !== "string") headers.push(header);
  }
  return headers.length === 0 ? { line: 1, reason: "the file names no header" } : { headers };
}

/** A string is the reason of a refusal. */
function headerIn(line: string): GivenHeader | string {
  const colonAt = line.indexOf(":");
  if (colonAt < 1) return "a line must be Name: value";
  const [name, value] = [line.slice(0, colonAt), line.slice(colonAt + 1).trim()];
  if (!token.test(name)) return "the name before the colon is not that of a header";
  if (value === "") return "the header has no value";
  if (!fieldValue.test(value)) return "the value holds characters that a header must not have: only printable ASCII and tabs are allowed";
  if (line.length > headerCharsMax) return `the line has more than ${headerCharsMax} characters`;
  return { name, value };
}

function faultAmong({ name }: GivenHeader, before: readonly GivenHeader[]): string | null {
  if (/^cookie$/i.test(name)) return "cookies belong into the file of --cookie-file";
  if (reservedNames.test(name)) return "this header must not be set, because the browser sets it itself";
  if (before.some((other) => other.name.toLowerCase() === name.toLowerCase())) return "an earlier line sets the same header";
  return before.length === headersMax ? `the file has more than ${headersMax} headers` : null;
}
