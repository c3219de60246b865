/** Finds the character encoding that a media type or a meta element names. */

/** Type and subtype (MIME Sniffing section 4.4); without them no parameter counts. */
const essence = /^[\t\n\r ]*[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+[\t\n\r ]*(?:$|(?=;))/i;
/** A parameter: white space, a name, and a value up to the next semicolon, or within quotes (RFC 9110 section 5.6.4). */
const parameter = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.)*)(?:"|\\?$)[^;]*|([^;]*)))?/sy;

/** `charset` parameter of a Content-Type value (MIME Sniffing section 4.4, "parse a MIME type"); null when absent or empty. The first counts. */
export function charsetOfMediaType(value: string): string | null {
  const [head] = essence.exec(value) ?? [];
  if (head === undefined) return null;
  parameter.lastIndex = head.length;
  for (let found = parameter.exec(value); found !== null; found = parameter.exec(value)) {
    const [, name = "", quoted, bare = ""] = found;
    // White space before the equals sign would be part of the name, and such a name is none.
    const charset = (quoted?.replaceAll(/\\(.)/gs, "$1") ?? bare).trim();
    if (name.toLowerCase() === "charset" && charset !== "") return charset;
  }
  return null;
}

/** `charset`, an equals sign, and what stands in quotes, after a quote that never closes, or up to white space or a semicolon. */
const named = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(["'])|([^\t\n\f\r ;]*))/i;

/** The encoding that the `content` of `<meta http-equiv="content-type">` names (HTML standard, "extracting a character encoding"). */
export function charsetOfMetaContent(content: string): string | null {
  const [, double, single, , bare] = named.exec(content) ?? [];
  return (double ?? single ?? bare)?.trim() || null;
}

/** Is it a label of the Encoding standard? A browser takes any other, UTF-7 first of all, for none. */
export function isEncodingLabel(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
