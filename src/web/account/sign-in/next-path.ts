/** Where to go after signing in: only ever to a page of our own. */

const pathCharsMax = 2_048;
/** Stands for this appliance, whatever it is called: what leaves it leads elsewhere. */
const here = "http://here.invalid";

/** The path and query that were asked for, as a browser would resolve them; `fallback` for anything that is not one of ours. */
export function nextPath(asked: string | null, fallback: string): string {
  if (asked === null || !asked.startsWith("/") || asked.length > pathCharsMax) return fallback;
  const url = URL.parse(asked, here);
  if (url === null || url.origin !== here) return fallback;
  const path = `${url.pathname}${url.search}`;
  // "/.//elsewhere" resolves to a path that a browser would take for a host.
  return path.startsWith("//") ? fallback : path;
}
