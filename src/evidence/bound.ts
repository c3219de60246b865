/** Cuts server data to the limits of evidence. All probes pass their texts and headers through this file. */
import type { HeaderField } from "./http-facts.ts";
import { headerFieldsMax, headerNameCharsMax, headerValueCharsMax } from "./limits.ts";
import type { SetCookieLine } from "./page-facts.ts";
import { randomBitsOf } from "./random-bits.ts";
import { cookieValueOf, withoutCookieValue } from "./redact.ts";

/** Control characters except the tab, which RFC 9110 section 5.5 allows in field values. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern tests for control characters
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/g;
const replacement = "\ufffd";

/** Text of at most `charsMax` characters. Control characters and unpaired surrogates become U+FFFD. */
export function boundedText(text: string, charsMax: number): { readonly text: string; readonly truncated: boolean } {
  // Cut first, so that the replacement never scans megabytes.
  const kept = text.slice(0, charsMax);
  // Encoding replaces unpaired surrogates and copies the text: a slice would keep the complete original in memory.
  return { text: Buffer.from(kept.replace(controls, replacement)).toString(), truncated: text.length > charsMax };
}

/** In received order. Cookie values are redacted before the cut, so that long values do not displace attributes. */
export function boundedHeaders(
  pairs: readonly (readonly [name: string, value: string])[],
  valueCharsMax = headerValueCharsMax,
): { readonly headers: readonly HeaderField[]; readonly headersDropped: number } {
  const headers = pairs.slice(0, headerFieldsMax).map(([name, raw]) => {
    const value = boundedText(name.toLowerCase() === "set-cookie" ? withoutCookieValue(raw) : raw, valueCharsMax);
    return { name: boundedText(name, headerNameCharsMax).text, value: value.text, truncated: value.truncated };
  });
  return { headers, headersDropped: Math.max(0, pairs.length - headerFieldsMax) };
}

/** Set-Cookie line without its value. Of a complete line, the random bits of the value are estimated before it is removed. */
export function boundedSetCookie(line: string, lineCharsMax: number): Omit<SetCookieLine, "host" | "overHttps"> {
  const truncated = line.length > lineCharsMax;
  const valueRandomBits = truncated ? 0 : randomBitsOf(cookieValueOf(line));
  return {
    line: boundedText(withoutCookieValue(line.slice(0, lineCharsMax)), lineCharsMax).text,
    truncated,
    ...(valueRandomBits > 0 ? { valueRandomBits } : {}),
  };
}
