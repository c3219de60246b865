/** A URL as the path of a file, for formats that know findings in files of a repository only. */

/** Characters of a path besides letters and digits: RFC 3986 section 3.3. */
const outsidePath = /[^a-z0-9\-._~!$&'()*+,;=:@/%]/gi;
const brokenEscape = /%(?![0-9a-f]{2})/gi;
const outsideHost = /[^a-z0-9.-]/gi;

/**
 * Host and port with `_` for their punctuation, as in `localhost_8443`: a colon in the first segment of a relative reference would end a scheme
 * (RFC 3986 section 4.2). Never empty.
 */
export function hostSegment(url: string): string {
  return (webAddress(url)?.host ?? (url || "_")).replaceAll(outsideHost, "_");
}

/** Relative reference without leading slash, as in `www.example.org/shop`; a start page is `www.example.org/`. Without the query. */
export function locationPath(url: string): string {
  const path = webAddress(url)?.pathname ?? "/";
  return hostSegment(url) + path.replaceAll(brokenEscape, "%25").replaceAll(outsidePath, encodeURIComponent);
}

/** Null for what no browser would load. */
function webAddress(url: string): URL | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed : null;
}

/** Path of a file in the repository as a relative reference; null for a path that names no file below it. */
export function anchorPath(file: string): string | null {
  const segments = file
    .toWellFormed()
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..")) return null;
  return segments.map(encodeURIComponent).join("/");
}
