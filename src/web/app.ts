/** The pages as a whole: every request becomes a visit, every failure a page that says what to do. */
import { Elysia } from "elysia";
import { allowedMethods } from "../http/allowed-methods.ts";
import { pathOf } from "../http/server.ts";
import { profileRoutes } from "./account/profile/profile.tsx";
import { resetRoutes } from "./account/registration/reset.tsx";
import { setupRoutes } from "./account/registration/setup.tsx";
import { signUpRoutes } from "./account/registration/sign-up.tsx";
import { secondFactorRoutes } from "./account/second-factor/second-factor.tsx";
import { secondStepRoutes } from "./account/sign-in/second-step.tsx";
import { signInRoutes } from "./account/sign-in/sign-in.tsx";
import { signOutRoutes } from "./account/sign-in/sign-out.tsx";
import { tokenRoutes } from "./account/tokens/tokens.tsx";
import { adminChecksRoutes } from "./admin/checks.tsx";
import { adminRoutes } from "./admin/overview.tsx";
import { adminSettingsRoutes } from "./admin/settings.tsx";
import { adminUsersRoutes } from "./admin/users.tsx";
import { redirect, respond } from "./answer.tsx";
import { assetRoutes } from "./assets.ts";
import { errorPage } from "./error-page.tsx";
import { hostNotOurs, internalError, methodNotAllowed, notFound, PageError } from "./errors.ts";
import { homeRoutes } from "./home.tsx";
import { legalRoutes } from "./legal.tsx";
import { plansRoutes } from "./plans.tsx";
import { aboutRoutes } from "./reference/about.tsx";
import { apiReferenceRoutes } from "./reference/api-reference.tsx";
import { checkRoutes } from "./reference/checks.tsx";
import { migrateRoutes } from "./reference/migrate.tsx";
import { scanRoutes } from "./scan.tsx";
import { startRoutes } from "./scanning/start-scan.tsx";
import { hostRoutes } from "./scans/host.tsx";
import { ownScansRoutes } from "./scans/own-scans.tsx";
import { publicListRoutes } from "./scans/public-list.tsx";
import type { PagesSettings } from "./settings.ts";
import { pageGroup, type Visit, visitOf } from "./visit.ts";
import { wellKnownRoutes } from "./well-known.ts";

export function createPages(settings: PagesSettings) {
  const { log } = settings;
  // `standardHostname` would look for the path behind the eleventh character, and find none on a host called "nas".
  const app = new Elysia({ name: "pages", strictPath: true, normalize: false, handler: { standardHostname: false } })
    .use(pageGroup("base"))
    .onRequest((context) => {
      const { request, server } = context;
      const { visit, refused } = visitOf(request, server?.requestIP(request)?.address ?? null, settings);
      context.visit = visit;
      if (refused) return errorPage(visit, hostNotOurs());
      return request.method === "OPTIONS" ? answerOptions(visit) : undefined;
    })
    .onError(({ error, visit }) => {
      // Not even the visit came about, and without one there is no page: the server itself says so, and the log why.
      if (visit === null) throw error;
      return withoutSlash(visit) ?? errorPage(visit, asPageError(error, visit));
    })
    .use(assetRoutes())
    .use(homeRoutes())
    .use(checkRoutes())
    .use(apiReferenceRoutes())
    .use(aboutRoutes())
    .use(migrateRoutes())
    .use(plansRoutes())
    .use(legalRoutes())
    .use(wellKnownRoutes())
    .use(adminRoutes())
    .use(adminUsersRoutes())
    .use(adminSettingsRoutes())
    .use(adminChecksRoutes())
    .use(signInRoutes())
    .use(secondStepRoutes())
    .use(signOutRoutes())
    .use(setupRoutes())
    .use(signUpRoutes())
    .use(resetRoutes())
    .use(profileRoutes())
    .use(secondFactorRoutes())
    .use(tokenRoutes())
    .use(startRoutes(settings))
    .use(publicListRoutes())
    .use(hostRoutes())
    .use(ownScansRoutes())
    .use(scanRoutes());
  return app;

  function answerOptions(visit: Visit): Response {
    const allowed = allowedMethods(app.routes, pathOf(visit.request));
    return allowed.length === 0 ? errorPage(visit, notFound()) : respond(visit, 204, null, { allow: allowed.join(", ") });
  }

  /** To the page whose address somebody closed with a slash; null when there is no such page, and for every other failure. */
  function withoutSlash(visit: Visit): Response | null {
    const path = pathOf(visit.request);
    const page = path.slice(0, -1);
    // What matches a route begins with a name of ours, so no path such as `//example.com/` leads elsewhere.
    const isPage = path.endsWith("/") && visit.request.method === "GET" && allowedMethods(app.routes, page).includes("GET");
    return isPage ? redirect(visit, `${page}${visit.url.search}`) : null;
  }

  function asPageError(error: unknown, { request, requestId }: Visit): PageError {
    if (error instanceof PageError) return error;
    if (error instanceof Error && "code" in error && error.code === "NOT_FOUND") {
      const allowed = allowedMethods(app.routes, pathOf(request));
      return allowed.length === 0 || allowed.includes(request.method) ? notFound() : methodNotAllowed(allowed);
    }
    log.error("page failed", { requestId, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    return internalError();
  }
}
