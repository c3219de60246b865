/** Cuts what a server sent to the limits of evidence: every probe passes its texts and headers through here. */
import type { HeaderField } from "./facts.ts";
import { headerFieldsMax, headerNameCharsMax, headerValueCharsMax } from "./limits.ts";
import { withoutCookieValue } from "./redact.ts";

/** Controls except the tab, which RFC 9110 section 5.5 allows inside a field value. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/g;
const replacement = "\ufffd";

/** At most `charsMax` characters, with control characters and halves of surrogate pairs replaced by U+FFFD. */
export function boundedText(text: string, charsMax: number): { readonly text: string; readonly truncated: boolean } {
  // Cut before the replacing, or a text of many megabytes would be gone through as a whole.
  const kept = text.slice(0, charsMax);
  // The way through bytes marks halves of pairs, and makes a copy: a slice would hold on to the whole text that it is cut from.
  return { text: Buffer.from(kept.replace(controls, replacement)).toString(), truncated: text.length > charsMax };
}

/**
 * Header fields in the order received, duplicates kept; a name or value beyond its limit is cut, a field beyond the count
 * is dropped. Values of cookies are replaced before the cutting, so that a long one costs its attributes nothing.
 */
export function boundedHeaders(pairs: readonly (readonly [name: string, value: string])[]): {
  readonly headers: readonly HeaderField[];
  readonly headersDropped: number;
} {
  const headers = pairs.slice(0, headerFieldsMax).map(([name, raw]) => {
    const value = boundedText(name.toLowerCase() === "set-cookie" ? withoutCookieValue(raw) : raw, headerValueCharsMax);
    return { name: boundedText(name, headerNameCharsMax).text, value: value.text, truncated: value.truncated };
  });
  return { headers, headersDropped: Math.max(0, pairs.length - headerFieldsMax) };
}
