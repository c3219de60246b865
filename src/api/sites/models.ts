/** Bodies of sites and events: schemas, examples, wording of faults, and how a stored site becomes a body. */
import { type TSchema, Type } from "@sinclair/typebox";
import { planTerms } from "../../account/account-operations.ts";
import { localLocation } from "../../parse/location.ts";
import { scanUrlFaults } from "../../parse/scan-url.ts";
import { scheduleIntervals } from "../../parse/site-csv.ts";
import { shownRunsOf } from "../../sites/schedule.ts";
import type { SiteFault, SiteFaultCode, SiteFaults } from "../../sites/site-fields.ts";
import type { SiteActor } from "../../sites/site-operations.ts";
import type { Account, Plan } from "../../store/accounts.ts";
import { eventTypes } from "../../store/event-types.ts";
import type { StoredEvent } from "../../store/site-events.ts";
import type { SiteHistoryEntry, SiteRun, StartRunRefusal } from "../../store/site-runs.ts";
import {
  acceptedReasonCharsMax,
  type NewSite,
  type Site,
  siteNameCharsMax,
  sitePagesMax,
  siteTagCharsMax,
  siteTagsMax,
} from "../../store/sites.ts";
import { bands, ranks } from "../../text/render.ts";
import { ApiError, type FieldErrors, invalidFields, queueFull, recordNotFound } from "../errors.ts";
import type { Call } from "../operation.ts";
import { statusUrlOf } from "../scans/reads.ts";
import { closed, entriesAlone, instantOf, model, nextCursor, nullable, oneOfValues, recordId, recordIdMax, worded } from "../schemas.ts";

/** Sites of one request. */
export const bulkSitesMax = 1_000;

const scanToken = Type.String({ description: "Names a scan." });
const statusUrl = Type.String({ description: "Relative path of the full report." });
const score = Type.Integer({ minimum: 0, maximum: 100, description: "Lowest of all addresses of the site." });
const openFindings = Type.Integer({ minimum: 0, description: "Findings that are open and not accepted." });

const scheduleFields = {
  every: Type.Optional(oneOfValues(scheduleIntervals)),
  cron: Type.Optional(Type.String({ description: "Five fields, with at least an hour between two runs; instead of every." })),
  zone: Type.Optional(Type.String({ description: "Time zone of cron, as Europe/Berlin." })),
};
const scheduleOf = (description: string) => Type.Object(scheduleFields, { ...closed, description, examples: [{ every: "daily" }] });
const pages = Type.Array(Type.String(), {
  maxItems: sitePagesMax - 1,
  description: "Further addresses of the same origin, scanned in each run.",
});
const client = nullable(Type.String({ maxLength: siteNameCharsMax, description: "For whom the site is watched." }), {
  examples: ["Miller Ltd"],
});
/** Without `maxItems`: a tag that is repeated counts once. */
const tags = Type.Array(Type.String({ maxLength: siteTagCharsMax }), {
  description: `At most ${siteTagsMax}, each once. A tag has no |, which separates tags in CSV.`,
});
const url = Type.String({
  description: "First address: an absolute http or https URL without credentials. Unique within the account.",
  examples: ["https://bakery.example/"],
});
const paused = Type.Boolean({ description: "A paused site has no planned runs." });

/** Null gives a field its default. */
const changedFields = {
  name: Type.Optional(
    nullable(Type.String({ maxLength: siteNameCharsMax, description: "The host without one." }), { examples: ["Bakery Miller"] }),
  ),
  pages: Type.Optional(
    nullable(Type.Array(Type.String(), { maxItems: sitePagesMax - 1, description: "Further addresses of the same origin." })),
  ),
  client: Type.Optional(client),
  tags: Type.Optional(nullable(tags, { examples: [["shop"]] })),
  location: Type.Optional(nullable(Type.String({ description: `Where it is scanned from: ${localLocation} without one.` }))),
  schedule: Type.Optional(scheduleOf("Weekly without one.")),
  paused: Type.Optional(paused),
};

export const SiteRequest = model(
  "SiteRequest",
  Type.Object(
    {
      url,
      ...changedFields,
      schedule: Type.Optional(nullable(scheduleOf("Weekly without one."), { examples: [{ every: "daily" }] })),
      paused: Type.Optional(nullable(paused)),
    },
    closed,
  ),
);

export const SiteChangeRequest = model(
  "SiteChangeRequest",
  Type.Object(
    { url: Type.Optional(Type.String({ description: "New first address; pages must be of its origin." })), ...changedFields },
    { ...closed, minProperties: 1 },
  ),
);

export const SiteRunBody = model(
  "SiteRun",
  Type.Object({
    kind: oneOfValues(["scheduled", "second-look", "manual"]),
    startedAt: instantOf("When its scans were queued."),
    scans: Type.Array(Type.Object({ url: Type.String(), token: scanToken, statusUrl }), {
      description: "One for each address, the first one first.",
    }),
  }),
);

export const AcceptanceBody = model(
  "Acceptance",
  Type.Object({
    code: Type.String({ description: "Code of a finding." }),
    reason: Type.String(),
    until: nullable(Type.String({ description: "Last day in UTC, YYYY-MM-DD; null for no end." })),
    acceptedAt: instantOf("When it was accepted."),
  }),
);

export const AcceptanceRequest = model(
  "AcceptanceRequest",
  Type.Object(
    {
      reason: Type.String({
        minLength: 1,
        maxLength: acceptedReasonCharsMax,
        description: "Why the finding is accepted.",
        examples: ["The shop system needs it."],
      }),
      until: Type.Optional(
        nullable(Type.String({ description: "Last day of the acceptance in UTC, not in the past; null for no end." }), {
          examples: ["2099-12-31"],
        }),
      ),
    },
    closed,
  ),
);

const reading = {
  token: scanToken,
  statusUrl,
  at: instantOf("When it was measured."),
  score,
  band: oneOfValues(bands),
  rank: oneOfValues(ranks),
  open: openFindings,
};

const siteFields = {
  id: recordId("Names the site."),
  name: Type.String(),
  url: Type.String({ description: "In its ASCII form, without fragment." }),
  pages,
  client: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  location: Type.String(),
  schedule: scheduleOf("Interval, or cron with its time zone."),
  paused,
  accepted: Type.Array(AcceptanceBody, { description: "Findings that are no longer notified." }),
  createdAt: instantOf("When it was added."),
  nextRunAt: nullable(instantOf("Next planned run; null while paused. The start may be later, since runs are spread.")),
  secondLookAt: nullable(instantOf("When a doubtful run is repeated; null without a doubt.")),
  lastRunAt: nullable(instantOf("Start of the last run.")),
  run: nullable(SiteRunBody),
  failingSince: nullable(instantOf("Since when no run could measure the site.")),
  reading: nullable(Type.Object({ ...reading, certificateExpiresAt: nullable(instantOf("Null if it was not read.")) })),
  trend: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), { description: "Scores of the last measured runs, oldest first." }),
};

const SiteListItem = Type.Object(siteFields);
export const SiteBody = model(
  "Site",
  Type.Object({
    ...siteFields,
    nextRuns: Type.Array(Type.String({ format: "date-time" }), { description: "The next three planned runs; none while paused." }),
  }),
);

export const SiteList = model("SiteList", Type.Object({ items: Type.Array(SiteListItem, { description: "Newest first." }), nextCursor }));

export const SiteHistory = model(
  "SiteHistory",
  Type.Object({ items: Type.Array(Type.Object(reading), { description: "Measured runs, oldest first." }) }),
);

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

const addedSite = Type.Object(
  {
    id: nullable(recordId("Null with dryRun.")),
    name: Type.String(),
    url: Type.String(),
    pages: Type.Array(Type.String()),
    client: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    location: Type.String(),
    schedule: scheduleOf("Interval, or cron with its time zone."),
    paused: Type.Boolean(),
    nextRunAt: nullable(instantOf("Next planned run.")),
  },
  { description: "The site as it was added, or would be." },
);

export const BulkSitesRequest = model(
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

/** Results in the order of the request. */
function itemsOf<S extends TSchema>(item: S) {
  return Type.Array(item, { description: "One for each line of the request, in its order." });
}

export const BulkSitesAdded = model(
  "BulkSitesAdded",
  Type.Object({
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
);

const changedTags = Type.Optional(nullable(Type.Array(Type.String())));

export const BulkSitesChange = model(
  "BulkSitesChange",
  Type.Object(
    {
      ids,
      change: worded(
        Type.Object(
          {
            paused: Type.Optional(Type.Boolean()),
            schedule: Type.Optional(scheduleOf("As in SiteRequest.")),
            client: Type.Optional(nullable(Type.String())),
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

/** What became of each site of a request. */
function bulkAnswer(name: string, fields: Parameters<typeof Type.Object>[0]) {
  return model(name, Type.Object({ items: itemsOf(Type.Object({ id: recordId("As given."), ...fields, error: lineError })) }));
}

export const BulkSitesChanged = bulkAnswer("BulkSitesChanged", { site: Type.Optional(SiteListItem) });
export const BulkSitesScan = model("BulkSitesScan", Type.Object({ ids }, closed));
export const BulkSitesScanned = bulkAnswer("BulkSitesScanned", { run: Type.Optional(SiteRunBody) });
export const BulkSitesRemoval = model("BulkSitesRemoval", Type.Object({ ids }, closed));
export const BulkSitesRemoved = bulkAnswer("BulkSitesRemoved", { removed: Type.Optional(Type.Literal(true)) });

export const EventBody = Type.Object({
  id: Type.String({ description: "The webhook-id of every attempt." }),
  type: oneOfValues(eventTypes),
  at: instantOf("When it was noticed."),
  site: nullable(
    Type.Object(
      {
        id: Type.Integer({ minimum: 1 }),
        name: Type.String(),
        url: Type.String(),
        client: nullable(Type.String()),
        tags: Type.Array(Type.String()),
      },
      { description: "The site as it was named at the event; null for events of the account." },
    ),
  ),
  token: nullable(Type.String({ description: "Scan that showed it; null where no single scan did." })),
  statusUrl: nullable(statusUrl),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: "Codes and values by type. The webhooks of this description explain them.",
  }),
});

export const EventList = model("EventList", Type.Object({ items: Type.Array(EventBody, { description: "Newest first." }), nextCursor }));

/** A site in a list. `run`: under way, if any. */
export function siteBody(site: Site, run: SiteRun | undefined): object {
  const { id, name, url, pages, client, tags, location, schedule, paused, accepted, createdAt, nextRunAt, lastRunAt } = site;
  const { secondLookAt, failingSince, reading, trend } = site;
  return {
    ...{ id, name, url, pages, client, tags, location, schedule, paused, accepted, createdAt, nextRunAt, secondLookAt, lastRunAt },
    run: run === undefined ? null : runBody(run),
    failingSince,
    reading: reading === null ? null : { ...reading, statusUrl: statusUrlOf(reading.token) },
    trend,
  };
}

/** One site: also its next runs. */
export function fullSiteBody(site: Site, run: SiteRun | undefined): object {
  return { ...siteBody(site, run), nextRuns: shownRunsOf(site) };
}

export function runBody({ kind, startedAt, scans }: SiteRun): object {
  return { kind, startedAt, scans: scans.map(({ url, token }) => ({ url, token, statusUrl: statusUrlOf(token) })) };
}

/** A site of a bulk answer; `id` is null for one that is only planned. */
export function addedSiteBody(site: Site | NewSite): object {
  const { name, url, pages, client, tags, location, schedule, paused, nextRunAt } = site;
  return { id: "id" in site ? site.id : null, name, url, pages, client, tags, location, schedule, paused, nextRunAt };
}

export function historyBody({ at, token, score, band, rank, open }: SiteHistoryEntry): object {
  return { at, token, statusUrl: statusUrlOf(token), score, band, rank, open };
}

export function eventBody({ id, type, at, site, token, data }: StoredEvent): object {
  return { id, type, at, site, token, statusUrl: token === null ? null : statusUrlOf(token), data };
}

const exampleToken = "67nIDqqCondMLX7iB8bYxR";
const exampleScan = { token: exampleToken, statusUrl: statusUrlOf(exampleToken) };
const exampleUrl = "https://bakery.example/";
const exampleSite = { id: 12, name: "Bakery Miller", url: exampleUrl, client: "Miller Ltd", tags: ["shop"] };
const rating = { score: 88, band: "good", rank: "strong", open: 3 };

export const acceptanceExample = {
  code: "security.missing-header.content-security-policy",
  reason: "The shop system needs it.",
  until: "2099-12-31",
  acceptedAt: "2026-03-01T09:00:00.000Z",
};

const siteListItemExample = {
  ...exampleSite,
  pages: ["https://bakery.example/shop"],
  location: "local",
  schedule: { every: "daily" },
  paused: false,
  accepted: [acceptanceExample],
  createdAt: "2026-02-01T08:00:00.000Z",
  nextRunAt: "2026-03-06T04:17:00.000Z",
  secondLookAt: null,
  lastRunAt: "2026-03-05T04:17:00.000Z",
  run: null,
  failingSince: null,
  reading: { ...exampleScan, at: "2026-03-05T04:17:40.000Z", ...rating, certificateExpiresAt: "2026-05-20T12:00:00.000Z" },
  trend: [81, 84, 88],
};

export const siteExample = {
  ...siteListItemExample,
  nextRuns: ["2026-03-06T04:17:00.000Z", "2026-03-07T04:17:00.000Z", "2026-03-08T04:17:00.000Z"],
};

export const siteListExample = { items: [siteListItemExample], nextCursor: "12" };

export const siteRunExample = { kind: "manual", startedAt: "2026-03-05T09:30:00.000Z", scans: [{ url: exampleUrl, ...exampleScan }] };

export const siteHistoryExample = { items: [{ at: "2026-03-05T04:17:40.000Z", ...exampleScan, ...rating }] };

export const bulkSitesAddedExample = {
  dryRun: false,
  items: [
    {
      index: 0,
      line: null,
      url: exampleUrl,
      site: {
        ...exampleSite,
        pages: [],
        location: "local",
        schedule: { every: "weekly" },
        paused: false,
        nextRunAt: "2026-03-05T09:30:00.000Z",
      },
    },
    {
      index: 1,
      line: null,
      url: exampleUrl,
      error: { status: 409, errorMessage: "The account watches this url already.", fieldErrors: { url: ["is watched already"] } },
    },
  ],
};

const noSuchSite = { id: 13, error: { status: 404, errorMessage: "There is no such site." } };
export const bulkSitesChangedExample = { items: [{ id: 12, site: siteListItemExample }, noSuchSite] };
export const bulkSitesRemovedExample = { items: [{ id: 12, removed: true }, noSuchSite] };
export const bulkSitesScannedExample = {
  items: [
    { id: 12, run: siteRunExample },
    { id: 13, error: { status: 409, errorMessage: "A run of this site is under way; wait for its end." } },
  ],
};

export const eventExample = {
  id: "evt_4Zk0XyR7mQ2bVn9TsLw3Hd",
  type: "site.score_dropped",
  at: "2026-03-05T04:27:40.000Z",
  site: exampleSite,
  ...exampleScan,
  data: { from: 88, to: 61, band: "warn", rank: "weak" },
};
export const eventListExample = { items: [eventExample], nextCursor: null };

export function siteUrlTaken(): ApiError {
  return new ApiError(409, "The account watches this url already.", { fieldErrors: { url: ["is watched already"] } });
}

export function sitesExceeded(plan: Plan): ApiError {
  const { sites } = planTerms[plan];
  return new ApiError(
    403,
    `The plan "${plan}" has at most ${sites} sites. Remove one, or ask an administrator of this appliance for another plan.`,
  );
}

/** A token acts on the sites of its own account. */
export function ownSiteActor(account: Account): SiteActor {
  return { owner: account, by: account };
}

/** Why a run by hand was not started. */
export function runRefused(refusal: StartRunRefusal): ApiError {
  if (refusal === "unknown") return recordNotFound("site");
  return refusal === "full" ? queueFull() : new ApiError(409, "A run of this site is under way; wait for its end.");
}

/** A worker may be revoked at any time, so the names are read for each request. */
export function siteFieldSettings({ api }: Pick<Call, "api">): { readonly locations: readonly string[] } {
  return { locations: api.locations.names() };
}

/** Null for values without a fault. */
export function siteFieldErrors(parsed: object | SiteFaults, call: Pick<Call, "api">): FieldErrors | null {
  if (!("faults" in parsed)) return null;
  const { locations } = siteFieldSettings(call);
  const byField = Map.groupBy(parsed.faults, ({ field }) => field);
  return Object.fromEntries([...byField].map(([field, ofField]) => [field, ofField.map((fault) => faultText(fault, locations))]));
}

/** @throws ApiError 400 for faults. */
export function assertNoFaults<T extends object>(parsed: T | SiteFaults, call: Pick<Call, "api">): asserts parsed is T {
  const fieldErrors = siteFieldErrors(parsed, call);
  if (fieldErrors !== null) throw invalidFields(fieldErrors);
}

function faultText({ code, max = 0, entry, fault }: SiteFault, locations: readonly string[]): string {
  const text = code === "url-invalid" ? scanUrlFaults[fault ?? "invalid"] : faultTexts[code];
  const filled = text.replace("{max}", String(max)).replace("{locations}", [localLocation, ...locations].join(", "));
  return entry === undefined ? filled : `${filled} (entry ${entry})`;
}

/** Complete the name of the field. */
const faultTexts: Readonly<Record<Exclude<SiteFaultCode, "url-invalid">, string>> = {
  required: "is required",
  "not-text": "must be a string",
  "not-list": "must be a list of strings",
  "not-switch": "must be true or false",
  characters: "must not contain control characters or line breaks",
  "too-long": "must be at most {max} characters long",
  "too-many": "must have at most {max} entries",
  "origin-differs": "must have addresses of the same scheme, host and port as url",
  repeated: "must not repeat an address of the site",
  "tag-separator": "must not contain one of the characters , ; |",
  "unknown-location": "must be one of {locations}",
  "code-malformed": "must be the code of a finding, such as security.missing-header.content-security-policy",
  "day-malformed": "must be a day such as 2027-03-01, or null",
  "day-past": "must not be in the past",
  "both-forms": "must have either every, or cron with zone, and nothing else",
  "unknown-interval": `must have every with one of ${scheduleIntervals.join(", ")}, or cron with zone`,
  "zone-unknown": "must have a zone of the IANA database, such as Europe/Berlin",
  "cron-malformed": "must have a cron pattern of five fields, such as 0 3 * * 1",
  "too-often": "must leave at least an hour between two runs",
  "never-runs": "must have a cron pattern that some date matches",
};
