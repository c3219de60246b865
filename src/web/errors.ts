/** Errors of the pages, one constructor each: status and texts. */

import type { OidcRefused } from "../account/oidc/oidc-sign-in.ts";
import { printRetrySeconds } from "../base/documents.ts";
import type { TextValues } from "../text/i18n.ts";

/** Block in `pages.errors` with `title`, `what` and `next`. */
export type ErrorName =
  | "notFound"
  | "scanNotFound"
  | "scanBegun"
  | "methodNotAllowed"
  | "signInFirst"
  | "adminOnly"
  | "sitesReadOnly"
  | "brandNotInPlan"
  | "formNotOurs"
  | "formBroken"
  | "tooLong"
  | "hostNotOurs"
  | "diskFull"
  | "pdfUnavailable"
  | `oidc-${OidcRefused["because"]}`
  | "internal";

/** Error caused by the visitor or by load. Anything else that is thrown becomes a 500. */
export class PageError extends Error {
  override readonly name = "PageError";
  constructor(
    readonly status: number,
    readonly kind: ErrorName,
    readonly values: TextValues = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(kind);
  }
}

export function notFound(): PageError {
  return new PageError(404, "notFound");
}

/** Equal for unknown and malformed tokens. */
export function scanNotFoundPage(): PageError {
  return new PageError(404, "scanNotFound");
}

/** Only a scan that waits can be cancelled. */
export function scanBegunPage(): PageError {
  return new PageError(409, "scanBegun");
}

export function methodNotAllowedPage(allowed: readonly string[]): PageError {
  return new PageError(405, "methodNotAllowed", {}, { allow: allowed.join(", ") });
}

export function signInFirst(): PageError {
  return new PageError(401, "signInFirst");
}

export function adminOnly(): PageError {
  return new PageError(403, "adminOnly");
}

/** The owner of the sites lets this member read them only. */
export function sitesReadOnly(): PageError {
  return new PageError(403, "sitesReadOnly");
}

/** The plan of the account has no brand. */
export function brandNotInPlan(): PageError {
  return new PageError(403, "brandNotInPlan");
}

/** Failed CSRF check: sent by another site, or by an outdated page. */
export function csrfRejected(): PageError {
  return new PageError(403, "formNotOurs");
}

export function formMalformed(): PageError {
  return new PageError(400, "formBroken");
}

/** The rest of the body stays unread, so the connection must close. */
export function formTooLong(): PageError {
  return new PageError(413, "tooLong", {}, { connection: "close" });
}

export function hostUnknown(): PageError {
  return new PageError(400, "hostNotOurs");
}

/** Seconds after which an operator may have made space. */
const diskRetrySeconds = 60;

/** Nothing was stored. */
export function diskFullPage(): PageError {
  return new PageError(503, "diskFull", {}, { "retry-after": String(diskRetrySeconds) });
}

/** Too many wait for the browser that prints, or it failed. */
export function pdfUnavailable(): PageError {
  return new PageError(503, "pdfUnavailable", {}, { "retry-after": String(printRetrySeconds) });
}

/** Seconds after which a provider that does not answer may be asked again. */
const providerRetrySeconds = 30;

/** Refused sign-in by the identity provider `provider`. */
export function oidcRefusedPage(because: OidcRefused["because"], provider: string): PageError {
  return because === "unreachable"
    ? new PageError(503, "oidc-unreachable", { provider }, { "retry-after": String(providerRetrySeconds) })
    : new PageError(403, `oidc-${because}`, { provider });
}

/** Internal error: visitors only learn the request id. */
export function internalErrorPage(): PageError {
  return new PageError(500, "internal");
}
