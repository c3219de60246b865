/** The API: the auth guard checks every request, and every failure gets the specification's shape. */
import { Elysia, ParseError, ValidationError } from "elysia";
import type { Log } from "../base/log.ts";
import { headerValueCharsMax } from "../evidence/limits.ts";
import type { CancelAnyScan } from "../evidence/scan.ts";
import { pdfFormat } from "../export/formats.ts";
import { allowedMethods } from "../http/allowed-methods.ts";
import { createClientAddress } from "../http/client-address.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { pathOf } from "../http/server.ts";
import type { AgencyApiSettings } from "./agency/agency-settings.ts";
import { answer, answerError, prepareHeaders } from "./answer.ts";
import { createAuthGuard } from "./auth-guard.ts";
import {
  ApiError,
  internalError,
  invalidBody,
  invalidListQuery,
  invalidLocale,
  invalidLocation,
  invalidReportQuery,
  invalidUrl,
  methodNotAllowed,
  routeNotFound,
  unknownReportFormat,
} from "./errors.ts";
import type { Readiness } from "./health.ts";
import { scansPath } from "./own-scan.ts";
import { type ReportFilesSettings, reportFormats } from "./report-files.ts";
import { noRequestContext, type RequestContext } from "./request-context.ts";
import { apiRoutes } from "./routes.ts";
import type { StartHandlersSettings } from "./start-scans.ts";

/** Specification, section 8. */
export const requestLimitDefault: RateLimit = { requestsMax: 60, windowSeconds: 60 };
/** Above the rate of a script with a revoked token, below that of guessing. */
const failedAuthenticationLimitDefault: RateLimit = { requestsMax: 60, windowSeconds: 60 };

export interface ApiSettings extends StartHandlersSettings, ReportFilesSettings, AgencyApiSettings {
  readonly store: StartHandlersSettings["store"] & ReportFilesSettings["store"] & AgencyApiSettings["store"];
  readonly requestLimit?: RateLimit;
  readonly failedAuthenticationLimit?: RateLimit;
  /** Characters that scans of this installation read of a response header, for the API's description. */
  readonly headerCharsMax?: number;
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly ready: () => Readiness;
  readonly cancelScan: CancelAnyScan;
  readonly log: Log;
}

/** @throws Error when a trusted proxy is neither an address nor a range. */
export function createApi(settings: ApiSettings) {
  const { store, now, log, headerCharsMax = headerValueCharsMax } = settings;
  const authGuard = createAuthGuard({
    store,
    clientAddressOf: createClientAddress(settings.trustedProxies),
    requestLimit: settings.requestLimit ?? requestLimitDefault,
    failedAuthenticationLimit: settings.failedAuthenticationLimit ?? failedAuthenticationLimitDefault,
    now,
    log,
  });

  // With `standardHostname` the router searches the path from the eleventh character, which fails for a short host such as "nas".
  const app = new Elysia({ name: "api", strictPath: true, normalize: false, handler: { standardHostname: false } })
    .decorate("requestContext", noRequestContext)
    .onRequest((context) => {
      const { request } = context;
      context.requestContext = { requestId: crypto.randomUUID(), limitHeaders: {}, caller: null };
      normalizeScheme(request.headers);
      return request.method === "OPTIONS" ? answerOptions(context.requestContext, pathOf(request)) : undefined;
    })
    .onError(({ error, requestContext, request }) => answerError(requestContext, asApiError(error, request, requestContext.requestId)))
    .use(apiRoutes({ ...settings, authGuard, peerOf, headerCharsMax }));
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  return app;

  /** Not from the context: a context that has the server costs every request more. */
  function peerOf(request: Request): string | null {
    return app.server?.requestIP(request)?.address ?? null;
  }

  function answerOptions(requestContext: RequestContext, path: string): Response {
    const allowed = allowedMethods(routes, path);
    if (allowed.length === 0) return answerError(requestContext, routeNotFound());
    return answer(requestContext, 204, null, prepareHeaders({ allow: allowed.join(", ") }));
  }

  function asApiError(error: unknown, request: Request, requestId: string): ApiError {
    const path = pathOf(request);
    if (error instanceof ApiError) return error;
    if (error instanceof ParseError) return error.cause instanceof ApiError ? error.cause : invalidBody("cannot be read");
    if (error instanceof ValidationError && error.type === "body") return asBodyError(error.value);
    if (error instanceof ValidationError && error.type === "query") return invalidQuery(path);
    if (error instanceof Error && "code" in error && error.code === "NOT_FOUND") {
      const allowed = allowedMethods(routes, path);
      return allowed.length === 0 || allowed.includes(request.method) ? nothingAt(path) : methodNotAllowed(allowed);
    }
    log.error("request failed", { requestId, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    return internalError();
  }
}

export type Api = ReturnType<typeof createApi>;

/** The extractor knows one spelling of "Bearer" and drops the character after it. RFC 9110 section 11.1 allows any case. */
function normalizeScheme(headers: Headers): void {
  const field = headers.get("authorization");
  if (field === null || (field.startsWith("Bearer ") && field[7] !== " ")) return;
  headers.set("authorization", bearerScheme.test(field) ? field.replace(bearerScheme, "Bearer ") : "");
}

const bearerScheme = /^bearer +/i;

/** Any name of a report file, known or not. */
const reportFilePath = new RegExp(`^${scansPath}/[^/]+/report(?:\\.[^/]*)?$`);

function nothingAt(path: string): ApiError {
  return reportFilePath.test(path) ? unknownReportFormat([...reportFormats, pdfFormat].map(({ extension }) => extension)) : routeNotFound();
}

function invalidQuery(path: string): ApiError {
  if (path === scansPath) return invalidListQuery();
  return reportFilePath.test(path) ? invalidReportQuery() : invalidLocale();
}

function asBodyError(body: unknown): ApiError {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return invalidBody("is not a JSON object");
  if (!("url" in body)) return invalidUrl("is required");
  return typeof body.url === "string" ? invalidLocation("must be a string") : invalidUrl("must be a string");
}
