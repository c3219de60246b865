/** The API: the auth guard checks every request, and every failure gets the specification's shape. */
import { bearer } from "@elysiajs/bearer";
import { Elysia, NotFoundError, ParseError } from "elysia";
import type { RateLimit } from "../base/rate-limit.ts";
import { allowedMethods, type Route } from "../http/allowed-methods.ts";
import { BodyBrokenOff } from "../http/request-body.ts";
import { pathOf } from "../http/server.ts";
import { answer, answerError, noRequestContext, prepareHeaders, type RequestContext } from "./answer.ts";
import { type AuthGuard, createAuthGuard } from "./auth-guard.ts";
import { ApiError, internalError, invalidBody, methodNotAllowed, routeNotFound, unauthenticated } from "./errors.ts";
import { answerHealth, answerReadiness, type Readiness } from "./health.ts";
import { createOpenapiAnswer } from "./openapi.ts";
import { routesOf } from "./operation.ts";
import { apiOperations } from "./operations.ts";
import { RenderedBodies } from "./rendered-bodies.ts";
import { unknownReportFormat } from "./scans/reads.ts";
import type { ApiServices } from "./services.ts";

const openapiPath = "/api/v1/openapi.json";

export interface ApiSettings extends ApiServices {
  /** Per account and calling address; by default `api.rate_per_minute`. */
  readonly requestLimit?: RateLimit;
  /** Failed authentications per calling address. Valid tokens are not counted. */
  readonly failedAuthenticationLimit?: RateLimit;
  readonly ready: () => Readiness;
}

/** @throws Error when a trusted proxy is neither an address nor a range. */
export function createApi(settings: ApiSettings) {
  const { log } = settings;
  const authGuard = createAuthGuard(settings);

  // With `standardHostname` the router searches the path from the eleventh character, which fails for a short host such as "nas".
  const app = new Elysia({ name: "api", strictPath: true, normalize: false, handler: { standardHostname: false } })
    .decorate("requestContext", noRequestContext)
    .onRequest((context) => {
      const { request } = context;
      context.requestContext = { requestId: crypto.randomUUID(), limitHeaders: {}, caller: null };
      normalizeScheme(request.headers);
      return request.method === "OPTIONS" ? answerOptions(routes, context.requestContext, pathOf(request)) : undefined;
    })
    .onError(({ error, requestContext, request }) => {
      const refusal = refusalOf(error, routes, request);
      if (error instanceof BodyBrokenOff) log.info("request broken off", { requestId: requestContext.requestId });
      if (refusal !== null) return answerError(requestContext, refusal);
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error("request failed", { requestId: requestContext.requestId, error: text });
      return answerError(requestContext, internalError());
    })
    .use(apiRoutes(settings, authGuard, peerOf));
  const routes: readonly Route[] = app.routes.filter(({ method }) => method !== "ALL");
  return app;

  /** Not from the context: a context that has the server costs every request more. */
  function peerOf(request: Request): string | null {
    return app.server?.requestIP(request)?.address ?? null;
  }
}

export type Api = ReturnType<typeof createApi>;

/** A lone surrogate: no URL can carry it, which switches a source of the extractor off. */
const unsendableName = "\ud800";

/** An operation reads its body itself. */
const unparsed = { parse: "none" } as const;

/** `peerOf`: address of the peer; null for a Unix socket. */
function apiRoutes(settings: ApiSettings, authGuard: AuthGuard, peerOf: (request: Request) => string | null) {
  const answerOpenapi = createOpenapiAnswer(settings.config["scan.header_chars_max"]);
  const { checks } = settings;
  const api = { ...settings, scanBodies: new RenderedBodies(checks), clientBodies: new RenderedBodies(checks) };
  const elysia = new Elysia({ name: "routes" })
    .decorate("requestContext", noRequestContext)
    .get("/healthz", ({ requestContext }) => answerHealth(requestContext))
    .get("/readyz", ({ requestContext }) => answerReadiness(requestContext, settings.ready()))
    .get(openapiPath, ({ requestContext }) => answerOpenapi(requestContext))
    .all(openapiPath, notFound, unparsed)

    // Everything below needs a token.
    .use(bearer({ extract: { body: unsendableName, query: unsendableName, header: "Bearer" } }))
    .derive(({ bearer: token, request, requestContext }) => {
      authGuard(request, token, peerOf(request), requestContext);
      return {};
    })
    // Without this route, Elysia answers 404 to an unknown path or method before the auth guard runs.
    .all("/api/*", notFound, unparsed);
  const operationRoutes = apiOperations.flatMap((operation) => routesOf(operation).map((route) => ({ operation, ...route })));
  for (const { operation, method, path, fixed } of operationRoutes)
    elysia.route(
      method,
      path,
      ({ bearer: token, request, requestContext, params }) => {
        const { caller } = requestContext;
        if (caller === null) throw unauthenticated();
        const allParams = fixed === null ? params : { ...params, ...fixed };
        return operation.serve({ request, requestContext, bearer: token, params: allParams, account: caller, api });
      },
      unparsed,
    );
  // Otherwise other methods would take such a path for one with a parameter.
  for (const path of literalPathsWithin(operationRoutes)) elysia.all(path, notFound, unparsed);
  return elysia;
}

/** Paths without a parameter that are also of the form of a path with parameters. */
function literalPathsWithin(routes: readonly Route[]): readonly string[] {
  const [literal, patterns] = [routes.filter(({ path }) => !path.includes(":")), routes.filter(({ path }) => path.includes(":"))];
  return [...new Set(literal.map(({ path }) => path))].filter((path) => allowedMethods(patterns, path).length > 0);
}

/** Becomes a 404, or a 405 for a path that answers other methods. */
function notFound(): never {
  throw new NotFoundError();
}

function answerOptions(routes: readonly Route[], requestContext: RequestContext, path: string): Response {
  const allowed = allowedMethods(routes, path);
  if (allowed.length === 0) return answerError(requestContext, routeNotFound());
  return answer(requestContext, 204, null, prepareHeaders({ allow: allowed.join(", ") }));
}

/** Null for a fault of the program. */
function refusalOf(error: unknown, routes: readonly Route[], request: Request): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof ParseError || error instanceof BodyBrokenOff) return invalidBody("cannot be read", "url");
  if (!(error instanceof Error && "code" in error && error.code === "NOT_FOUND")) return null;
  const path = pathOf(request);
  const allowed = allowedMethods(routes, path);
  if (allowed.length > 0 && !allowed.includes(request.method)) return methodNotAllowed(allowed);
  return unknownReportFormat(path) ?? routeNotFound();
}

/** The extractor knows one spelling of "Bearer" and drops the character after it. RFC 9110 section 11.1 allows any case. */
function normalizeScheme(headers: Headers): void {
  const field = headers.get("authorization");
  if (field === null || (field.startsWith("Bearer ") && field[7] !== " ")) return;
  headers.set("authorization", bearerScheme.test(field) ? field.replace(bearerScheme, "Bearer ") : "");
}

const bearerScheme = /^bearer +/i;
