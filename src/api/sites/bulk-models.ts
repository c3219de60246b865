/** Bodies of requests about many sites, for the OpenAPI description. */
import { type TSchema, Type } from "@sinclair/typebox";
import { siteTagsMax } from "../../store/sites.ts";
import { bulkSitesMax } from "./bulk-sites.ts";
import { instantOf, nullable, recordId, siteListItem, siteRequest, siteRun, siteSchedule } from "./site-models.ts";

const closed = { additionalProperties: false } as const;
const siteIds = Type.Array(Type.Integer({ minimum: 1 }), {
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

const addedSite = Type.Object(
  {
    id: nullable(recordId("Null with dryRun.")),
    name: Type.String(),
    url: Type.String(),
    pages: Type.Array(Type.String()),
    client: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    location: Type.String(),
    schedule: siteSchedule("Interval, or cron with its time zone."),
    paused: Type.Boolean(),
    nextRunAt: nullable(instantOf("Next planned run.")),
  },
  { description: "The site as it was added, or would be." },
);

/** Results in the order of the request. */
function itemsOf<S extends TSchema>(item: S) {
  return Type.Array(item, { description: "One for each line of the request, in its order." });
}

export const bulkSiteModels = {
  BulkSitesRequest: Type.Object(
    {
      sites: Type.Array(siteRequest, {
        minItems: 1,
        maxItems: bulkSitesMax,
        description: `1 to ${bulkSitesMax} sites, each as SiteRequest.`,
        examples: [[{ url: "https://bakery.example/", client: "Miller Ltd" }, { url: "https://florist.example/" }]],
      }),
    },
    closed,
  ),
  BulkSitesAdded: Type.Object({
    dryRun: Type.Boolean({ description: "Whether nothing was stored." }),
    items: itemsOf(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: "Place of the site in the request, from 0." }),
        line: nullable(Type.Integer({ minimum: 1, description: "Line of the CSV file, from 1; null for JSON." })),
        url: nullable(Type.String({ description: "Null if the line is not valid." })),
        site: Type.Optional(addedSite),
        error: lineError,
      }),
    ),
  }),
  BulkSitesChange: Type.Object(
    {
      ids: siteIds,
      change: Type.Object(
        {
          paused: Type.Optional(Type.Boolean()),
          schedule: Type.Optional(siteSchedule("As in SiteRequest.")),
          client: Type.Optional(nullable(Type.String())),
          addTags: Type.Optional(Type.Array(Type.String(), { maxItems: siteTagsMax })),
          removeTags: Type.Optional(Type.Array(Type.String(), { maxItems: siteTagsMax })),
        },
        { ...closed, minProperties: 1, description: "What changes, for all of them.", examples: [{ addTags: ["shop"] }] },
      ),
    },
    closed,
  ),
  BulkSitesChanged: Type.Object({
    items: itemsOf(Type.Object({ id: recordId("As given."), site: Type.Optional(siteListItem), error: lineError })),
  }),
  BulkSitesScan: Type.Object({ ids: siteIds }, closed),
  BulkSitesScanned: Type.Object({
    items: itemsOf(Type.Object({ id: recordId("As given."), run: Type.Optional(siteRun), error: lineError })),
  }),
  BulkSitesRemoval: Type.Object({ ids: siteIds }, closed),
  BulkSitesRemoved: Type.Object({
    items: itemsOf(Type.Object({ id: recordId("As given."), removed: Type.Optional(Type.Literal(true)), error: lineError })),
  }),
};
