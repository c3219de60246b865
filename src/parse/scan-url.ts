/** Which addresses may be handed in for a scan, and the one form in which each is stored. */

/** Characters of an address, as given and in its stored form. */
export const scanUrlCharsMax = 2_048;

/** RFC 1035 section 2.3.4: 63 characters a label, 253 in all without the closing dot. */
const hostNameCharsMax = 253;
/** A host after the URL parser is done with it: lower-case ASCII labels. Underscores are not host names by the letter, but are served. */
const hostNamePattern = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/;

export type ScanUrl = { readonly url: string } | { readonly fault: string };

/**
 * An absolute http or https URL in its ASCII form, without fragment; or what is wrong with it, for whoever sent it.
 * Stricter than the WHATWG parser, which repairs: what it would repair was most likely meant otherwise.
 */
export function parseScanUrl(given: string): ScanUrl {
  if (given.length > scanUrlCharsMax) return { fault: `must be at most ${scanUrlCharsMax} characters long` };
  if (/[\s\p{Cc}\\]/u.test(given)) return { fault: "must not contain white space, control characters or backslashes" };
  if (!/^https?:\/\//i.test(given)) return { fault: "must be an absolute URL that begins with http:// or https://" };
  const url = URL.parse(given);
  if (url === null) return { fault: "must be a valid URL" };
  if (url.username !== "" || url.password !== "") return { fault: "must not contain a user name or password" };
  if (!isHost(url.hostname)) return { fault: "must name a host: a domain name, an IPv4 address or an IPv6 address in brackets" };
  url.hash = "";
  if (url.href.length > scanUrlCharsMax) return { fault: `must be at most ${scanUrlCharsMax} characters long in its ASCII form` };
  return { url: url.href };
}

function isHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return true;
  return hostname.replace(/\.$/, "").length <= hostNameCharsMax && hostNamePattern.test(hostname);
}
