/** Every path of the API, with its schema and handler. A new endpoint is one file, one entry here and one in openapi.ts. */
import { bearer } from "@elysiajs/bearer";
import { Elysia, NotFoundError } from "elysia";
import type { CancelAnyScan } from "../evidence/scan.ts";
import type { AgencyApiSettings } from "./agency/agency-settings.ts";
import type { AuthGuard } from "./auth-guard.ts";
import { bodyBytesMax, readJson } from "./body.ts";
import { createCancelAnyScan } from "./cancel-any-scan.ts";
import { answerHealth, answerReadiness, type Readiness } from "./health.ts";
import { createOpenapiAnswer } from "./openapi.ts";
import { adminCancelPath, bulkPath, checksPath, scansPath } from "./own-scan.ts";
import { localeOf, reportFileOptionsOf } from "./queries.ts";
import { RenderedBodies } from "./rendered-bodies.ts";
import { createReportFiles, type ReportFilesSettings } from "./report-files.ts";
import { noRequestContext } from "./request-context.ts";
import { createScanHandlers } from "./scans.ts";
import { ListQuery, LocaleQuery, ReportFileQuery, ScanRequest } from "./schemas.ts";
import { accountRoutes, bulkSitesPath } from "./sites/account-routes.ts";
import { createStartHandlers, type StartHandlersSettings } from "./start-scans.ts";
import { createStoredHandlers } from "./stored-result.ts";

const openapiPath = "/api/v1/openapi.json";

export interface ApiRoutesSettings extends StartHandlersSettings, ReportFilesSettings, AgencyApiSettings {
  readonly store: StartHandlersSettings["store"] & ReportFilesSettings["store"] & AgencyApiSettings["store"];
  readonly ready: () => Readiness;
  readonly authGuard: AuthGuard;
  readonly cancelScan: CancelAnyScan;
  /** Address of the peer; null for a Unix socket. */
  readonly peerOf: (request: Request) => string | null;
  /** Characters that this installation reads of a response header. */
  readonly headerCharsMax: number;
}

/** A lone surrogate: no URL can carry it, which switches a source of the extractor off. */
const unsendableName = "\ud800";

/** For requests without a body, and for handlers that read it themselves. */
const unparsed = { parse: "none" } as const;

export function apiRoutes({ ready, authGuard, peerOf, headerCharsMax, ...settings }: ApiRoutesSettings) {
  const answerOpenapi = createOpenapiAnswer(headerCharsMax);
  const bodies = new RenderedBodies(settings.checks);
  const scans = createScanHandlers(settings, bodies);
  const starts = createStartHandlers(settings);
  const stored = createStoredHandlers(settings);
  const cancelAny = createCancelAnyScan(settings.cancelScan);
  const files = createReportFiles(settings, bodies);
  const routes = new Elysia({ name: "routes" })
    .decorate("requestContext", noRequestContext)
    .get("/healthz", ({ requestContext }) => answerHealth(requestContext))
    .get("/readyz", ({ requestContext }) => answerReadiness(requestContext, ready()))
    .get(openapiPath, ({ requestContext }) => answerOpenapi(requestContext))
    .all(openapiPath, notFound, unparsed)

    // Everything below needs a token.
    .use(bearer({ extract: { body: unsendableName, query: unsendableName, header: "Bearer" } }))
    .derive(({ bearer: token, request, requestContext }) => {
      authGuard(request, token, peerOf(request), requestContext);
      return {};
    })
    .post(scansPath, ({ body, bearer: token, request, requestContext }) => starts.start(body, { request, bearer: token, requestContext }), {
      body: ScanRequest,
      // Elysia parses before `derive`. `transform` runs after it, so no body is read without a valid token.
      parse: () => ({}),
      transform: async (context) => {
        (context as { body: unknown }).body = await readJson(context.request, { bytesMax: bodyBytesMax, field: "url" });
      },
    })
    .post(bulkPath, ({ bearer: token, request, requestContext }) => starts.startAll({ request, bearer: token, requestContext }), unparsed)
    // Otherwise other methods would take the path for that of a scan.
    .all(bulkPath, notFound, unparsed)
    .delete(`${scansPath}/:token`, ({ params, requestContext }) => starts.cancel(params.token, requestContext), unparsed)
    .get(scansPath, ({ query, requestContext }) => scans.list(query, requestContext), { query: ListQuery })
    .get(
      `${scansPath}/:token`,
      ({ params, query, request, requestContext }) => scans.report(params.token, localeOf(query.locale, request), request, requestContext),
      { query: LocaleQuery },
    )
    .get(
      `${scansPath}/:token/security`,
      ({ params, query, request, requestContext }) =>
        scans.security(params.token, localeOf(query.locale, request), request, requestContext),
      { query: LocaleQuery },
    )
    .get(`${scansPath}/:token/result`, ({ params, request, requestContext }) => stored.result(params.token, request, requestContext))
    .post(adminCancelPath, ({ params, requestContext }) => cancelAny(params.token, requestContext), unparsed)
    .get(checksPath, ({ request, requestContext }) => stored.checks(request, requestContext))
    .all(bulkSitesPath, notFound, unparsed)
    // Without this route, Elysia answers 404 to an unknown path or method before the auth guard runs.
    .all("/api/*", notFound, unparsed);
  for (const [method, path, handler] of accountRoutes(settings)) {
    routes.route(
      method,
      path,
      ({ bearer: token, request, requestContext, params }) => handler({ bearer: token, request, requestContext, params }),
      unparsed,
    );
  }
  for (const { extension, read } of files) {
    routes.get(
      `${scansPath}/:token/report.${extension}`,
      ({ params: { token }, query, request, requestContext }) =>
        read({ token, options: reportFileOptionsOf(query, request), request, requestContext }),
      { query: ReportFileQuery },
    );
  }
  return routes;
}

/** Becomes a 404, or a 405 for a path that answers other methods. */
function notFound(): never {
  throw new NotFoundError();
}
