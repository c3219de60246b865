/** OpenAPI 3.1 description, built from the schemas that validate requests. */

import { headerValueCharsMax } from "../evidence/limits.ts";
import { pdfFormat } from "../export/formats.ts";
import { idempotencyKeyHours } from "../store/idempotent-starts.ts";
import { agencyPaths } from "./agency/agency-operations.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { bodyBytesMax } from "./body.ts";
import { bulkBodyBytesMax } from "./bulk.ts";
import { idempotencyKeyCharsMax } from "./idempotency-key.ts";
import { apiModels } from "./models.ts";
import { error, json, parameters, refusals, retryAfter } from "./openapi-parts.ts";
import { reportFormats } from "./report-files.ts";
import type { RequestContext } from "./request-context.ts";
import { bulkUrlsMax, ListQuery, LocaleQuery, ReportFileParams, ReportFileQuery, TokenParams } from "./schemas.ts";
import { notificationPaths } from "./sites/notification-operations.ts";
import { sitePaths } from "./sites/site-operations.ts";
import { webhookOperations } from "./sites/webhook-operations.ts";

/** Plain data: OpenAPI 3.1 uses JSON Schema, which typebox schemas are. `headerCharsMax` is the limit of this installation. */
export function openapiDocument(headerCharsMax = headerValueCharsMax) {
  return {
    openapi: "3.1.1",
    info: {
      title: "assay",
      version: "1",
      summary: "Scans web pages with a real browser and tells how secure they are.",
      description: [
        "Scans are asynchronous: start one, then read it. Every finished scan is public; there is no way to hide one.",
        `This appliance reads the first ${headerCharsMax} characters of a response header (scan.header_chars_max).`,
        "A check whose header is longer is notChecked, and the full report names the reason header-truncated.",
      ].join(" "),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This appliance" }],
    tags: [
      { name: "scans", description: "Start scans and read what they found." },
      { name: "sites", description: "Sites that are watched: scanned by a schedule, with events on what changed." },
      { name: "notifications", description: "Channels, rules that say what they get, events and their deliveries." },
      { name: "agencies", description: "What an agency gives to its clients, and who shares its sites." },
      { name: "webhooks", description: "Requests that the appliance sends to a channel. They follow the Standard Webhooks specification." },
      { name: "administration", description: "For accounts of administrators." },
    ],
    security: [{ apiToken: [] }],
    paths: {
      "/api/v1/scans": { post: startScan, get: listScans },
      "/api/v1/scans/bulk": { post: startScans },
      "/api/v1/scans/{token}": { get: readReport, delete: cancelScan },
      "/api/v1/scans/{token}/security": { get: readSecurity },
      "/api/v1/scans/{token}/result": { get: readStored },
      "/api/v1/scans/{token}/report.{extension}": { get: readReportFile },
      "/api/v1/checks": { get: readChecks },
      ...sitePaths,
      ...notificationPaths,
      ...agencyPaths,
      "/api/v1/admin/scans/{token}/cancel": { post: cancelAnyScan },
    },
    webhooks: webhookOperations,
    components: {
      schemas: apiModels,
      securitySchemes: { apiToken: { type: "http", scheme: "bearer", description: "An API token of an account on the Agency plan." } },
      headers: {
        "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer", minimum: 1 } },
        "Idempotency-Replayed": {
          description: "true if the Idempotency-Key was known, so that the scans of its first request are given.",
          schema: { type: "string", const: "true" },
        },
      },
    },
  };
}

const notFound = { 404: error("There is no such scan, or it is another account's: both answer alike.") };
const badLocale = { 400: error("The locale is not one of the two.") };
const notModified = { 304: { description: "The body is the one whose ETag came in If-None-Match." } };

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  required: false,
  schema: {
    type: "string",
    description: `1 to ${idempotencyKeyCharsMax} visible ASCII characters, with or without quotes; new for each request. Repeating a request with it within ${idempotencyKeyHours} hours gives the same scans and starts none twice.`,
  },
};
const replayed = { "Idempotency-Replayed": { $ref: "#/components/headers/Idempotency-Replayed" } };
const keyReused = { 422: error("The Idempotency-Key belongs to another request.") };

const startScan = {
  operationId: "startScan",
  tags: ["scans"],
  summary: "Start a scan",
  description: "Queues a scan of one page. It is on disk when this answers.",
  parameters: [idempotencyKey],
  requestBody: { required: true, content: json("ScanRequest") },
  responses: {
    202: {
      description: "The scan is queued.",
      headers: { Location: { description: "The full report: the same as statusUrl.", schema: { type: "string" } }, ...replayed },
      content: json("ScanStarted"),
    },
    400: error("The body has no valid URL or an unknown location, and fieldErrors says why; or the Idempotency-Key is not valid."),
    ...refusals,
    413: error(`The body is longer than ${bodyBytesMax} bytes.`),
    ...keyReused,
    503: error("The queue is full, or the disk.", retryAfter),
  },
};

const startScans = {
  operationId: "startScans",
  tags: ["scans"],
  summary: "Start many scans",
  description: [
    `Queues a scan for each of at most ${bulkUrlsMax} URLs; all are on disk when this answers. It counts as one request.`,
    "A line that cannot be scanned has an error and stops no other. Equal URLs share one scan.",
  ].join(" "),
  parameters: [idempotencyKey],
  requestBody: { required: true, content: json("BulkRequest") },
  responses: {
    200: {
      description: "What became of each line. Retry-After is there if some found a full queue.",
      headers: { ...retryAfter, ...replayed },
      content: json("BulkStarted"),
    },
    400: error(
      `The body has no list of 1 to ${bulkUrlsMax} URLs or an unknown location, and fieldErrors says why; or the Idempotency-Key is not valid.`,
    ),
    ...refusals,
    413: error(`The body is longer than ${bulkBodyBytesMax} bytes.`),
    ...keyReused,
    503: error("The disk is full. No scan was started.", retryAfter),
  },
};

const cancelScan = {
  operationId: "cancelScan",
  tags: ["scans"],
  summary: "Cancel a scan that waits",
  description: "Removes the scan from the queue and from all lists. A scan that has begun, or is over, stays.",
  parameters: parameters("path", TokenParams),
  responses: {
    204: { description: "The scan is gone." },
    ...refusals,
    ...notFound,
    409: error("The scan has begun, or is over."),
    503: error("The disk is full.", retryAfter),
  },
};

const cancelAnyScan = {
  operationId: "cancelAnyScan",
  tags: ["administration"],
  summary: "Cancel any scan, as an administrator",
  description: [
    "Ends a scan of any account, waiting or running, on this machine or elsewhere. It fails with the code cancelled,",
    "which is stored when this answers.",
  ].join(" "),
  parameters: parameters("path", TokenParams),
  responses: {
    204: { description: "The scan has failed with the code cancelled; also if it was cancelled before." },
    ...refusals,
    403: error("The account is no administrator's, or its plan does not include API access."),
    404: error("There is no such scan."),
    409: error("The scan has ended otherwise."),
  },
};

const listScans = {
  operationId: "listScans",
  tags: ["scans"],
  summary: "List your account's scans, newest first",
  parameters: parameters("query", ListQuery),
  responses: {
    200: { description: "A page of scans.", content: json("ScanList") },
    400: error("limit or cursor is not valid."),
    ...refusals,
  },
};

function readsScan(description: string, body: "FullReport" | "SecurityResult") {
  return {
    parameters: [...parameters("path", TokenParams), ...parameters("query", LocaleQuery)],
    responses: {
      200: { description, headers: retryAfter, content: json(body) },
      ...notModified,
      ...badLocale,
      ...refusals,
      ...notFound,
    },
  };
}

const readReport = {
  operationId: "readReport",
  tags: ["scans"],
  summary: "Read the full report of a scan",
  description: "The security result, and what it was judged from. Retry-After is there while the scan is not over, an ETag once it is.",
  ...readsScan("The report.", "FullReport"),
};

const readSecurity = {
  operationId: "readSecurity",
  tags: ["scans"],
  summary: "Read the security dimension of a scan",
  description: "While the scan is queued or running, security is null. Retry-After is there while it is not over, an ETag once it is.",
  ...readsScan("The security result.", "SecurityResult"),
};

const readStored = {
  operationId: "readStored",
  tags: ["scans"],
  summary: "Read the result of a scan as it is stored",
  description: "Codes and values, to be shown with the texts of the checks: what `assay scan --server` makes its reports from.",
  parameters: parameters("path", TokenParams),
  responses: {
    200: { description: "The result.", content: json("StoredScan") },
    ...notModified,
    ...refusals,
    ...notFound,
    409: error("The scan is not over.", retryAfter),
  },
};

const readChecks = {
  operationId: "readChecks",
  tags: ["scans"],
  summary: "Read all checks with their texts",
  description: "The checks that judge on this appliance, plugins included, in both languages.",
  responses: { 200: { description: "The checks.", content: json("CheckList") }, ...notModified, ...refusals },
};

/** One operation for all formats, each of which is a route of its own. */
const readReportFile = {
  operationId: "readReportFile",
  tags: ["scans"],
  summary: "Read the report of a scan as a file",
  description:
    "A download with an ETag. Its findings are in the order in which to fix them. A PDF is printed for its request, one at a time.",
  parameters: [...parameters("path", ReportFileParams), ...parameters("query", ReportFileQuery)],
  responses: {
    200: {
      description: "The file.",
      content: Object.fromEntries([...reportFormats, pdfFormat].map(({ mediaType }) => [mediaType, { schema: {} }])),
    },
    ...notModified,
    400: error("A parameter is not valid."),
    ...refusals,
    404: error("There is no such scan or format, or the scan is another account's."),
    409: error("The scan is not over; it measured nothing that this format could say; or the account has no brand.", retryAfter),
    503: error("Of report.pdf: the browser that prints is busy, or could not print it.", retryAfter),
  },
};

/** Served without a token: a developer of a client has none yet. */
export function createOpenapiAnswer(headerCharsMax: number): (requestContext: RequestContext) => Response {
  const description = JSON.stringify(openapiDocument(headerCharsMax));
  const headers = prepareHeaders({ "cache-control": "public, max-age=300" });
  return (requestContext) => answer(requestContext, 200, description, headers);
}
