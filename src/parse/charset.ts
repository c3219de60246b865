/** Extracts the character encoding from a media type or a meta element. */

/** Type and subtype (MIME Sniffing section 4.4). A parameter counts only after both. */
const essence = /^[\t\n\r ]*[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+[\t\n\r ]*(?:$|(?=;))/i;
/** White space, a name, and a value: quoted, or up to the next semicolon (RFC 9110 section 5.6.4). */
const parameter = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)(?:"|\\?$)[^;]*|([^;]*)))?/sy;

/** First non-empty `charset` parameter of a Content-Type value (MIME Sniffing section 4.4, "parse a MIME type"); null if absent. */
export function charsetOfMediaType(value: string): string | null {
  const [head] = essence.exec(value) ?? [];
  if (head === undefined) return null;
  parameter.lastIndex = head.length;
  for (let found = parameter.exec(value); found !== null; found = parameter.exec(value)) {
    const [, name = "", quoted, bare = ""] = found;
    // White space before the equals sign is part of the name, so such a name never matches.
    const charset = (quoted?.replaceAll(/\\(.)/gs, "$1") ?? bare).trim();
    if (name.toLowerCase() === "charset" && charset !== "") return charset;
  }
  return null;
}

/** `charset=` with a quoted value, an unclosed quote, or a value that ends at white space or a semicolon. */
const metaCharset = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(["'])|([^\t\n\f\r ;]*))/i;

/** Encoding in the `content` of `<meta http-equiv="content-type">` (HTML standard, "extracting a character encoding"); null if absent. */
export function charsetOfMetaContent(content: string): string | null {
  const [, double, single, , bare] = metaCharset.exec(content) ?? [];
  return (double ?? single ?? bare)?.trim() || null;
}

/** True for a label of the Encoding standard. Browsers ignore all other labels, UTF-7 included. */
export function isEncodingLabel(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
