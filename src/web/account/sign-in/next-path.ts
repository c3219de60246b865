/** Validates the return path after sign-in: only paths of this appliance. */

/** Before and after percent-encoding. */
const pathCharsMax = 2_048;
/** Placeholder origin: a path that resolves to another origin is rejected. */
const ownOrigin = "http://here.invalid";

/** Path and query as a browser resolves them; `fallback` for any other origin. */
export function nextPath(requested: string | null, fallback: string): string {
  if (requested === null || !requested.startsWith("/") || requested.length > pathCharsMax) return fallback;
  const url = URL.parse(requested, ownOrigin);
  if (url === null || url.origin !== ownOrigin) return fallback;
  const path = `${url.pathname}${url.search}`;
  // "/.//elsewhere" resolves to "//elsewhere", which a browser reads as a host.
  return path.startsWith("//") || path.length > pathCharsMax ? fallback : path;
}
