/** Validates the URLs of scans and webhooks, and returns their stored form. */

/** Limit in characters, for the submitted and for the stored form. */
export const scanUrlCharsMax = 2_048;
/** RFC 1035 section 2.3.4: 63 characters per label, 253 in total without the trailing dot. */
const hostNameCharsMax = 253;
/**
 * Host as the URL parser returns it: lower-case ASCII labels. RFC 1123 section 2.1 allows no underscore, and no hyphen at the ends of a label.
 * Browsers load such names all the same. Only the last label must begin with a letter or digit: `IsCanonicalizedHostCompliant` of Chromium.
 */
const hostNamePattern = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9][a-z0-9_-]{0,62}\.?$/;
/** The URL parser skips further slashes, and takes the first path segment for the host. */
const emptyHostPattern = /^https?:\/\/\//i;

/** API message per fault; completes "url ...". */
export const scanUrlFaults = {
  "too-long": `must be at most ${scanUrlCharsMax} characters long`,
  characters: "must not contain white space, control characters or backslashes",
  "not-absolute": "must be an absolute URL that begins with http:// or https://",
  invalid: "must be a valid URL",
  credentials: "must not contain a user name or password",
  host: "must name a host: a domain name, an IPv4 address or an IPv6 address in brackets",
  "too-long-in-ascii": `must be at most ${scanUrlCharsMax} characters long in its ASCII form`,
} as const;

export type ScanUrlFault = keyof typeof scanUrlFaults;
type ScanUrl = { readonly url: string } | { readonly fault: string; readonly code: ScanUrlFault };

/** Stricter than the WHATWG parser: input that needs repair was most likely a mistake. The URL is ASCII, without fragment. */
export function parseScanUrl(given: string): ScanUrl {
  if (given.length > scanUrlCharsMax) return refused("too-long");
  if (/[\s\p{Cc}\\]/u.test(given)) return refused("characters");
  if (!/^https?:\/\//i.test(given)) return refused("not-absolute");
  const url = URL.parse(given);
  if (url === null) return refused("invalid");
  if (url.username !== "" || url.password !== "") return refused("credentials");
  if (emptyHostPattern.test(given) || !isHost(url.hostname)) return refused("host");
  url.hash = "";
  if (url.href.length > scanUrlCharsMax) return refused("too-long-in-ascii");
  return { url: url.href };
}

function refused(code: ScanUrlFault): ScanUrl {
  return { fault: scanUrlFaults[code], code };
}

/**
 * Host as URLs of scans have it: lower-case ASCII, IPv6 in brackets. Also reads the other spellings that they may have. Null for anything
 * else, and for a host with a port.
 */
export function parseUrlHost(text: string): string | null {
  if (!/^(?:\[[^\]]*\]|[^/?#@:[\]]+)$/.test(text)) return null;
  const parsed = parseScanUrl(`http://${text}/`);
  return "url" in parsed ? new URL(parsed.url).hostname : null;
}

function isHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return true;
  return hostname.replace(/\.$/, "").length <= hostNameCharsMax && hostNamePattern.test(hostname);
}

/** Limit in characters, for the submitted and for the stored form. */
export const webhookUrlCharsMax = 2_000;

/** ASCII form of an absolute https URL, or of an http URL if allowed. Null for others, and for credentials, fragments and port 0. */
export function parseWebhookUrl(text: string, { allowHttp }: { readonly allowHttp: boolean }): string | null {
  if (text.length > webhookUrlCharsMax || text.includes("#")) return null;
  const parsed = parseScanUrl(text);
  if (!("url" in parsed) || parsed.url.length > webhookUrlCharsMax) return null;
  const { protocol, port } = new URL(parsed.url);
  return port !== "0" && (protocol === "https:" || allowHttp) ? parsed.url : null;
}
