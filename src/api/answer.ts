/** State of a request, and every response of the API with its headers. */
import type { Account } from "../store/accounts.ts";
import type { ApiError } from "./errors.ts";

export type HeaderFields = Readonly<Record<string, string>>;

/** State of one request, from its arrival to its answer. */
export interface RequestContext {
  readonly requestId: string;
  /** RateLimit-* headers; empty until the auth guard has counted the request. */
  limitHeaders: HeaderFields;
  /** Set by the auth guard; null for a request that it has not passed. */
  caller: Account | null;
}

/** Default of a route: without a caller, so that a route without the auth guard refuses. */
export const noRequestContext: RequestContext = { requestId: "", limitHeaders: {}, caller: null };

/** Responses must not be sniffed, framed or cached by intermediaries. */
const commonHeaders = new Headers({
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
});

/** Common headers with `fields`, which override them, for answers that are sent often: a copy costs a fifth of a conversion. */
export function prepareHeaders(fields: HeaderFields): Headers {
  const headers = new Headers(commonHeaders);
  setAll(headers, fields);
  return headers;
}

/** `body` is text or bytes of the prepared media type, or null for a status without one. `prepared` stays unchanged. */
export function answer(
  { requestId, limitHeaders }: RequestContext,
  status: number,
  body: string | Uint8Array<ArrayBuffer> | null,
  prepared = commonHeaders,
): Response {
  const headers = new Headers(prepared);
  headers.set("x-request-id", requestId);
  setAll(headers, limitHeaders);
  if (body === null) headers.delete("content-type");
  return new Response(body, { status, headers });
}

export function answerError(requestContext: RequestContext, { status, message, fieldErrors, reasons, headers }: ApiError): Response {
  // JSON has no undefined members.
  const body = { errorMessage: message, fieldErrors, reasons };
  return answer(requestContext, status, JSON.stringify(body), prepareHeaders(headers));
}

function setAll(headers: Headers, fields: HeaderFields): void {
  for (const name in fields) headers.set(name, fields[name] ?? "");
}
