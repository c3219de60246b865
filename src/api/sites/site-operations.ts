/** Operations on sites, for the OpenAPI description. */
import { Type } from "@sinclair/typebox";
import { csvBytesMax } from "../../parse/site-csv.ts";
import { acceptedFindingsMax } from "../../store/sites.ts";
import { bodyBytesMax } from "../body.ts";
import { bulkBodyBytesMax } from "../bulk.ts";
import { given, json, jsonExample, parameters, refusals, refused, retryAfter, tooLong } from "../openapi-parts.ts";
import { ListQuery } from "../schemas.ts";
import { bulkSitesMax } from "./bulk-sites.ts";
import {
  acceptanceExample,
  bulkSitesAddedExample,
  bulkSitesChangedExample,
  bulkSitesRemovedExample,
  bulkSitesScannedExample,
  eventListExample,
  siteExample,
  siteHistoryExample,
  siteListExample,
  siteRunExample,
} from "./examples.ts";
import { siteSearchCharsMax } from "./site-handlers.ts";

const tags = ["sites"];
const SiteParams = Type.Object({ id: Type.Integer({ minimum: 1, description: "Id of the site.", examples: [12] }) });
const AcceptanceParams = Type.Object({
  ...SiteParams.properties,
  code: Type.String({ description: "Code of the finding.", examples: ["security.missing-header.content-security-policy"] }),
});
const SiteListQuery = Type.Object({
  client: Type.Optional(Type.String({ description: "Only sites of this client; empty for sites without one." })),
  tag: Type.Optional(Type.String({ description: "Only sites with this tag." })),
  q: Type.Optional(
    Type.String({ maxLength: siteSearchCharsMax, description: "Only sites with this text in name, address, client or a tag." }),
  ),
  ...ListQuery.properties,
});
const DryRunQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], { description: "true: only shows what would be added." }),
  ),
});

const notFound = { 404: refused("There is no such site, or it is another account's: both answer alike.", "There is no such site.") };
export const badListQuery = {
  400: refused("A parameter is not valid.", "limit must be a whole number from 1 to 100, and cursor a nextCursor of an earlier page."),
};
export const diskFull = {
  503: refused(
    "The disk is full. Nothing was stored.",
    "There is no room on the disk to store this; try again later.",
    undefined,
    retryAfter,
  ),
};
const badFields = refused(
  "The body is not valid, and fieldErrors says why. Unknown fields are refused.",
  "name must be at most 100 characters long.",
  {
    name: ["must be at most 100 characters long"],
  },
);
const taken = refused("The account watches the url already.", "The account watches this url already.", { url: ["is watched already"] });
const noPlan = refused(
  "The account's plan does not include API access, or no further site.",
  'The plan "agency" has at most 1000 sites. Remove one, or ask an administrator of this appliance for another plan.',
);
const ofSite = parameters("path", SiteParams);

const listSites = {
  operationId: "listSites",
  tags,
  summary: "List your account's sites, newest first",
  parameters: parameters("query", SiteListQuery),
  responses: { 200: given("A page of sites.", "SiteList", siteListExample), ...badListQuery, ...refusals },
};

const addSite = {
  operationId: "addSite",
  tags,
  summary: "Watch a site",
  description: "A site with an interval is scanned soon, and then by its interval; one with cron at its next time.",
  requestBody: { required: true, content: json("SiteRequest") },
  responses: {
    201: given("The site is watched.", "Site", siteExample, {
      Location: { description: "Path of the site.", schema: { type: "string" } },
    }),
    400: badFields,
    ...refusals,
    403: noPlan,
    409: taken,
    413: tooLong(bodyBytesMax),
    ...diskFull,
  },
};

const readSite = {
  operationId: "readSite",
  tags,
  summary: "Read a site",
  parameters: ofSite,
  responses: { 200: given("The site.", "Site", siteExample), ...refusals, ...notFound },
};

const changeSite = {
  operationId: "changeSite",
  tags,
  summary: "Change a site",
  description: "Changes the given fields. A new schedule plans the next run anew; a pause removes the planned runs.",
  parameters: ofSite,
  requestBody: { required: true, content: json("SiteChangeRequest") },
  responses: {
    200: given("The site as it is now.", "Site", siteExample),
    400: badFields,
    ...refusals,
    ...notFound,
    409: taken,
    413: tooLong(bodyBytesMax),
    ...diskFull,
  },
};

const removeSite = {
  operationId: "removeSite",
  tags,
  summary: "Watch a site no longer",
  description: "Removes the site with its history, its events and the rules for it alone. Its scans stay.",
  parameters: ofSite,
  responses: { 204: { description: "The site is gone." }, ...refusals, ...notFound, ...diskFull },
};

const scanSite = {
  operationId: "scanSite",
  tags,
  summary: "Scan a site now",
  description: "Queues a scan of each address, also of a paused site. The run counts as any other of the site.",
  parameters: ofSite,
  responses: {
    202: given("The scans are queued.", "SiteRun", siteRunExample),
    ...refusals,
    ...notFound,
    409: refused("A run of the site is under way.", "A run of this site is under way; wait for its end."),
    503: refused(
      "The queue has no space for all addresses, or the disk is full.",
      "The queue is full; try again later.",
      undefined,
      retryAfter,
    ),
  },
};

const listSiteEvents = {
  operationId: "listSiteEvents",
  tags,
  summary: "List the events of a site, newest first",
  parameters: [...ofSite, ...parameters("query", ListQuery)],
  responses: { 200: given("A page of events.", "EventList", eventListExample), ...badListQuery, ...refusals, ...notFound },
};

const readSiteHistory = {
  operationId: "readSiteHistory",
  tags,
  summary: "Read the history of a site's score",
  parameters: ofSite,
  responses: { 200: given("The measured runs that are kept.", "SiteHistory", siteHistoryExample), ...refusals, ...notFound },
};

const acceptFinding = {
  operationId: "acceptFinding",
  tags,
  summary: "Accept a finding of a site",
  description: "An accepted finding is shown as such and no longer notified. A second acceptance of the code replaces the first.",
  parameters: parameters("path", AcceptanceParams),
  requestBody: { required: true, content: json("AcceptanceRequest") },
  responses: {
    200: given("The finding is accepted.", "Acceptance", acceptanceExample),
    400: refused("The code, the reason or the day is not valid.", "until must not be in the past.", { until: ["must not be in the past"] }),
    ...refusals,
    ...notFound,
    409: refused(
      "The site has too many accepted findings.",
      `There are at most ${acceptedFindingsMax} accepted findings of a site; remove one first.`,
    ),
    413: tooLong(bodyBytesMax),
    ...diskFull,
  },
};

const unacceptFinding = {
  operationId: "unacceptFinding",
  tags,
  summary: "Accept a finding of a site no longer",
  parameters: parameters("path", AcceptanceParams),
  responses: {
    204: { description: "The acceptance is gone." },
    ...refusals,
    404: refused("There is no such site or acceptance.", "There is no such acceptance."),
    ...diskFull,
  },
};

const addSites = {
  operationId: "addSites",
  tags,
  summary: "Watch many sites",
  description: [
    `Adds 1 to ${bulkSitesMax} sites in one transaction. A line that is refused has an error and stops no other.`,
    "CSV has the columns url, name, client and tags, with a header in any order or without one. Separators are comma, semicolon or tab.",
  ].join(" "),
  parameters: parameters("query", DryRunQuery),
  requestBody: {
    required: true,
    content: {
      ...json("BulkSitesRequest"),
      "text/csv": { schema: {}, example: "url,name,client,tags\r\nhttps://bakery.example/,Bakery Miller,Miller Ltd,shop\r\n" },
    },
  },
  responses: {
    200: given("What became of each line.", "BulkSitesAdded", bulkSitesAddedExample),
    400: refused("The body has no list of sites, or is no CSV with a site.", "sites must have 1 to 1000 entries.", {
      sites: ["must have 1 to 1000 entries"],
    }),
    ...refusals,
    413: refused(
      `The body is longer than ${bulkBodyBytesMax} bytes, or ${csvBytesMax} bytes of CSV.`,
      `The body is longer than ${bulkBodyBytesMax} bytes.`,
    ),
    ...diskFull,
  },
};

const badIds = {
  400: refused("The body is not valid, and fieldErrors says why.", "ids must be a list of the ids of sites.", {
    ids: ["must be a list of the ids of sites"],
  }),
};

const changeSites = {
  operationId: "changeSites",
  tags,
  summary: "Change many sites",
  description: "Makes one change of all these sites in one transaction. One that is refused has an error and stops no other.",
  requestBody: { required: true, content: json("BulkSitesChange") },
  responses: {
    200: given("What became of each site.", "BulkSitesChanged", bulkSitesChangedExample),
    ...badIds,
    ...refusals,
    413: tooLong(bulkBodyBytesMax),
    ...diskFull,
  },
};

const removeSites = {
  operationId: "removeSites",
  tags,
  summary: "Watch many sites no longer",
  requestBody: { required: true, content: json("BulkSitesRemoval") },
  responses: {
    200: { description: "What became of each site.", content: jsonExample("BulkSitesRemoved", bulkSitesRemovedExample) },
    ...badIds,
    ...refusals,
    413: tooLong(bulkBodyBytesMax),
    ...diskFull,
  },
};

const scanSites = {
  operationId: "scanSites",
  tags,
  summary: "Scan many sites now",
  description: "Starts a run of each, as for one site. One that is refused has an error and stops no other.",
  requestBody: { required: true, content: json("BulkSitesScan") },
  responses: {
    200: { description: "What became of each site.", content: jsonExample("BulkSitesScanned", bulkSitesScannedExample) },
    ...badIds,
    ...refusals,
    413: tooLong(bulkBodyBytesMax),
    ...diskFull,
  },
};

export const sitePaths = {
  "/api/v1/sites": { get: listSites, post: addSite },
  "/api/v1/sites/bulk": { post: addSites, patch: changeSites, delete: removeSites },
  "/api/v1/sites/bulk/scan": { post: scanSites },
  "/api/v1/sites/{id}": { get: readSite, patch: changeSite, delete: removeSite },
  "/api/v1/sites/{id}/scan": { post: scanSite },
  "/api/v1/sites/{id}/events": { get: listSiteEvents },
  "/api/v1/sites/{id}/history": { get: readSiteHistory },
  "/api/v1/sites/{id}/accepted/{code}": { put: acceptFinding, delete: unacceptFinding },
};
