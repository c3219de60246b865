/** Builds every response of the API with its headers. */
import type { ApiError } from "./errors.ts";
import type { Headers, RequestContext } from "./request-context.ts";

/** Responses must not be sniffed, framed or cached by intermediaries. */
const commonHeaders = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;

/** `body` is JSON text, or null for a status without one. `headers` override the common ones. */
export function answer(requestContext: RequestContext, status: number, body: string | null, headers: Headers = {}): Response {
  const all: Record<string, string> = {
    ...commonHeaders,
    "x-request-id": requestContext.requestId,
    ...requestContext.limitHeaders,
    ...headers,
  };
  if (body === null) delete all["content-type"];
  return new Response(body, { status, headers: all });
}

export function answerError(requestContext: RequestContext, { status, message, fieldErrors, reasons, headers }: ApiError): Response {
  // JSON has no undefined members.
  const body = { errorMessage: message, fieldErrors, reasons };
  return answer(requestContext, status, JSON.stringify(body), headers);
}
