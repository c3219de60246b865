/** Reads the lists of URIs that DMARC (RFC 9989 section 4.8) and TLS reporting (RFC 8460 section 3) send reports to. */

export interface ReportUri {
  /** As written, without the size that RFC 7489 allowed behind it. */
  readonly text: string;
  /** `other`: a URI of a scheme that nobody sends to. `invalid`: no URI, or none that leads anywhere. */
  readonly kind: "mailto" | "https" | "other" | "invalid";
  /** Where it leads: an ASCII host name in lower case; empty for other and invalid ones. */
  readonly host: string;
}

/** RFC 7489 section 6.4; RFC 9989 has readers ignore it. */
const sizeSuffix = /!\d{1,20}[kmgt]?$/i;
/** RFC 3986 section 3.1, and the characters that a URI may consist of; a comma would end it, and a semicolon the tag. */
const uriForm = /^([a-z][a-z0-9+.-]*):([\w.~:/?#[\]@$&'()*+=%-]+)$/i;
/** RFC 6068 section 2; what stands behind a question mark are fields of the message. */
const mailboxForm = /^[^@?]+@([^@?]+)(?:\?.*)?$/;
const hostForm = /^(?!.{254})(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** In order; an empty list when the value is empty. */
export function parseReportUris(list: string): readonly ReportUri[] {
  if (list.trim() === "") return [];
  return list.split(",").map((part) => parseReportUri(part.trim()));
}

function parseReportUri(written: string): ReportUri {
  const text = written.replace(sizeSuffix, "");
  const [matched, scheme = "", rest = ""] = uriForm.exec(text) ?? [];
  if (matched === undefined) return { text, kind: "invalid", host: "" };
  switch (scheme.toLowerCase()) {
    case "mailto":
      return withHost(text, "mailto", mailboxForm.exec(rest)?.[1]);
    case "https":
      return withHost(text, "https", rest.startsWith("//") ? URL.parse(text)?.hostname : undefined);
    default:
      return { text, kind: "other", host: "" };
  }
}

function withHost(text: string, kind: ReportUri["kind"], given: string | undefined): ReportUri {
  const host = given?.toLowerCase() ?? "";
  return hostForm.test(host) ? { text, kind, host } : { text, kind: "invalid", host: "" };
}
