/** Validates the return path after sign-in: only paths of this appliance. */

const pathCharsMax = 2_048;
/** Placeholder origin: a path that resolves to another origin is rejected. */
const here = "http://here.invalid";

/** Path and query as a browser resolves them; `fallback` for any other origin. */
export function nextPath(asked: string | null, fallback: string): string {
  if (asked === null || !asked.startsWith("/") || asked.length > pathCharsMax) return fallback;
  const url = URL.parse(asked, here);
  if (url === null || url.origin !== here) return fallback;
  const path = `${url.pathname}${url.search}`;
  // "/.//elsewhere" resolves to "//elsewhere", which a browser reads as a host.
  return path.startsWith("//") ? fallback : path;
}
