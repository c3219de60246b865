/** Bodies of sites for the OpenAPI description. Examples of fields become the example of a request in the reference. */
import { type TSchema, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { localLocation } from "../../parse/location.ts";
import { scheduleIntervals } from "../../parse/site-schedule.ts";
import { acceptedReasonCharsMax, siteNameCharsMax, sitePagesMax, siteTagCharsMax, siteTagsMax } from "../../store/sites.ts";
import { bands, ranks } from "../../text/render.ts";

/** Without Elysia's default, which is the first value. */
export const oneOfValues = <const T extends readonly [string, ...string[]]>(values: T) => t.UnionEnum(values, { default: undefined });
export const nullable = <S extends TSchema>(schema: S, options: { readonly examples?: unknown } = {}) =>
  Type.Union([schema, Type.Null()], options);
export const instantOf = (description: string) => Type.String({ format: "date-time", description });
export const recordId = (description: string) => Type.Integer({ minimum: 1, description });
export const nextCursorField = nullable(Type.String({ description: "The `cursor` of the page after this one; null on the last." }));
const scanToken = Type.String({ description: "Names a scan." });
export const scanStatusUrl = Type.String({ description: "Relative path of the full report." });
const score = Type.Integer({ minimum: 0, maximum: 100, description: "Lowest of all addresses of the site." });
const openFindings = Type.Integer({ minimum: 0, description: "Findings that are open and not accepted." });

const scheduleFields = {
  every: Type.Optional(oneOfValues(scheduleIntervals)),
  cron: Type.Optional(Type.String({ description: "Five fields, with at least an hour between two runs; instead of every." })),
  zone: Type.Optional(Type.String({ description: "Time zone of cron, as Europe/Berlin." })),
};
const schedule = (description: string) =>
  Type.Object(scheduleFields, { additionalProperties: false, description, examples: [{ every: "daily" }] });
const pages = Type.Array(Type.String(), {
  maxItems: sitePagesMax - 1,
  description: "Further addresses of the same origin, scanned in each run.",
});
const client = nullable(Type.String({ maxLength: siteNameCharsMax, description: "For whom the site is watched." }), {
  examples: ["Miller Ltd"],
});
const tags = Type.Array(Type.String({ maxLength: siteTagCharsMax }), {
  maxItems: siteTagsMax,
  description: "Each once. A tag has no |, which separates tags in CSV.",
  examples: [["shop"]],
});
const name = Type.String({ maxLength: siteNameCharsMax, description: "The host without one.", examples: ["Bakery Miller"] });
const location = Type.String({ description: `Where it is scanned from: ${localLocation} without one.` });
const paused = Type.Boolean({ description: "A paused site has no planned runs." });
const url = Type.String({
  description: "First address: an absolute http or https URL without credentials. Unique within the account.",
  examples: ["https://bakery.example/"],
});

const givenFields = {
  name: Type.Optional(name),
  pages: Type.Optional(Type.Array(Type.String(), { maxItems: sitePagesMax - 1, description: "Further addresses of the same origin." })),
  client: Type.Optional(client),
  tags: Type.Optional(tags),
  location: Type.Optional(location),
  schedule: Type.Optional(schedule("Weekly without one.")),
  paused: Type.Optional(paused),
};
const closed = { additionalProperties: false } as const;

const SiteRequest = Type.Object({ url, ...givenFields }, closed);

const SiteChangeRequest = Type.Object(
  { ...givenFields, url: Type.Optional(Type.String({ description: "New first address; pages must be of its origin." })) },
  { ...closed, minProperties: 1 },
);

export const siteRun = Type.Object({
  kind: oneOfValues(["scheduled", "second-look", "manual"]),
  startedAt: instantOf("When its scans were queued."),
  scans: Type.Array(Type.Object({ url: Type.String(), token: scanToken, statusUrl: scanStatusUrl }), {
    description: "One for each address, the first one first.",
  }),
});

const Acceptance = Type.Object({
  code: Type.String({ description: "Code of a finding." }),
  reason: Type.String(),
  until: nullable(Type.String({ description: "Last day in UTC, YYYY-MM-DD; null for no end." })),
  acceptedAt: instantOf("When it was accepted."),
});

const AcceptanceRequest = Type.Object(
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
);

const SiteReadingBody = Type.Object({
  token: scanToken,
  statusUrl: scanStatusUrl,
  at: instantOf("When it was measured."),
  score,
  band: oneOfValues(bands),
  rank: oneOfValues(ranks),
  open: openFindings,
  certificateExpiresAt: nullable(instantOf("Null if it was not read.")),
});

const siteFields = {
  id: recordId("Names the site."),
  name: Type.String(),
  url: Type.String({ description: "In its ASCII form, without fragment." }),
  pages,
  client: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  location: Type.String(),
  schedule: schedule("Interval, or cron with its time zone."),
  paused,
  accepted: Type.Array(Acceptance, { description: "Findings that are no longer notified." }),
  createdAt: instantOf("When it was added."),
  nextRunAt: nullable(instantOf("Next planned run; null while paused. The start may be later, since runs are spread.")),
  secondLookAt: nullable(instantOf("When a doubtful run is repeated; null without a doubt.")),
  lastRunAt: nullable(instantOf("Start of the last run.")),
  run: nullable(siteRun),
  failingSince: nullable(instantOf("Since when no run could measure the site.")),
  reading: nullable(SiteReadingBody),
  trend: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), { description: "Scores of the last measured runs, oldest first." }),
};

const SiteListItem = Type.Object(siteFields);
const SiteBody = Type.Object({
  ...siteFields,
  nextRuns: Type.Array(Type.String({ format: "date-time" }), { description: "The next three planned runs; none while paused." }),
});

const SiteList = Type.Object({
  items: Type.Array(SiteListItem, { description: "Newest first." }),
  nextCursor: nextCursorField,
});

const SiteHistory = Type.Object({
  items: Type.Array(
    Type.Object({
      at: instantOf("When it was measured."),
      token: scanToken,
      statusUrl: scanStatusUrl,
      score,
      band: oneOfValues(bands),
      rank: oneOfValues(ranks),
      open: openFindings,
    }),
    { description: "Measured runs, oldest first." },
  ),
});

export const siteModels = {
  SiteRequest,
  SiteChangeRequest,
  Site: SiteBody,
  SiteList,
  SiteRun: siteRun,
  SiteHistory,
  AcceptanceRequest,
  Acceptance,
};

export const siteListItem = SiteListItem;
export const siteRequest = SiteRequest;
export const siteSchedule = schedule;
