/** Takes out of evidence what opens doors: it is stored and shown, and whoever reads a report is not whom a secret was made for. */

/** Stands for what was taken out of a URL or a field. A place that held less held no secret, so nothing ever grows. */
const mark = "***";

/** User and password of a URL with or without its scheme, up to the last sign that can end them; a mail address behind it in a list is neither. */
const userInfo = /(^|\b[a-z][a-z0-9+.-]{0,20}:)\/\/(?:(?!,mailto:)[^\s/?#"'<>\\]){3,}@/gi;
/**
 * A parameter of a query, of a fragment (OAuth hands out tokens there) or of a path (`;jsessionid=`) that is named like a
 * secret: by a part of its name, or by the word that its name ends with. Better a `zipcode` too many than a code too few.
 */
const secretParameter =
  /([?&#;][^\s=&#?;"'<>]{0,64}?(?:token|secret|passw|passphrase|pwd|credential|signature|hmac|session|sessid|auth(?!or)|api[-_.]?key|jwt|otp|saml|(?:key|code|sig|sid|pass|ticket|assertion|state)(?=\]?=))[^\s=&#?;"'<>]{0,64}=)[^\s&#;"'<>]{3,}/gi;
/** Fields that carry nothing but a secret. Set-Cookie has a form of its own. */
const secretField = /(?:token|secret|session|session-?id|api-?key|authorization|password|cookie2?)$/i;

/** The same facts, with credentials of URLs, values of parameters named like secrets and fields named like secrets replaced. */
export function withoutSecrets<T>(facts: T): T {
  return redacted(facts) as T;
}

/**
 * A Set-Cookie line without the value, which opens a session. RFC 6265bis section 5.6: the pair goes up to the first semicolon, its
 * name up to the first equals sign.
 */
export function withoutCookieValue(line: string): string {
  const pairEnd = line.indexOf(";") < 0 ? line.length : line.indexOf(";");
  const nameEnd = line.slice(0, pairEnd).indexOf("=");
  return `${line.slice(0, nameEnd + 1)}<redacted>${line.slice(pairEnd)}`;
}

function redacted(value: unknown): unknown {
  if (typeof value === "string") return redactedText(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, redacted(part)] as const);
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
