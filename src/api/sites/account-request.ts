/** Requests about sites and notifications of the caller's account: body, query and identifiers. */
import { isObject } from "../../base/is-object.ts";
import { recordIdPattern } from "../../base/record-id.ts";
import type { LocationDirectory } from "../../evidence/scan.ts";
import { nearest } from "../../parse/nearest.ts";
import type { SiteServices } from "../../sites/site-services.ts";
import type { Account } from "../../store/accounts.ts";
import type { Page, PageRequest } from "../../store/page.ts";
import type { Store } from "../../store/store.ts";
import { answer, prepareHeaders } from "../answer.ts";
import { bodyBytesMax, readJson } from "../body.ts";
import { invalidBody, invalidFields, invalidListQuery } from "../errors.ts";
import type { HeaderFields, RequestContext } from "../request-context.ts";
import { listLimitDefault, listLimitMax } from "../schemas.ts";
import { stillCalling } from "../writing.ts";

export const sitesPath = "/api/v1/sites";
export const channelsApiPath = "/api/v1/channels";
export const rulesPath = "/api/v1/rules";
export const deliveriesPath = "/api/v1/deliveries";
export const eventsPath = "/api/v1/events";

export interface AccountRequest {
  readonly request: Request;
  readonly bearer: string | undefined;
  readonly requestContext: RequestContext;
  /** Parameters of the path. Broken percent-encoding arrives as null. */
  readonly params: Readonly<Record<string, string | null | undefined>>;
}

export type AccountHandler = (given: AccountRequest) => Response | Promise<Response>;

export interface SiteApiSettings {
  readonly store: Pick<Store, "accounts" | "apiTokens" | "sites" | "siteRuns" | "events" | "channels" | "rules" | "deliveries">;
  readonly locations: Pick<LocationDirectory, "names">;
  readonly sites: SiteServices;
  /** Called when scans were queued. */
  readonly wake: () => void;
  readonly now: () => Date;
}

interface FieldsTerms {
  /** Fields of the body; any other is refused. */
  readonly names: readonly string[];
  /** Field that an unreadable body lacks; null if none is required. */
  readonly required: string | null;
  readonly bytesMax?: number;
}

/** Fields of a body, and the caller once more. */
export interface GivenBody {
  readonly account: Account;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @throws ApiError 413, 400 for anything but a JSON object of these fields, 401 for a token that was revoked meanwhile. */
export async function readFields(
  { store, now }: SiteApiSettings,
  given: AccountRequest,
  { names, required, bytesMax = bodyBytesMax }: FieldsTerms,
): Promise<GivenBody> {
  const body = await readJson(given.request, { bytesMax, field: required });
  const account = stillCalling(store, given, now());
  if (!isObject(body)) throw invalidBody("is not a JSON object", required);
  assertKnownFields(body, names);
  return { account, fields: body };
}

/** A misspelled field would otherwise change nothing, silently. @throws ApiError 400 */
export function assertKnownFields(body: object, names: readonly string[]): void {
  const stray = Object.keys(body).find((name) => !names.includes(name));
  if (stray === undefined) return;
  const shown = stray.slice(0, strayCharsMax);
  const meant = nearest(shown, names);
  throw invalidFields({ [shown]: [`is not known here${meant === null ? "" : `; did you mean ${meant}?`}`] });
}

const strayCharsMax = 64;

/** @throws ApiError 400 for an object without any of its fields. */
export function assertSomeField(given: object, names: readonly string[], field = "body"): void {
  if (Object.keys(given).length === 0) throw invalidFields({ [field]: [`must have at least one of ${names.join(", ")}`] });
}

/** @throws ApiError 400 */
export function pageRequestOf({ url }: Request): PageRequest {
  const { searchParams } = new URL(url);
  const [limit, cursor] = [onceOrNull(searchParams, "limit"), onceOrNull(searchParams, "cursor")];
  if (limit !== null && (!recordIdPattern.test(limit) || Number(limit) > listLimitMax)) throw invalidListQuery();
  if (cursor !== null && !recordIdPattern.test(cursor)) throw invalidListQuery();
  return { limit: limit === null ? listLimitDefault : Number(limit), cursor: cursor === null ? null : Number(cursor) };
}

/** @throws ApiError 400 for a parameter that is given twice. */
export function onceOrNull(params: URLSearchParams, name: string): string | null {
  const values = params.getAll(name);
  if (values.length > 1) throw invalidFields({ [name]: ["must be given once"] });
  return values[0] ?? null;
}

export function answerJson({ requestContext }: AccountRequest, status: number, body: object, headers: HeaderFields = {}): Response {
  return answer(requestContext, status, JSON.stringify(body), prepareHeaders(headers));
}

export function answerNothing({ requestContext }: AccountRequest): Response {
  return answer(requestContext, 204, null);
}

export function answerPage<T>(given: AccountRequest, { items, nextCursor }: Page<T>, bodyOf: (item: T) => object): Response {
  return answerJson(given, 200, { items: items.map(bodyOf), nextCursor: nextCursor === null ? null : String(nextCursor) });
}
