/** Errors of the API: one constructor for each row of the specification's table. */
import { locales } from "../check/check.ts";
import { localLocation } from "../parse/location.ts";
import type { NotReadyReason } from "./health.ts";
import { csvRows, fileBrands, listLimitMax } from "./schemas.ts";

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

interface ApiErrorOptions {
  readonly headers?: Record<string, string>;
  readonly fieldErrors?: FieldErrors;
  readonly reasons?: readonly NotReadyReason[];
}

/** Error of the client, or a request to wait. Any other error becomes a 500. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fieldErrors: FieldErrors | undefined;
  /** Only of the readiness probe, and while the server starts. */
  readonly reasons: readonly NotReadyReason[] | undefined;

  constructor(status: number, message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.status = status;
    this.headers = options.headers ?? {};
    this.fieldErrors = options.fieldErrors;
    this.reasons = options.reasons;
  }
}

/** The same for absent, malformed, unknown, expired and revoked tokens. */
export function unauthenticated(): ApiError {
  return new ApiError(401, "A valid API token is required: Authorization: Bearer <token>.", { headers: { "www-authenticate": "Bearer" } });
}

export function rateLimitExceeded(retryAfterSeconds: number): ApiError {
  return new ApiError(429, `Too many requests; try again in ${retryAfterSeconds} s.`, {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

export function planWithoutApi(plan: string): ApiError {
  return new ApiError(
    403,
    `The account is on the plan "${plan}", which does not include API access. An administrator of this appliance can change it, on /admin/users.`,
  );
}

/** `fault` completes "url ...". */
export function invalidUrl(fault: string): ApiError {
  return new ApiError(400, `url ${fault}.`, { fieldErrors: { url: [fault] } });
}

/** `fault` completes "urls ...". */
export function invalidUrls(fault: string): ApiError {
  return new ApiError(400, `urls ${fault}.`, { fieldErrors: { urls: [fault] } });
}

/** `known`: names of locations besides the server's own. */
export function unknownLocation(known: readonly string[]): ApiError {
  return invalidLocation(`must be one of ${[localLocation, ...known].join(", ")}`);
}

/** `fault` completes "location ...". */
export function invalidLocation(fault: string): ApiError {
  return new ApiError(400, `location ${fault}.`, { fieldErrors: { location: [fault] } });
}

/** The body has no `field`, or none is required. `fault` completes "The body ...". */
export function invalidBody(fault: string, field: string | null = "url"): ApiError {
  return new ApiError(400, `The body ${fault}.`, { fieldErrors: field === null ? { body: [fault] } : { [field]: ["is required"] } });
}

/** Each fault completes the name of its field, as in "name must be a string". */
export function invalidFields(fieldErrors: FieldErrors): ApiError {
  const faults = Object.entries(fieldErrors).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}.`));
  return new ApiError(400, faults.join(" "), { fieldErrors });
}

/** The draft asks for a link to the documentation. */
const idempotencyHeaders = { link: '</api>; rel="describedby"; type="text/html"' };

export function invalidIdempotencyKey(charsMax: number): ApiError {
  return new ApiError(
    400,
    `Idempotency-Key must be 1 to ${charsMax} visible ASCII characters, with or without quotes, and be given once.`,
    {
      headers: idempotencyHeaders,
    },
  );
}

export function idempotencyKeyReused(): ApiError {
  return new ApiError(422, "This Idempotency-Key belongs to another request; choose a new one for each request.", {
    headers: idempotencyHeaders,
  });
}

export function invalidLocale(): ApiError {
  return new ApiError(400, `locale must be one of ${locales.join(", ")}, and be given once.`);
}

export function invalidReportQuery(): ApiError {
  return new ApiError(
    400,
    `locale must be one of ${locales.join(", ")}, csv one of ${csvRows.join(", ")}, strict true or false, and brand one of ${fileBrands.join(", ")}; each may be given once.`,
  );
}

export function invalidListQuery(): ApiError {
  return new ApiError(400, `limit must be a whole number from 1 to ${listLimitMax}, and cursor a nextCursor of an earlier page.`);
}

/** The same for an unknown token, a malformed one and that of another account's scan. */
export function scanNotFound(): ApiError {
  return new ApiError(404, "There is no such scan.");
}

/** `known`: extensions of the export formats. */
export function unknownReportFormat(known: readonly string[]): ApiError {
  return new ApiError(404, `There is no such report; there are ${known.map((extension) => `report.${extension}`).join(", ")}.`);
}

export function scanNotOver(retryAfterSeconds: number): ApiError {
  return new ApiError(409, "The scan is not over yet; its report can be read then.", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** Only a scan that waits can be cancelled. */
export function scanBegun(status: "running" | "finished" | "failed"): ApiError {
  return new ApiError(
    409,
    status === "running" ? "The scan has begun; it can only be cancelled before." : "The scan is over; scans that are over stay.",
  );
}

/** Scans that are over stay as they are. */
export function scanOver(): ApiError {
  return new ApiError(409, "The scan is over.");
}

export function administratorsOnly(): ApiError {
  return new ApiError(403, "Only administrators may do this.");
}

export function nothingToReport(extension: string): ApiError {
  return new ApiError(
    409,
    `The page could not be measured, so there is nothing to write to report.${extension}; report.json has the reason.`,
  );
}

/** `retryAfterSeconds`: after which the browser that prints is likely to be free. */
export function printingUnavailable(retryAfterSeconds: number): ApiError {
  return new ApiError(503, "The PDF could not be printed now, since the browser for it is busy; try again later, or read report.html.", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** Of an account that has stored none. */
export function brandNotFound(status: 404 | 409): ApiError {
  return new ApiError(status, "The account has no brand; set one with PUT /api/v1/brand.");
}

export function routeNotFound(): ApiError {
  return new ApiError(404, "There is nothing at this address.");
}

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  return new ApiError(405, `This address answers ${allowed.join(", ")}.`, { headers: { allow: allowed.join(", ") } });
}

/** The rest of the body is not read, so the connection cannot be reused. */
export function bodyTooLarge(bytesMax: number): ApiError {
  return new ApiError(413, `The body is longer than ${bytesMax} bytes.`, { headers: { connection: "close" } });
}

export function queueFull(retryAfterSeconds: number): ApiError {
  return new ApiError(503, "The queue is full; try again later.", { headers: { "retry-after": String(retryAfterSeconds) } });
}

/** The disk is full. Nothing was accepted, and no accepted scan is lost. */
export function storeFull(retryAfterSeconds: number): ApiError {
  return new ApiError(503, "There is no room on the disk to store this; try again later.", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

export function notReady(reasons: readonly NotReadyReason[]): ApiError {
  return new ApiError(503, `Not ready: ${reasons.map(({ because }) => because).join("; ")}.`, { reasons });
}

/** The server checks or opens its store; the same request is answered later. */
export function stillStarting(reasons: readonly NotReadyReason[], retryAfterSeconds: number): ApiError {
  return new ApiError(503, `The server is starting; try again in ${retryAfterSeconds} s.`, {
    headers: { "retry-after": String(retryAfterSeconds) },
    reasons,
  });
}

/** Hides the cause, which is in the log. */
export function internalError(): ApiError {
  return new ApiError(500, "Something went wrong on our side.");
}
