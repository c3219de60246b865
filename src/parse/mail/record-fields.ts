/** Parses fields and report addresses of mail records: RFC 8461 section 3.1, RFC 8460 section 3. */
import { trimBlanks } from "../header-syntax.ts";

/** A name and a value. Fields are separated by semicolons; the last semicolon is optional. */
const fieldPattern = /^([a-z0-9][a-z0-9_.-]{0,31})=([\x21-\x3a\x3c-\x7e][\x20-\x3a\x3c-\x7e]*)$/i;

/** All values by field name, from the text after the version; null if malformed. */
export function parseRecordFields(text: string): ReadonlyMap<string, readonly string[]> | null {
  const fields = new Map<string, string[]>();
  const parts = text.split(";").map(trimBlanks);
  if (parts.at(-1) === "") parts.pop();
  for (const part of parts) {
    const [matched, name = "", value = ""] = fieldPattern.exec(part) ?? [];
    if (matched === undefined) return null;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

// Parses the report URIs of DMARC (RFC 9989 section 4.8) and TLS reporting (RFC 8460 section 3).

export interface ReportUri {
  /** As written, without the size suffix that RFC 7489 allowed. */
  readonly text: string;
  /** `other`: a scheme that report senders do not support. `invalid`: not a URI, or without a destination. */
  readonly kind: "mailto" | "https" | "other" | "invalid";
  /** Destination host: ASCII, lower case; empty for `other` and `invalid`. */
  readonly host: string;
}

/** RFC 7489 section 6.4; RFC 9989 requires readers to ignore it. */
const sizeSuffix = /!\d{1,20}[kmgt]?$/i;
/** RFC 3986 section 3.1 and the characters of a URI. A comma ends the URI, and a semicolon the tag. */
const uriPattern = /^([a-z][a-z0-9+.-]*):([\w.~:/?#[\]@$&'()*+=%-]+)$/i;
/** RFC 6068 section 2; message fields follow a question mark. */
const mailboxPattern = /^[^@?]+@([^@?]+)(?:\?.*)?$/;
const hostPattern = /^(?!.{254})(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Parsed URIs in order; empty for an empty value. */
export function parseReportUris(list: string): readonly ReportUri[] {
  if (list.trim() === "") return [];
  return list.split(",").map((part) => parseReportUri(part.trim()));
}

function parseReportUri(written: string): ReportUri {
  const text = written.replace(sizeSuffix, "");
  const [matched, scheme = "", rest = ""] = uriPattern.exec(text) ?? [];
  if (matched === undefined) return { text, kind: "invalid", host: "" };
  switch (scheme.toLowerCase()) {
    case "mailto":
      return withHost(text, "mailto", mailboxPattern.exec(rest)?.[1]);
    case "https":
      return withHost(text, "https", rest.startsWith("//") ? URL.parse(text)?.hostname : undefined);
    default:
      return { text, kind: "other", host: "" };
  }
}

function withHost(text: string, kind: ReportUri["kind"], given: string | undefined): ReportUri {
  const host = given?.toLowerCase() ?? "";
  return hostPattern.test(host) ? { text, kind, host } : { text, kind: "invalid", host: "" };
}
