/** Times requests by their route, for metrics. Nothing of a path but the names of its route is passed on. */
import { type HttpHandler, pathOf } from "./server.ts";

/** `route` is one of the given paths, or `otherRoute`. `seconds` last until the answer begins. */
export type RequestObserver = (route: string, status: number, seconds: number) => void;

/** Route of all requests to unknown paths. */
const otherRoute = "other";

/** `routes` are paths with parameters as `:name`. */
export function observeRequests(handler: HttpHandler, routes: readonly string[], observe: RequestObserver): HttpHandler {
  const routeOf = createRouteFinder(routes);
  return {
    fetch: (request) => {
      const startMs = performance.now();
      const observed = (response: Response) => {
        observe(routeOf(pathOf(request)), response.status, (performance.now() - startMs) / 1_000);
        return response;
      };
      const answered = handler.fetch(request);
      return answered instanceof Promise ? answered.then(observed) : observed(answered);
    },
    set server(server: unknown) {
      handler.server = server;
    },
  };
}

/** A path written out precedes one with parameters. */
function createRouteFinder(routes: readonly string[]): (path: string) => string {
  const known = routes.filter((route) => !route.includes("*"));
  const literal = new Set(known.filter((route) => !route.includes("/:")));
  const patterns = Map.groupBy(
    known.filter((route) => route.includes("/:")).map((route) => ({ route, parts: route.split("/") })),
    ({ parts }) => parts.length,
  );
  return (path) => {
    if (literal.has(path)) return path;
    const actual = path.split("/");
    const found = patterns.get(actual.length)?.find(({ parts }) => parts.every((part, at) => part === actual[at] || part.startsWith(":")));
    return found?.route ?? otherRoute;
  };
}
