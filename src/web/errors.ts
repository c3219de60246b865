/** Errors of the pages, one constructor each: status and texts. */
import type { OidcRefused } from "../accounts/oidc/oidc-sign-in.ts";
import { printRetrySeconds } from "../base/documents.ts";
import { scansOfAccountPerHourMax, scansOfProvenPage } from "../scans/start-limits.ts";
import type { TextValues } from "../text/i18n.ts";
import type { I18n, TextPath } from "../text/translator.ts";

/** Block in `pages.errors` with `title`, `what` and `next`. */
type ErrorName = TextPath extends infer Path ? (Path extends `errors.${infer Name}.next` ? Name : never) : never;

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

export const notFound = () => new PageError(404, "notFound");

/** One error for unknown and for malformed tokens. */
export const scanNotFoundPage = () => new PageError(404, "scanNotFound");

/** Refused cancellation: only a scan that waits can be cancelled. */
export const scanBegunPage = () => new PageError(409, "scanBegun");

/** One error for unknown proofs, and for proofs of other accounts. */
export const proofNotFoundPage = () => new PageError(404, "proofNotFound");

export const proofLimitPage = (isGuest: boolean, i18n: Pick<I18n, "duration" | "number">, seconds: number) => {
  const figures = { scans: i18n.number(scansOfProvenPage), perHour: i18n.number(scansOfAccountPerHourMax) };
  const values = { wait: i18n.duration(seconds), ...(!isGuest && figures) };
  return new PageError(429, isGuest ? "proofLimitGuest" : "proofLimit", values, { "retry-after": String(seconds) });
};

/** Workers make no proofs, and this server may see another page than they. */
export const proofElsewherePage = (location: string) => new PageError(409, "proofElsewhere", { location });

export const proofRefusedPage = () => new PageError(403, "proofRefused");

const queueRetrySeconds = 60;
export const proofQueueFullPage = () => new PageError(503, "proofQueueFull", {}, { "retry-after": String(queueRetrySeconds) });

export const methodNotAllowedPage = (allowed: readonly string[]) =>
  new PageError(405, "methodNotAllowed", {}, { allow: allowed.join(", ") });

export const signInFirst = () => new PageError(401, "signInFirst");

export const adminOnly = () => new PageError(403, "adminOnly");

/** The owner of the sites lets this member read them only. */
export const sitesReadOnly = () => new PageError(403, "sitesReadOnly");

/** The plan of the account has no brand. */
export const brandNotInPlan = () => new PageError(403, "brandNotInPlan");

/** Failed CSRF check: sent by another site, or by an outdated page. */
export const csrfRejected = () => new PageError(403, "formNotOurs");

export const formMalformed = () => new PageError(400, "formBroken");

/** The rest of the body stays unread, so the connection must close. */
export const formTooLong = () => new PageError(413, "tooLong", {}, { connection: "close" });

export const hostUnknown = () => new PageError(400, "hostNotOurs");

/** Seconds after which an operator may have made space. */
const diskRetrySeconds = 60;

/** Nothing was stored. */
export const diskFullPage = () => new PageError(503, "diskFull", {}, { "retry-after": String(diskRetrySeconds) });

/** Too many wait for the browser that prints, or it failed. */
export const pdfUnavailable = () => new PageError(503, "pdfUnavailable", {}, { "retry-after": String(printRetrySeconds) });

/** Seconds after which a provider that does not answer may be asked again. */
const providerRetrySeconds = 30;

/** Refused sign-in by the identity provider `provider`. */
export const oidcRefusedPage = (because: OidcRefused["because"], provider: string) =>
  because === "unreachable"
    ? new PageError(503, "oidc-unreachable", { provider }, { "retry-after": String(providerRetrySeconds) })
    : new PageError(403, `oidc-${because}`, { provider });

/** Internal error: visitors only learn the request id. */
export const internalErrorPage = () => new PageError(500, "internal");
