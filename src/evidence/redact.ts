/** Cuts server data to the limits of evidence, and redacts credentials and secret-looking parameters. All probes use this file. */
import type { HeaderField } from "./http-facts.ts";
import { headerFieldsMax, headerNameCharsMax, headerValueCharsMax } from "./limits.ts";
import type { SetCookieLine } from "./page-facts.ts";
import { randomBitsOf } from "./random-bits.ts";

/** Replacement for redacted text. Shorter values are not redacted, so that texts never grow. */
const mark = "***";
/** User and password of a URL, with or without scheme, up to the last possible end. A mail address later in a list is not matched. */
const userInfo = /(^|\b[a-z][a-z0-9+.-]{0,20}:)\/\/(?:(?!,mailto:)[^\s/?#"'<>\\]){3,}@/gi;
/**
 * Secret-looking parameter of a query, a fragment (OAuth returns tokens there) or a path (`;jsessionid=`). Matches a part of the name, or
 * its last word. A few harmless parameters such as `zipcode` match too.
 */
const secretParameter =
  /([?&#;][^\s=&#?;"'<>]{0,64}?(?:token|secret|passw|passphrase|pwd|credential|signature|hmac|session|sessid|auth(?!or)|api[-_.]?key|jwt|otp|saml|(?:key|code|sig|sid|pass|ticket|assertion|state)(?=\]?=))[^\s=&#?;"'<>]{0,64}=)[^\s&#;"'<>]{3,}/gi;
/** Fields that contain only a secret. Set-Cookie is redacted separately. */
const secretField = /(?:token|secret|session|session-?id|api-?key|authorization|password|cookie2?)$/i;

/** Shorter secrets are replaced only as whole words, because they may be a part of another word. */
const anywhereCharsMin = 12;
/** Beginning of a secret at the end of a text, where a limit has cut it. */
const cutCharsMin = 6;

/**
 * Copy of the facts in which URL credentials, secret parameters, secret fields and the given texts are replaced. Unpaired surrogates
 * become U+FFFD. A second time changes nothing.
 */
export function withoutSecrets<T>(facts: T, secrets: readonly string[] = []): T {
  if (secrets.length === 0) return redacted(facts, redactedText) as T;
  const sent = secrets.map((secret) => ({ anywhere: patternOf(secret), lowerCase: secret.toLowerCase() }));
  const withoutSent = (text: string) =>
    sent.reduce((rest, { anywhere, lowerCase }) => withoutCutEnd(rest.replace(anywhere, mark), lowerCase), text);
  return redacted(facts, (text) => redactedText(withoutSent(text))) as T;
}

function patternOf(secret: string): RegExp {
  const escaped = RegExp.escape(secret);
  return new RegExp(secret.length < anywhereCharsMin ? `(?<![a-z0-9])${escaped}(?![a-z0-9])` : escaped, "gi");
}

function withoutCutEnd(text: string, secret: string): string {
  const lowerCase = text.toLowerCase();
  const start = secret.slice(0, cutCharsMin);
  for (let at = lowerCase.indexOf(start, Math.max(0, text.length - secret.length)); at >= 0; at = lowerCase.indexOf(start, at + 1))
    if (secret.startsWith(lowerCase.slice(at))) return text.slice(0, at) + mark;
  return text;
}

/** Set-Cookie line without its value. */
export function withoutCookieValue(line: string): string {
  const { start, end } = cookieValueRange(line);
  return `${line.slice(0, start)}<redacted>${line.slice(end)}`;
}

function cookieValueOf(line: string): string {
  const { start, end } = cookieValueRange(line);
  return line.slice(start, end).trim();
}

/** RFC 6265bis section 5.6: a pair ends at the first `;`, and its name at the first `=`. */
function cookieValueRange(line: string): { readonly start: number; readonly end: number } {
  const end = line.indexOf(";") < 0 ? line.length : line.indexOf(";");
  return { start: line.slice(0, end).indexOf("=") + 1, end };
}

/** RFC 9110 section 5.5 leaves bytes beyond ASCII undefined: UTF-8 is today's practice, Latin-1 the historic one. */
export function decodedHeaderValue(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1) || /[\u0100-\uffff]/.test(latin1)) return latin1;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(latin1, "latin1"));
  } catch {
    return latin1;
  }
}

function redacted(value: unknown, redactText: (text: string) => string): unknown {
  if (typeof value === "string") return redactText(value).toWellFormed();
  if (Array.isArray(value)) return value.map((part) => redacted(part, redactText));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, redacted(part, redactText)] as const);
  const { name, value: field } = value as { readonly name?: unknown; readonly value?: unknown };
  const isSecretField = typeof name === "string" && typeof field === "string" && field.length >= mark.length && isSecretFieldName(name);
  return Object.fromEntries(isSecretField ? [...entries, ["value", mark]] : entries);
}

function isSecretFieldName(name: string): boolean {
  return name.toLowerCase() !== "set-cookie" && secretField.test(name);
}

function redactedText(text: string): string {
  if (!/[@=]/.test(text)) return text;
  return text.replace(userInfo, `$1//${mark}@`).replace(secretParameter, `$1${mark}`);
}

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

type BoundedList<N extends string, T> = { readonly [K in N]: readonly T[] } & { readonly [K in `${N}Dropped`]: number };

/**
 * At most `itemsMax` items under the name of the list, and the number of the others under this name with `Dropped`. `unread`: others that
 * are not among the items. Also runs in pages.
 */
export function boundedList<N extends string, T>(name: N, items: readonly T[], itemsMax: number, unread = 0): BoundedList<N, T> {
  const kept = { [name]: items.slice(0, itemsMax), [`${name}Dropped`]: Math.max(0, items.length - itemsMax) + unread };
  return kept as BoundedList<N, T>;
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

/** Set-Cookie line without its value. In a complete line, the random bits of the value are estimated before it is removed. */
export function boundedSetCookie(line: string, lineCharsMax: number): Omit<SetCookieLine, "host" | "overHttps"> {
  const truncated = line.length > lineCharsMax;
  const valueRandomBits = truncated ? 0 : randomBitsOf(cookieValueOf(line));
  return {
    line: boundedText(withoutCookieValue(line.slice(0, lineCharsMax)), lineCharsMax).text,
    truncated,
    ...(valueRandomBits > 0 ? { valueRandomBits } : {}),
  };
}
