/** Elysia app of the pages: request context, routing and error pages. */
import { Elysia } from "elysia";
import { allowedMethods } from "../http/allowed-methods.ts";
import { BodyBrokenOff } from "../http/request-body.ts";
import { pathOf } from "../http/server.ts";
import { DataDirError } from "../store/data-dir.ts";
import { diskFullPage, formMalformed, hostUnknown, internalErrorPage, methodNotAllowedPage, notFound, PageError } from "./errors.ts";
import { guardedRoutes } from "./guards.ts";
import { errorPage } from "./page.tsx";
import { redirect, respond } from "./response.ts";
import { pageRoutes } from "./routes.ts";
import type { PagesSettings } from "./settings.ts";
import { type Visit, visitOf } from "./visit.ts";

/** `settingsNow` gives another object after a reload; a request keeps the one it began with. */
export function createPages(settingsNow: () => PagesSettings) {
  const settings = settingsNow();
  const { log } = settings;
  // `standardHostname` searches the path from the eleventh character on, which fails for a short host name such as "nas".
  const app = new Elysia({ name: "pages", strictPath: true, normalize: false, handler: { standardHostname: false } })
    // No visit exists before a request; a route that used this value would fail at once.
    .decorate("visit", null as unknown as Visit)
    .onRequest((context) => {
      const { request, server } = context;
      const { visit, refused } = visitOf(request, server?.requestIP(request)?.address ?? null, settingsNow());
      context.visit = visit;
      if (refused) return errorPage(visit, hostUnknown());
      return request.method === "OPTIONS" ? answerOptions(visit) : undefined;
    })
    .onError(({ error, visit }) => {
      // Without a visit no page can be rendered: the server answers and logs.
      if (visit === null) throw error;
      return withoutSlash(visit) ?? errorPage(visit, asPageError(error, visit));
    });
  for (const { path, get, post } of guardedRoutes(pageRoutes(settings))) {
    if (get !== undefined) app.get(path, ({ visit, params }) => get(visit, paramOf(params)));
    if (post !== undefined) app.post(path, ({ visit, params }) => post(visit, paramOf(params)));
  }
  return app;

  function answerOptions(visit: Visit): Response {
    const allowed = allowedMethods(app.routes, pathOf(visit.request));
    return allowed.length === 0 ? errorPage(visit, notFound()) : respond(visit, 204, null, { allow: allowed.join(", ") });
  }

  /** Redirects a path with a trailing slash to its page; null for every other failure. */
  function withoutSlash(visit: Visit): Response | null {
    const path = pathOf(visit.request);
    const page = path.slice(0, -1);
    // Matches a known route, so `//example.com/` cannot redirect to another host.
    const isPage = path.endsWith("/") && visit.request.method === "GET" && allowedMethods(app.routes, page).includes("GET");
    return isPage ? redirect(visit, `${page}${visit.url.search}`) : null;
  }

  function asPageError(error: unknown, { request, requestId }: Visit): PageError {
    if (error instanceof PageError) return error;
    if (error instanceof BodyBrokenOff) {
      log.info("request broken off", { requestId });
      return formMalformed();
    }
    if (error instanceof DataDirError && error.fault === "full") return diskFullPage();
    if (error instanceof Error && "code" in error && error.code === "NOT_FOUND") {
      const allowed = allowedMethods(app.routes, pathOf(request));
      return allowed.length === 0 || allowed.includes(request.method) ? notFound() : methodNotAllowedPage(allowed);
    }
    log.error("page failed", { requestId, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    return internalErrorPage();
  }
}

/** Value of the path's only placeholder. Elysia leaves `params` out for paths without one. */
function paramOf(params: Readonly<Record<string, string | null>> | undefined): string | null {
  const [value = ""] = Object.values(params ?? {});
  return value;
}
