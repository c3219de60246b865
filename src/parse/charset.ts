/** Finds the character encoding that a media type or a meta element names. */

import { trimBlanks } from "./header-list.ts";
import { splitOutsideQuotes } from "./quoted.ts";

/** `charset` parameter of a Content-Type value (MIME Sniffing, "parse a MIME type"); null when absent or empty. The first counts. */
export function charsetOfMediaType(value: string): string | null {
  for (const parameter of parametersOf(value)) {
    const equals = parameter.indexOf("=");
    if (equals < 0 || trimBlanks(parameter.slice(0, equals)).toLowerCase() !== "charset") continue;
    const charset = unquoted(trimBlanks(parameter.slice(equals + 1)));
    if (charset !== "") return charset;
  }
  return null;
}

/** The encoding that the `content` of `<meta http-equiv="content-type">` names (HTML standard, "extracting a character encoding"). */
export function charsetOfMetaContent(content: string): string | null {
  return (
    /charset\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s;"']+))/i
      .exec(content)
      ?.slice(1)
      .find((found) => found !== undefined) ?? null
  );
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

/** Parts after the first semicolon. */
function parametersOf(value: string): readonly string[] {
  return splitOutsideQuotes(value, ";").slice(1);
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  const end = text.indexOf('"', 1);
  return text.slice(1, end < 0 ? text.length : end);
}
