/** Allowed methods of a path, for 405 and OPTIONS: the framework does not distinguish a wrong method from an unknown path. */

export interface Route {
  readonly method: string;
  /** Parameters as `:name`. */
  readonly path: string;
}

/** Sorted; empty for an unknown path. GET adds HEAD, and every path has OPTIONS. A path written out precedes one with parameters. */
export function allowedMethods(routes: readonly Route[], path: string): readonly string[] {
  const literal = routes.filter((route) => route.path === path);
  const methods = (literal.length > 0 ? literal : routes.filter((route) => matches(route.path, path))).map((route) => route.method);
  if (methods.length === 0) return [];
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort();
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const actual = path.split("/");
  return expected.length === actual.length && expected.every((part, i) => part === actual[i] || (part.startsWith(":") && actual[i] !== ""));
}
