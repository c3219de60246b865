/** Every page that says no, one constructor each: status, title, what happened and what to do. */
import type { TextValues } from "../text/i18n.ts";

/** Name of a block in `pages.errors`, which has a `title`, `what` and `next`. */
export type ErrorName =
  | "notFound"
  | "scanNotFound"
  | "methodNotAllowed"
  | "signInFirst"
  | "adminOnly"
  | "formNotOurs"
  | "formBroken"
  | "tooLong"
  | "hostNotOurs"
  | "internal";

/** The visitor erred, or must wait. Whatever else is thrown is our own fault and becomes a 500. */
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

/** The same for a token that was never handed out and for what is no token at all. */
export function scanNotFoundPage(): PageError {
  return new PageError(404, "scanNotFound");
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

/** Sent from another site, or from a page that is too old. */
export function formNotOurs(): PageError {
  return new PageError(403, "formNotOurs");
}

export function formBroken(): PageError {
  return new PageError(400, "formBroken");
}

/** The rest of the body is not read, so the connection cannot be used again. */
export function formTooLong(): PageError {
  return new PageError(413, "tooLong", {}, { connection: "close" });
}

export function hostNotOurs(): PageError {
  return new PageError(400, "hostNotOurs");
}

/** Ours, whatever it was: the visitor learns only under which id the log tells of it. */
export function internalErrorPage(): PageError {
  return new PageError(500, "internal");
}
