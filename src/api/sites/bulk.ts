/** Operations on many sites in one request. A line that is refused stops no other. */

import { type TSchema, Type } from "@sinclair/typebox";
import { isObject } from "../../base/is-object.ts";
import { readBytes } from "../../http/request-body.ts";
import { localLocation } from "../../parse/location.ts";
import { type CsvFault, type CsvLineFault, csvBytesMax, csvSitesMax, decodeCsv, parseSiteCsv } from "../../parse/site-csv.ts";
import { parseBulkChange, parseSiteFields } from "../../sites/site-fields.ts";
import { addSites, previewSites, removeSites, scanSites, updateSites } from "../../sites/site-operations.ts";
import type { Account } from "../../store/accounts.ts";
import type { NewSite, Site, SiteFields, SiteRefusal } from "../../store/sites.ts";
import { bulkBodyBytesMax, jsonBody, mediaTypeOf, type RequestBody } from "../body.ts";
import { ApiError, bodyTooLarge, invalidBody, invalidFields, recordNotFound } from "../errors.ts";
import { type Call, forAccounts, operation } from "../operation.ts";
import { answered, badField, refused } from "../responses.ts";
import { bodyOf, closed, entriesAlone, example, exampleOf, instantOf, model, nullable, recordId, recordIdMax, worded } from "../schemas.ts";
import { type BodyFields, queryOf, validatorOf } from "../validation.ts";
import {
  acceptanceFields,
  assertNoFaults,
  ownedFields,
  ownSiteActor,
  runBody,
  runRefused,
  SiteListItem,
  SiteRequest,
  SiteRunBody,
  scheduleOf,
  siteBody,
  siteFieldErrors,
  siteFieldSettings,
  sitesExceeded,
  siteUrlTaken,
} from "./sites.ts";

/** Sites of one request. */
export const bulkSitesMax = 1_000;

const ids = Type.Array(worded(Type.Integer({ minimum: 1, maximum: recordIdMax }), { wrong: "must be a list of the ids of sites" }), {
  minItems: 1,
  maxItems: bulkSitesMax,
  description: "Ids of sites; each counts once.",
  examples: [[12, 13]],
});

const lineError = Type.Optional(
  Type.Object(
    {
      status: Type.Integer({ minimum: 400, maximum: 599, description: "Status that a request with this line alone would get." }),
      errorMessage: Type.String({ description: "For people; its wording may change." }),
      fieldErrors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description: "By field." })),
    },
    { description: "Why nothing was done; without it, the line succeeded." },
  ),
);

const AddedSite = Type.Object(
  {
    id: nullable(recordId("Null with dryRun.", { [example]: 12 })),
    ...ownedFields,
    nextRunAt: nullable(instantOf("Next planned run.", "2026-03-05T09:30:00.000Z")),
  },
  { description: "The site as it was added, or would be." },
);

const BulkSitesRequest = model(
  "BulkSitesRequest",
  Type.Object(
    {
      sites: entriesAlone(
        Type.Array(SiteRequest, {
          minItems: 1,
          maxItems: bulkSitesMax,
          description: `1 to ${bulkSitesMax} sites, each as SiteRequest.`,
          examples: [[{ url: "https://bakery.example/", client: "Miller Ltd" }, { url: "https://florist.example/" }]],
        }),
      ),
    },
    closed,
  ),
);

const changedTags = Type.Optional(nullable(Type.Array(Type.String())));
const BulkSitesChange = model(
  "BulkSitesChange",
  Type.Object(
    {
      ids,
      change: worded(
        Type.Object(
          {
            paused: Type.Optional(Type.Boolean()),
            schedule: Type.Optional(scheduleOf({ description: "As in SiteRequest." })),
            client: Type.Optional(nullable(Type.String())),
            location: Type.Optional(nullable(Type.String())),
            accept: Type.Optional(
              Type.Object(
                { code: Type.String({ description: "Code of a finding." }), ...acceptanceFields },
                { ...closed, description: "A finding that is accepted at each of them, open or not." },
              ),
            ),
            addTags: changedTags,
            removeTags: changedTags,
          },
          { ...closed, minProperties: 1, description: "What changes, for all of them.", examples: [{ addTags: ["shop"] }] },
        ),
        { required: "must be an object" },
      ),
    },
    closed,
  ),
);
const BulkSitesScan = model("BulkSitesScan", Type.Object({ ids }, closed));
const BulkSitesRemoval = model("BulkSitesRemoval", Type.Object({ ids }, closed));

/** Results in the order of the request, of which the example shows one that succeeded and one that was refused. */
function itemsOf<S extends TSchema>(item: S, ...shown: readonly object[]) {
  return Type.Array(item, { description: "One for each line of the request, in its order.", [example]: shown });
}

const addedLine = { index: 0, line: null, url: exampleOf(ownedFields.url) };
const BulkSitesAdded = model(
  "BulkSitesAdded",
  Type.Object({
    dryRun: Type.Boolean({ description: "Whether nothing was stored.", [example]: false }),
    items: itemsOf(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: "Place of the site in the request, from 0." }),
        line: nullable(Type.Integer({ minimum: 1, description: "Line of the CSV file, from 1; null for JSON." })),
        url: nullable(Type.String({ description: "Null if the line is not valid." })),
        site: Type.Optional(AddedSite),
        error: lineError,
      }),
      { ...addedLine, site: exampleOf(AddedSite) },
      { ...addedLine, index: 1, error: errorBody(siteUrlTaken()) },
    ),
  }),
);

/** What became of each site of a request. */
function bulkAnswer(verb: string, done: Readonly<Record<string, TSchema>>, refusal: ApiError) {
  const item = Type.Object({ id: recordId("As given."), ...Type.Partial(Type.Object(done)).properties, error: lineError });
  const items = itemsOf(item, { id: 12, ...(exampleOf(Type.Object(done)) as object) }, { id: 13, error: errorBody(refusal) });
  return answered("What became of each site.", model(`BulkSites${verb}`, Type.Object({ items })));
}

const ofSites = forAccounts("sites");
const linesAtOnce = 20;

/** A line of the request: the fields of a site, or why it has none. */
interface GivenLine {
  /** Number of the line in a CSV file, from 1; null for JSON. */
  readonly line: number | null;
  readonly fields: BodyFields | ApiError;
}

const DryRunQuery = Type.Object({
  dryRun: Type.Optional(
    worded(Type.Union([Type.Literal("true"), Type.Literal("false")], { description: "true: only shows what would be added." }), {
      wrong: "must be true or false",
    }),
  ),
});

const badIds = badField("The body is not valid, and fieldErrors says why.", "ids", "must be a list of the ids of sites");

export const bulkSiteOperations = [
  operation({
    id: "addSites",
    route: "POST /api/v1/sites/bulk",
    ...ofSites,
    summary: "Watch many sites",
    description: [
      `Adds 1 to ${bulkSitesMax} sites in one transaction. A line that is refused has an error and stops no other.`,
      "CSV has the columns url, name, client and tags, with a header in any order or without one. Separators are comma, semicolon or tab.",
      "Tags are separated by |.",
    ].join(" "),
    query: queryOf(DryRunQuery, () => invalidFields({ dryRun: ["must be true or false"] }), { repeated: "named" }),
    body: jsonOrCsv(),
    answers: { 200: answered("What became of each line.", BulkSitesAdded) },
    refusals: {
      ...badField("The body has no list of sites, or is no CSV with a site.", "sites", `must have 1 to ${bulkSitesMax} entries`),
      413: refused(
        `The body is longer than ${bulkBodyBytesMax} bytes, or ${csvBytesMax} bytes of CSV.`,
        bodyTooLarge(bulkBodyBytesMax).message,
      ),
    },
    run: async ({ query, body: lines, account, api }) => {
      const dryRun = query.dryRun === "true";
      const parsed = await parsedLines(lines, api);
      const valid = parsed.filter((each): each is SiteFields => !(each instanceof ApiError));
      const added = await (dryRun ? previewSites : addSites)(api, ownSiteActor(account), valid);
      const outcomes = new Map(valid.map((each, at) => [each, added[at]]));
      const items = parsed.map((each, index) => {
        const outcome = each instanceof ApiError ? each : errorOf(outcomes.get(each) ?? "full", account);
        const place = { index, line: lines[index]?.line ?? null };
        // A refused URL is not quoted: it may hold a password.
        if (outcome instanceof ApiError) return { ...place, url: each instanceof ApiError ? null : each.url, error: errorBody(outcome) };
        return { ...place, url: outcome.url, site: addedSiteBody({ id: null, location: localLocation, paused: false, ...outcome }) };
      });
      return { dryRun, items };
    },
  }),
  operation({
    id: "changeSites",
    route: "PATCH /api/v1/sites/bulk",
    ...ofSites,
    summary: "Change many sites",
    description: "Makes one change of all these sites in one transaction. One that is refused has an error and stops no other.",
    body: jsonBody(BulkSitesChange, {
      bytesMax: bulkBodyBytesMax,
      faultsOf: ({ ids, change }, call) =>
        areIds(ids) && isObject(change) ? siteFieldErrors(parseBulkChange(change, bulkSettings(call)), call) : null,
    }),
    answers: { 200: bulkAnswer("Changed", { site: SiteListItem }, recordNotFound("site")) },
    refusals: badIds,
    run: async ({ body, account, api }) => {
      const change = parseBulkChange(body.change, bulkSettings({ api }));
      assertNoFaults(change, { api });
      const ids = [...new Set(body.ids)];
      const outcomes = await updateSites(api, ownSiteActor(account), { ids, change });
      return {
        items: ids.map((id) => {
          const outcome = outcomes.get(id);
          if (outcome === undefined) return { id, error: errorBody(recordNotFound("site")) };
          if ("faults" in outcome) return { id, error: errorBody(invalidFields(siteFieldErrors(outcome, { api }) ?? {})) };
          return { id, site: siteBody(outcome, api.store.siteRuns.find(id), api.sites.waitingRuns()) };
        }),
      };
    },
  }),
  operation({
    id: "removeSites",
    route: "DELETE /api/v1/sites/bulk",
    ...ofSites,
    summary: "Watch many sites no longer",
    body: jsonBody(BulkSitesRemoval, { bytesMax: bulkBodyBytesMax }),
    answers: { 200: bulkAnswer("Removed", { removed: Type.Literal(true) }, recordNotFound("site")) },
    refusals: badIds,
    run: async ({ body, account, api }) => {
      const ids = [...new Set(body.ids)];
      const removed = new Set(await removeSites(api, ownSiteActor(account), ids));
      const notFound = errorBody(recordNotFound("site"));
      return { items: ids.map((id) => (removed.has(id) ? { id, removed: true } : { id, error: notFound })) };
    },
  }),
  operation({
    id: "scanSites",
    route: "POST /api/v1/sites/bulk/scan",
    ...ofSites,
    summary: "Scan many sites now",
    description: "Starts a run of each, as for one site. One that is refused has an error and stops no other.",
    body: jsonBody(BulkSitesScan, { bytesMax: bulkBodyBytesMax }),
    answers: { 200: bulkAnswer("Scanned", { run: SiteRunBody }, runRefused("busy")) },
    refusals: badIds,
    run: async ({ body, account, api }) => {
      const ids = [...new Set(body.ids)];
      const runs = await scanSites(api, ownSiteActor(account), ids);
      const items = ids.map((id, at) => {
        const run = runs[at] ?? "unknown";
        return typeof run === "string" ? { id, error: errorBody(runRefused(run)) } : { id, run: runBody(run) };
      });
      return { items };
    },
  }),
];

const addedSiteBody = bodyOf(AddedSite);

/** Lines of JSON or CSV, by the Content-Type. */
function jsonOrCsv(): RequestBody<readonly GivenLine[]> {
  const json = jsonBody(BulkSitesRequest, { bytesMax: bulkBodyBytesMax });
  const csv = { schema: {}, example: "url,name,client,tags\r\nhttps://bakery.example/,Bakery Miller,Miller Ltd,shop\r\n" };
  return {
    content: { ...json.content, "text/csv": csv },
    bytesMax: null,
    read: async (request) => {
      if (mediaTypeOf(request) === "text/csv") {
        const bytes = await readBytes(request, csvBytesMax);
        if (bytes === "too-long") throw bodyTooLarge(csvBytesMax);
        return () => csvLines(bytes);
      }
      const validate = await json.read(request);
      return (call) => validate(call).sites.map((each) => ({ line: null, fields: lineFields(each, call) }));
    },
  };
}

function csvLines(bytes: Uint8Array): readonly GivenLine[] {
  const parsed = parseSiteCsv(decodeCsv(bytes));
  if ("fault" in parsed) throw invalidBody(csvFaultTexts[parsed.fault], "sites");
  return parsed.lines.map((each) => ({ line: each.line, fields: "fault" in each ? csvLineRefused(each.fault) : { ...each.site } }));
}

function csvLineRefused(fault: CsvLineFault): ApiError {
  return new ApiError(400, `The line ${csvLineFaultTexts[fault]}.`);
}

const csvFaultTexts: Readonly<Record<CsvFault, string>> = {
  "too-large": `is longer than ${csvBytesMax} characters`,
  "too-many-lines": `has more than ${csvSitesMax} lines with a site`,
  empty: "has no line with a site",
};

const csvLineFaultTexts: Readonly<Record<CsvLineFault, string>> = {
  "quote-open": "has a quoted cell that does not end on this line",
  "quote-text": "has text after the quote that ends a cell",
  "too-many-cells": "has more cells than there are columns",
  "too-long": "is too long",
};

const { check: checkLine } = validatorOf(SiteRequest);

function lineFields(given: unknown, call: Call): BodyFields | ApiError {
  try {
    if (!isObject(given)) return invalidBody("must have an object for each site", "url");
    return checkLine(given, (fields) => siteFieldErrors(parseSiteFields(fields, siteFieldSettings(call)), call));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Lets other requests in between: a pattern of cron can take milliseconds. */
async function parsedLines(lines: readonly GivenLine[], api: Call["api"]): Promise<readonly (SiteFields | ApiError)[]> {
  const parsed: (SiteFields | ApiError)[] = [];
  for (const { fields } of lines) {
    parsed.push(fields instanceof ApiError ? fields : parsedOrError(fields, api));
    if (parsed.length % linesAtOnce === 0) await Bun.sleep(0);
  }
  return parsed;
}

function parsedOrError(fields: BodyFields, api: Call["api"]): SiteFields | ApiError {
  const parsed = parseSiteFields(fields, siteFieldSettings({ api }));
  return "faults" in parsed ? invalidFields(siteFieldErrors(parsed, { api }) ?? {}) : parsed;
}

function errorOf(outcome: Site | NewSite | SiteRefusal, { plan }: Account): Site | NewSite | ApiError {
  if (outcome === "url-taken") return siteUrlTaken();
  return outcome === "full" ? sitesExceeded(plan) : outcome;
}

function errorBody({ status, message, fieldErrors }: ApiError): object {
  return { status, errorMessage: message, fieldErrors };
}

function bulkSettings(call: Pick<Call, "api">) {
  return { ...siteFieldSettings(call), now: call.api.now() };
}

/** Whether faults of the change come first. */
function areIds(given: unknown): boolean {
  return Array.isArray(given) && given.length > 0 && given.length <= bulkSitesMax && given.every(Number.isSafeInteger);
}
