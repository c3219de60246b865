/** Operations that start scans, one or many, and cancel them. */
import { Type } from "@sinclair/typebox";
import { localLocation } from "../../parse/location.ts";
import { parseScanUrl, scanUrlCharsMax } from "../../parse/scan-url.ts";
import { cancelOwnScan, startScans } from "../../scans/scan-operations.ts";
import { idempotencyKeyHours, type StartOutcome, type StartRequest } from "../../store/start-scans.ts";
import type { HeaderFields } from "../answer.ts";
import { bulkBodyBytesMax, jsonBody } from "../body.ts";
import { ApiError, invalidFields, queueFull, queueRetrySeconds, recordNotFound } from "../errors.ts";
import { type Call, forAccounts, JsonAnswer, operation } from "../operation.ts";
import { answered, type Responses, refused, retryAfter } from "../responses.ts";
import { entriesAlone, model, nullable, open, worded } from "../schemas.ts";
import type { ApiServices } from "../services.ts";
import { noScan, ownScan, scanId, scansPath, scanToken, status, statusUrl, statusUrlOf, TokenParams } from "./reads.ts";

const wantedLocation = Type.Optional(
  Type.String({
    description: `Where to scan from: ${localLocation}, this appliance itself, when omitted, or a location of its workers. One that it does not know is refused.`,
  }),
);

const ScanRequest = model(
  "ScanRequest",
  Type.Object(
    {
      url: Type.String({
        description: `Absolute http or https URL without credentials, at most ${scanUrlCharsMax} characters. Its fragment is dropped.`,
        examples: ["https://site.example/"],
      }),
      location: wantedLocation,
    },
    open,
  ),
);

const ScanStarted = model("ScanStarted", Type.Object({ token: scanToken, id: scanId, status, statusUrl }));

/** URLs of one request. */
export const bulkUrlsMax = 1_000;

const BulkRequest = model(
  "BulkRequest",
  Type.Object({
    urls: worded(
      entriesAlone(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: bulkUrlsMax,
          description: `1 to ${bulkUrlsMax} URLs, each as \`url\` of ScanRequest. Equal ones share one scan.`,
          examples: [["https://site.example/", "https://other.example/"]],
        }),
      ),
      { wrong: "must be a list of URLs", min: "must have at least one URL", max: `must have at most ${bulkUrlsMax} URLs` },
    ),
    location: wantedLocation,
  }),
);

const BulkItem = Type.Object({
  index: Type.Integer({ minimum: 0, description: "Place of the line in urls, from 0." }),
  url: nullable(Type.String({ description: "The URL in its ASCII form and without fragment. Null if it is not valid." })),
  status: Type.Optional(Type.Literal("queued")),
  token: Type.Optional(scanToken),
  id: Type.Optional(scanId),
  statusUrl: Type.Optional(statusUrl),
  error: Type.Optional(
    Type.Object(
      {
        status: Type.Integer({ minimum: 400, maximum: 599, description: "Status that a request with this line alone would get." }),
        errorMessage: Type.String({ description: "For people; its wording may change." }),
      },
      { description: "Why no scan was started for this line. The other fields of a scan are absent then." },
    ),
  ),
});

const BulkStarted = model(
  "BulkStarted",
  Type.Object({
    items: Type.Array(BulkItem, { description: "One for each line, in the order of urls." }),
  }),
);

const bulkPath = `${scansPath}/bulk`;
const ofScans = forAccounts("scans");
export const replayed = { "Idempotency-Replayed": { $ref: "#/components/headers/Idempotency-Replayed" } };

export const idempotencyKeyCharsMax = 255;
const visibleAscii = /^[\x21-\x7e]+$/;
/** String of a structured field: RFC 9651 section 3.3.3. */
const structuredString = /^"((?:[^"\\]|\\["\\])*)"$/;

export const keyReused: Responses = { 422: refused("The Idempotency-Key belongs to another request.") };

export const idempotencyKeyHeader = {
  name: "Idempotency-Key",
  schema: {
    type: "string",
    description: `1 to ${idempotencyKeyCharsMax} visible ASCII characters, with or without quotes; new for each request. Repeating a request with it within ${idempotencyKeyHours} hours gives the same scans and starts none twice.`,
  },
};

export const scanStarts = [
  operation({
    id: "startScan",
    route: "POST /api/v1/scans",
    ...ofScans,
    summary: "Start a scan",
    description: "Queues a scan of one page. It is on disk when this answers.",
    headers: [idempotencyKeyHeader],
    body: jsonBody(ScanRequest),
    answers: {
      202: answered("The scan is queued.", ScanStarted, {
        Location: { description: "The full report: the same as statusUrl.", schema: { type: "string" } },
        ...replayed,
      }),
    },
    refusals: {
      400: refused("The body has no valid URL or an unknown location, and fieldErrors says why; or the Idempotency-Key is not valid."),
      ...keyReused,
      503: refused("The queue is full, or the disk.", undefined, undefined, retryAfter),
    },
    run: async ({ body, ...call }) => {
      const parsed = parseScanUrl(body.url);
      if ("fault" in parsed) throw invalidFields({ url: [parsed.fault] });
      const outcome = await queue(call, { path: scansPath, urls: [parsed.url], location: checkedLocation(call, body.location) });
      const [scan] = outcome.scans;
      if (scan === undefined || scan === "full") throw queueFull();
      const { token, id } = scan;
      const statusUrl = statusUrlOf(token);
      return new JsonAnswer({ token, id, status: "queued", statusUrl }, { location: statusUrl, ...replayedHeader(outcome) });
    },
  }),
  operation({
    id: "startScans",
    route: "POST /api/v1/scans/bulk",
    ...ofScans,
    summary: "Start many scans",
    description: [
      `Queues a scan for each of at most ${bulkUrlsMax} URLs; all are on disk when this answers. It counts as one request.`,
      "A line that cannot be scanned has an error and stops no other. Equal URLs share one scan.",
    ].join(" "),
    headers: [idempotencyKeyHeader],
    body: jsonBody(BulkRequest, { bytesMax: bulkBodyBytesMax }),
    answers: {
      200: answered("What became of each line. Retry-After is there if some found a full queue.", BulkStarted, {
        ...retryAfter,
        ...replayed,
      }),
    },
    refusals: {
      400: refused(
        `The body has no list of 1 to ${bulkUrlsMax} URLs or an unknown location, and fieldErrors says why; or the Idempotency-Key is not valid.`,
      ),
      ...keyReused,
      503: refused("The disk is full. No scan was started.", undefined, undefined, retryAfter),
    },
    run: async ({ body, ...call }) => {
      const lines = body.urls.map(lineOf);
      const urls = lines.map(({ url }) => url);
      const outcome = await queue(call, { path: bulkPath, urls, location: checkedLocation(call, body.location) });
      const retry: HeaderFields = outcome.scans.includes("full") ? { "retry-after": String(queueRetrySeconds) } : {};
      return new JsonAnswer({ items: bulkItems(lines, outcome.scans) }, { ...retry, ...replayedHeader(outcome) });
    },
  }),
  operation({
    id: "cancelScan",
    route: "DELETE /api/v1/scans/{token}",
    params: TokenParams,
    ...ofScans,
    summary: "Cancel a scan that waits",
    description: "Removes the scan from the queue and from all lists. A scan that has begun, or is over, stays.",
    record: { find: ownScan, missing: noScan },
    answers: { 204: { description: "The scan is gone." } },
    refusals: {
      409: refused("The scan has begun, or is over."),
      503: refused("The disk is full.", undefined, undefined, retryAfter),
    },
    run: async ({ record, account, api }) => {
      const cancelled = await cancelOwnScan(api, account, record.token);
      if ("done" in cancelled) return;
      // A request at the same time may have cancelled it.
      if (cancelled.refused === "unknown") throw recordNotFound("scan");
      if (cancelled.refused === "running") throw new ApiError(409, "The scan has begun; it can only be cancelled before.");
      throw new ApiError(409, "The scan is over; scans that are over stay.");
    },
  }),
];

export const administratorOperations = [
  operation({
    id: "cancelAnyScan",
    route: "POST /api/v1/admin/scans/{token}/cancel",
    params: TokenParams,
    audience: "administrators",
    tag: "administration",
    summary: "Cancel any scan, as an administrator",
    stores: false,
    description: [
      "Ends a scan of any account, waiting or running, on this machine or elsewhere. It fails with the code cancelled,",
      "which is stored when this answers.",
    ].join(" "),
    answers: { 204: { description: "The scan has failed with the code cancelled; also if it was cancelled before." } },
    refusals: {
      403: refused("The account is no administrator's, or its plan does not include API access."),
      404: refused("There is no such scan."),
      409: refused("The scan has ended otherwise."),
    },
    run: async ({ params, account, api }) => {
      const outcome = await api.cancelScan(params.token ?? "", account);
      if (outcome === "unknown") throw recordNotFound("scan");
      if (outcome === "over") throw new ApiError(409, "The scan is over.");
    },
  }),
];

/** A URL in its stored form, or why it is refused. */
type BulkLine = { readonly url: string } | { readonly url: null; readonly error: ApiError };

function lineOf(given: unknown): BulkLine {
  if (typeof given !== "string") return { url: null, error: invalidFields({ url: ["must be a string"] }) };
  const parsed = parseScanUrl(given);
  return "fault" in parsed ? { url: null, error: invalidFields({ url: [parsed.fault] }) } : parsed;
}

/** The URLs to scan: equal ones share one scan. */
function distinctUrls(urls: readonly (string | null)[]): readonly string[] {
  return [...new Set(urls.filter((url) => url !== null))];
}

/** One item for each line, in order. `scans`: the scans of `distinctUrls`, in their order. */
function bulkItems(lines: readonly BulkLine[], scans: StartOutcome["scans"]): readonly object[] {
  const scanOf = new Map(distinctUrls(lines.map(({ url }) => url)).map((url, at) => [url, scans[at]]));
  return lines.map((line, index) => {
    // A refused URL is never quoted: it may hold a password.
    if (line.url === null) return refusedItem(index, null, line.error);
    const scan = scanOf.get(line.url);
    if (scan === undefined || scan === "full") return refusedItem(index, line.url, queueFull());
    const { token, id } = scan;
    return { index, url: line.url, status: "queued", token, id, statusUrl: statusUrlOf(token) };
  });
}

function refusedItem(index: number, url: string | null, { status, message }: ApiError): object {
  return { index, url, error: { status, errorMessage: message } };
}

/** A worker may be revoked at any time, so the names are read for each request. @throws ApiError 400 */
export function checkedLocation({ api }: { readonly api: Pick<ApiServices, "locations"> }, location = localLocation): string {
  const known = [localLocation, ...api.locations.names()];
  if (!known.includes(location)) throw invalidFields({ location: [`must be one of ${known.join(", ")}`] });
  return location;
}

/** One scan for each of `distinctUrls`. */
async function queue({ request, requestContext, account, api }: Omit<Call, "params">, wanted: WantedScans): Promise<StartOutcome> {
  const idempotency = idempotencyOf(request, fingerprintOf(wanted));
  const urls = distinctUrls(wanted.urls);
  if (urls.length === 0) return { scans: [], replayed: false };
  const { location } = wanted;
  const { requestId } = requestContext;
  const started = await startScans(api, account, { urls, location, idempotency, requestId });
  if ("refused" in started) throw idempotencyKeyReused();
  return started.done;
}

export function replayedHeader({ replayed: isReplayed }: Pick<StartOutcome, "replayed">): HeaderFields {
  return isReplayed ? { "idempotency-replayed": "true" } : {};
}

/**
 * The key without quotes: clients also send it bare. Null without the header. Repeated headers arrive joined by a comma and a space.
 * @throws ApiError 400
 */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const field = headers.get("idempotency-key");
  if (field === null) return null;
  const key = field.startsWith('"') ? structuredString.exec(field)?.[1]?.replaceAll(/\\(.)/g, "$1") : field;
  if (key !== undefined && key.length <= idempotencyKeyCharsMax && visibleAscii.test(key)) return key;
  const message = `Idempotency-Key must be 1 to ${idempotencyKeyCharsMax} visible ASCII characters, with or without quotes, and be given once.`;
  throw new ApiError(400, message, { headers: idempotencyHeaders });
}

/** The draft asks for a link to the documentation. */
const idempotencyHeaders = { link: '</api>; rel="describedby"; type="text/html"' };

export function idempotencyKeyReused(): ApiError {
  return new ApiError(422, "This Idempotency-Key belongs to another request; choose a new one for each request.", {
    headers: idempotencyHeaders,
  });
}

/** What a request asks for. */
interface WantedScans {
  readonly path: string;
  /** In their stored form; null for one that is refused. */
  readonly urls: readonly (string | null)[];
  readonly location: string;
}

/** Null without a key. @throws ApiError 400 */
export function idempotencyOf(request: Request, fingerprint: string): StartRequest["idempotency"] {
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, fingerprint };
}

/** A request without location has the hash that it had before there were locations. */
export function fingerprintOf({ path, urls, location }: WantedScans): string {
  return hashOfParts(location === localLocation ? [path, urls] : [path, urls, location]);
}

export function hashOfParts(parts: readonly unknown[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("base64url");
}
