/** Errors of the API: one constructor for each refusal that several operations share. An operation words its own with `ApiError`. */
import type { Outcome } from "../base/outcome.ts";
import type { NotReadyReason } from "./health.ts";

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

interface ApiErrorOptions {
  readonly headers?: Record<string, string>;
  /** Retry-After. */
  readonly retrySeconds?: number;
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

  constructor(status: number, message: string, { headers, retrySeconds, fieldErrors, reasons }: ApiErrorOptions = {}) {
    super(message);
    this.status = status;
    this.headers = { ...headers, ...(retrySeconds !== undefined && { "retry-after": String(retrySeconds) }) };
    this.fieldErrors = fieldErrors;
    this.reasons = reasons;
  }
}

/** What a use case has done. @throws ApiError that words its refusal */
export function doneOrThrow<Done, Code extends string>(outcome: Outcome<Done, Code>, errorOf: (refusal: Code) => ApiError): Done {
  if ("refused" in outcome) throw errorOf(outcome.refused);
  return outcome.done;
}

/** The same for absent, malformed, unknown, expired and revoked tokens. */
export function unauthenticated(): ApiError {
  return new ApiError(401, "A valid API token is required: Authorization: Bearer <token>.", { headers: { "www-authenticate": "Bearer" } });
}

export function rateLimitExceeded(retrySeconds: number): ApiError {
  return new ApiError(429, `Too many requests; try again in ${retrySeconds} s.`, { retrySeconds });
}

/** `what`: a sentence that says how proofs are counted. */
export function proofsExceeded(what: string, retrySeconds: number): ApiError {
  return new ApiError(429, `${what} Try again in ${retrySeconds} s.`, { retrySeconds });
}

export function planWithoutApi(plan: string): ApiError {
  return new ApiError(
    403,
    `The account is on the plan "${plan}", which does not include API access. An administrator of this appliance can change it, on /admin/users.`,
  );
}

export function administratorsOnly(): ApiError {
  return new ApiError(403, "Only administrators may do this.");
}

/** Each fault completes the name of its field, as in "name must be a string". */
export function invalidFields(fieldErrors: FieldErrors): ApiError {
  const faults = Object.entries(fieldErrors).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}.`));
  return new ApiError(400, faults.join(" "), { fieldErrors });
}

/** The body has no `field`, or none is required. `fault` completes "The body ...". */
export function invalidBody(fault: string, field: string | null): ApiError {
  return new ApiError(400, `The body ${fault}.`, { fieldErrors: field === null ? { body: [fault] } : { [field]: ["is required"] } });
}

/** The rest of the body is not read, so the connection cannot be reused. */
export function bodyTooLarge(bytesMax: number): ApiError {
  return new ApiError(413, `The body is longer than ${bytesMax} bytes.`, { headers: { connection: "close" } });
}

/** The same for an unknown record, a malformed identifier, and a record of another account. */
export function recordNotFound(
  kind:
    | "scan"
    | "proof"
    | "site"
    | "policy"
    | "channel"
    | "rule"
    | "delivery"
    | "acceptance"
    | "member"
    | "invitation"
    | "client"
    | "token",
): ApiError {
  return new ApiError(404, `There is no such ${kind}.`);
}

export type RecordKind = Parameters<typeof recordNotFound>[0];

/** `what`: in the plural. */
export function recordsExceeded(what: string, max: number): ApiError {
  return new ApiError(409, `There are at most ${max} ${what}; remove one first.`);
}

export function routeNotFound(): ApiError {
  return new ApiError(404, "There is nothing at this address.");
}

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  return new ApiError(405, `This address answers ${allowed.join(", ")}.`, { headers: { allow: allowed.join(", ") } });
}

/** Retry-After when the queue or the disk is full. */
export const queueRetrySeconds = 30;

export function queueFull(): ApiError {
  return new ApiError(503, "The queue is full; try again later.", { retrySeconds: queueRetrySeconds });
}

/** The disk is full. Nothing was accepted, and no accepted scan is lost. */
export function storeFull(): ApiError {
  return new ApiError(503, "There is no room on the disk to store this; try again later.", { retrySeconds: queueRetrySeconds });
}

/** Hides the cause, which is in the log. */
export function internalError(): ApiError {
  return new ApiError(500, "Something went wrong on our side.");
}
