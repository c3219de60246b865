/** Builds every answer of the API, so that no header is ever forgotten. */
import type { ApiError } from "./errors.ts";
import type { Headers, RequestContext } from "./request-context.ts";

/** JSON is read by programs: nothing here may be sniffed, framed or kept by somebody in between. */
const headersOfEveryAnswer = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;

/** `body` is JSON text, or null for a status that has none. `headers` win over the usual ones. */
export function answer(requestContext: RequestContext, status: number, body: string | null, headers: Headers = {}): Response {
  const all: Record<string, string> = {
    ...headersOfEveryAnswer,
    "x-request-id": requestContext.requestId,
    ...requestContext.limitHeaders,
    ...headers,
  };
  if (body === null) delete all["content-type"];
  return new Response(body, { status, headers: all });
}

/** The specification's error shape (section 7). */
export function answerError(requestContext: RequestContext, { status, message, fieldErrors, headers }: ApiError): Response {
  const body = fieldErrors === undefined ? { errorMessage: message } : { errorMessage: message, fieldErrors };
  return answer(requestContext, status, JSON.stringify(body), headers);
}
