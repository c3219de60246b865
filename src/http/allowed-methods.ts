/** Which methods an address answers: the framework knows only that a route and a method did not meet. */

export interface Route {
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
}

/** Methods that the path answers, sorted; empty when there is nothing at this path. HEAD comes with GET, OPTIONS with all. */
export function allowedMethods(routes: readonly Route[], path: string): readonly string[] {
  const methods = routes.filter((route) => matches(route.path, path)).map((route) => route.method);
  if (methods.length === 0) return [];
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort();
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, i) => part === given[i] || (part.startsWith(":") && given[i] !== ""));
}
