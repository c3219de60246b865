/** Operations on watched sites: list, add, read, change, remove, scan now, history, accepted findings. */
import { type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";
import { planTerms } from "../../accounts/account-operations.ts";
import { localLocation } from "../../parse/location.ts";
import { scanUrlFaults } from "../../parse/scan-url.ts";
import { scheduleIntervals } from "../../parse/site-csv.ts";
import type { WatchRefusal } from "../../sites/policy-watch.ts";
import { shownRunsOf } from "../../sites/schedule.ts";
import {
  parseAcceptance,
  parseSiteChange,
  parseSiteFields,
  type SiteFault,
  type SiteFaultCode,
  type SiteFaults,
  type SiteField,
  siteFields,
} from "../../sites/site-fields.ts";
import {
  acceptFinding,
  addSite,
  removeSites,
  type SiteActor,
  scanSite,
  unwatchPolicy,
  updateSite,
  watchPolicy,
  withdrawAcceptance,
} from "../../sites/site-operations.ts";
import type { WaitingRuns } from "../../sites/waiting-runs.ts";
import type { Account, Plan } from "../../store/accounts.ts";
import { pageOf } from "../../store/page.ts";
import type { SiteRun, StartRunRefusal } from "../../store/site-runs.ts";
import { acceptedFindingsMax, acceptedReasonCharsMax, type Site, type SiteFieldName } from "../../store/sites.ts";
import { bands, ranks } from "../../text/render.ts";
import { jsonBody } from "../body.ts";
import { EventList, eventBody } from "../channels/deliveries.ts";
import { ApiError, doneOrThrow, type FieldErrors, invalidFields, queueFull, recordNotFound, recordsExceeded } from "../errors.ts";
import { type Call, forAccounts, JsonAnswer, operation, ownRecord } from "../operation.ts";
import { invalidListQuery, pageBody, pageQuery } from "../queries.ts";
import { answered, badBody, badField, badListQuery, locationHeader, noSpace, refused } from "../responses.ts";
import { exampleToken, statusUrlOf } from "../scans/reads.ts";
import {
  bodyOf,
  closed,
  example,
  exampleOf,
  instantOf,
  ListQuery,
  model,
  nextCursor,
  nullable,
  nullExample,
  oneOfValues,
  pageRequestOf,
  recordId,
  scoreField,
  worded,
} from "../schemas.ts";
import { queryOf } from "../validation.ts";

const scanFields = {
  token: Type.String({ description: "Names a scan.", [example]: exampleToken }),
  statusUrl: Type.String({ description: "Relative path of the full report.", [example]: statusUrlOf(exampleToken) }),
};
const scheduleFields = {
  every: Type.Optional(oneOfValues(scheduleIntervals)),
  cron: Type.Optional(Type.String({ description: "Five fields, with at least an hour between two runs; instead of every." })),
  zone: Type.Optional(Type.String({ description: "Time zone of cron, as Europe/Berlin." })),
};
export const scheduleOf = (options: SchemaOptions) => Type.Object(scheduleFields, { ...closed, ...options });

/** Schemas of the fields that the account decides. `finish` gets the schema of a value that is not null. */
function fieldSchemas<S extends TSchema>(finish: (schema: TSchema, field: SiteField) => S): { readonly [N in SiteFieldName]: S } {
  const schemas = Object.entries<SiteField>(siteFields).map(([name, field]) => [name, finish(valueSchema(field), field)]);
  return Object.fromEntries(schemas);
}

function valueSchema({ kind, about, example, charsMax: maxLength, entriesMax: maxItems }: SiteField): TSchema {
  const options = { description: about, examples: [example] };
  const limits = maxLength === undefined ? {} : { maxLength };
  if (kind === "texts") return Type.Array(Type.String(limits), { ...options, ...(maxItems === undefined ? {} : { maxItems }) });
  if (kind === "schedule") return scheduleOf(options);
  return kind === "flag" ? Type.Boolean(options) : Type.String({ ...options, ...limits });
}

const orNull = (schema: TSchema) => nullable(schema, { examples: schema.examples });
const { name, ...otherFields } = fieldSchemas((schema, { mayBeNull }) => (mayBeNull ? orNull(schema) : schema));
/** Fields that the account decides, as answers have them: first the name. */
export const ownedFields = { name, ...otherFields };
export const SiteRequest = model(
  "SiteRequest",
  Type.Object({ ...fieldSchemas((schema) => Type.Optional(orNull(schema))), url: ownedFields.url }, closed),
);
const SiteChangeRequest = model(
  "SiteChangeRequest",
  Type.Object(
    fieldSchemas((schema, { keepsValue }) => Type.Optional(keepsValue ? schema : orNull(schema))),
    { ...closed, minProperties: 1 },
  ),
);

const scanOfRun = Type.Object({ url: Type.String({ [example]: siteFields.url.example }), ...scanFields });
export const SiteRunBody = model(
  "SiteRun",
  Type.Object({
    kind: oneOfValues(["scheduled", "second-look", "manual"], { [example]: "manual" }),
    startedAt: instantOf("When its scans were queued.", "2026-03-05T09:30:00.000Z"),
    scans: Type.Array(scanOfRun, { description: "One for each address, the first one first." }),
  }),
);

const AcceptanceBody = model(
  "Acceptance",
  Type.Object({
    code: Type.String({ description: "Code of a finding.", [example]: "security.missing-header.content-security-policy" }),
    reason: Type.String({ [example]: "The shop system needs it." }),
    until: nullable(Type.String({ description: "Last day in UTC, YYYY-MM-DD; null for no end.", [example]: "2099-12-31" })),
    acceptedAt: instantOf("When it was accepted.", "2026-03-01T09:00:00.000Z"),
  }),
);

export const acceptanceFields = {
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
};
const PolicyRequest = model(
  "PolicyRequest",
  Type.Object(
    { proof: Type.String({ description: "Token of a finished proof of a page of the site.", examples: [exampleToken] }) },
    closed,
  ),
);
const AcceptanceRequest = model("AcceptanceRequest", Type.Object(acceptanceFields, closed));

const reading = {
  ...scanFields,
  at: instantOf("When it was measured.", "2026-03-05T04:17:40.000Z"),
  score: scoreField("Lowest of all addresses of the site.", 88),
  band: oneOfValues(bands, { [example]: "good" }),
  rank: oneOfValues(ranks, { [example]: "strong" }),
  open: Type.Integer({ minimum: 0, description: "Findings that are open and not accepted.", [example]: 3 }),
};

const plannedPolicy = Type.Object({
  url: Type.String({ description: "Address of the site on which they are tried.", [example]: siteFields.url.example }),
  headers: Type.Array(Type.Object({ name: Type.String(), value: nullable(Type.String()) }), {
    description: "As the proof gives them: {nonce} stands for a new nonce, and null takes a field away.",
  }),
  proof: Type.String({ description: "Token of the proof.", [example]: exampleToken }),
  savedAt: instantOf("When they were saved.", "2026-03-01T09:00:00.000Z"),
  triedAt: nullable(instantOf("Last try with an answer; null before the first.", "2026-03-05T04:17:40.000Z")),
  brokenSince: nullable(instantOf("First try that showed the page broken; null while it works."), nullExample),
  reported: Type.Boolean({ description: "Whether policy.broken was sent, and nothing since.", [example]: false }),
  blocked: Type.Array(Type.Object({ directive: Type.String(), url: nullable(Type.String()), kind: Type.String() }), {
    description: "What they blocked in the last try, the first things.",
  }),
});

const answerFields = {
  id: recordId("Names the site.", { [example]: 12 }),
  ...ownedFields,
  accepted: Type.Array(AcceptanceBody, { description: "Findings that are no longer notified." }),
  createdAt: instantOf("When it was added.", "2026-02-01T08:00:00.000Z"),
  nextRunAt: nullable(
    instantOf("Next planned run; null while paused. The start may be later, since runs are spread.", "2026-03-06T04:17:00.000Z"),
  ),
  waitingPlace: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Present while a planned run is due and waits: its place among the waiting runs of its kind.",
      [example]: 31,
    }),
  ),
  secondLookAt: nullable(instantOf("When a doubtful run is repeated; null without a doubt."), nullExample),
  lastRunAt: nullable(instantOf("Start of the last run.", "2026-03-05T04:17:00.000Z")),
  run: nullable(SiteRunBody, nullExample),
  failingSince: nullable(instantOf("Since when no run could measure the site."), nullExample),
  reading: nullable(
    Type.Object({
      ...reading,
      certificateExpiresAt: nullable(instantOf("Null if it was not read.", "2026-05-20T12:00:00.000Z")),
      unconfirmed: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "Present while a second look is due: findings that it may confirm, 0 for a lower score alone.",
        }),
      ),
    }),
  ),
  policy: Type.Optional(plannedPolicy),
  trend: Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), {
    description: "Scores of the last measured runs, oldest first.",
    [example]: [81, 84, 88],
  }),
};

export const SiteListItem = Type.Object(answerFields);
const SiteBody = model(
  "Site",
  Type.Object({
    ...answerFields,
    nextRuns: Type.Array(Type.String({ format: "date-time" }), {
      description: "The next three planned runs; none while paused.",
      [example]: ["2026-03-06T04:17:00.000Z", "2026-03-07T04:17:00.000Z", "2026-03-08T04:17:00.000Z"],
    }),
  }),
);
const SiteList = model("SiteList", Type.Object({ items: Type.Array(SiteListItem, { description: "Newest first." }), nextCursor }));
const SiteHistory = model(
  "SiteHistory",
  Type.Object({ items: Type.Array(Type.Object(reading), { description: "Measured runs, oldest first." }) }),
);

const ofSites = forAccounts("sites");
const sitesPath = "/api/v1/sites";
const siteSearchCharsMax = 100;

const ofSite = { ...ofSites, ...ownRecord("site", 12, (store, accountId, id) => store.sites.find(accountId, id)) };
const AcceptanceParams = Type.Object({
  ...ofSite.params.properties,
  code: Type.String({ description: "Code of the finding.", examples: [exampleOf(AcceptanceBody.properties.code)] }),
});
const SiteListQuery = Type.Object({
  client: Type.Optional(Type.String({ description: "Only sites of this client; empty for sites without one." })),
  tag: Type.Optional(Type.String({ description: "Only sites with this tag." })),
  q: Type.Optional(
    worded(Type.String({ maxLength: siteSearchCharsMax, description: "Only sites with this text in name, address, client or a tag." }), {
      wrong: `must be at most ${siteSearchCharsMax} characters long`,
    }),
  ),
  ...ListQuery.properties,
});
const badFields = badField(badBody, "name", "must be at most 100 characters long");
const taken = { 409: refused("The account watches the url already.", siteUrlTaken().message, { url: ["is watched already"] }) };

/** Why the headers of a proof are not watched. */
const notWatchableTexts: Readonly<Record<WatchRefusal, string>> = {
  "other-page": "The proof is of a page that the site does not have.",
  "not-proven": "The proof has not ended, or its headers are not proven.",
  "too-long": "The headers of the proof are too long to be watched.",
};

export const siteOperations = [
  operation({
    id: "listSites",
    route: "GET /api/v1/sites",
    ...ofSites,
    summary: "List your account's sites, newest first",
    query: queryOf(SiteListQuery, invalidListQuery, { repeated: "named" }),
    answers: { 200: answered("A page of sites.", SiteList, {}, { items: [exampleOf(SiteListItem)], nextCursor: "12" }) },
    refusals: badListQuery,
    run: ({ account, query, api: { store, sites } }) => {
      const { limit, cursor } = pageRequestOf(query);
      const matching = store.sites.list(account.id).filter(siteFilterOf(query)).toReversed();
      const later = matching.filter(({ id }) => cursor === null || id < cursor);
      return pageBody(pageOf(later, limit), (site) => siteBody(site, store.siteRuns.find(site.id), sites.waitingRuns()));
    },
  }),
  operation({
    id: "addSite",
    route: "POST /api/v1/sites",
    ...ofSites,
    summary: "Watch a site",
    description: "A site with an interval is scanned soon, and then by its interval; one with cron at its next time.",
    body: jsonBody(SiteRequest, { faultsOf: (fields, call) => siteFieldErrors(parseSiteFields(fields, siteFieldSettings(call)), call) }),
    answers: { 201: answered("The site is watched.", SiteBody, locationHeader("site")) },
    refusals: {
      ...badFields,
      403: refused("The account's plan does not include API access, or no further site.", sitesExceeded("agency").message),
      ...taken,
    },
    run: async ({ body, account, api }) => {
      const parsed = parseSiteFields(body, siteFieldSettings({ api }));
      assertNoFaults(parsed, { api });
      const added = await addSite(api, ownSiteActor(account), parsed);
      const site = doneOrThrow(added, (refusal) => (refusal === "full" ? sitesExceeded(account.plan) : siteUrlTaken()));
      return new JsonAnswer(fullBody(site, api), { location: `${sitesPath}/${site.id}` });
    },
  }),
  operation({
    id: "readSite",
    route: "GET /api/v1/sites/{id}",
    ...ofSite,
    summary: "Read a site",
    answers: { 200: answered("The site.", SiteBody) },
    run: ({ record, api }) => fullBody(record, api),
  }),
  operation({
    id: "changeSite",
    route: "PATCH /api/v1/sites/{id}",
    ...ofSite,
    summary: "Change a site",
    description: "Changes the given fields. A new schedule plans the next run anew; a pause removes the planned runs.",
    body: jsonBody(SiteChangeRequest, {
      faultsOf: (fields, call) => siteFieldErrors(parseSiteChange(fields, ofSite.record.find(call), siteFieldSettings(call)), call),
    }),
    answers: { 200: answered("The site as it is now.", SiteBody) },
    refusals: { ...badFields, ...taken },
    run: async ({ record, body, account, api }) => {
      const change = (site: Site) => parseSiteChange(body, site, siteFieldSettings({ api }));
      const changed = await updateSite(api, ownSiteActor(account), { id: record.id, change });
      assertNoFaults(changed, { api });
      if ("refused" in changed) throw changed.refused === "url-taken" ? siteUrlTaken() : recordNotFound("site");
      return fullBody(changed.done, api);
    },
  }),
  operation({
    id: "removeSite",
    route: "DELETE /api/v1/sites/{id}",
    ...ofSite,
    summary: "Watch a site no longer",
    description: "Removes the site with its history, its events and the rules for it alone. Its scans stay.",
    answers: { 204: { description: "The site is gone." } },
    run: async ({ record, account, api }) => {
      // A request at the same time may have removed it.
      if ((await removeSites(api, ownSiteActor(account), [record.id])).length === 0) throw recordNotFound("site");
    },
  }),
  operation({
    id: "scanSite",
    route: "POST /api/v1/sites/{id}/scan",
    ...ofSite,
    summary: "Scan a site now",
    description: "Queues a scan of each address, also of a paused site. The run counts as any other of the site.",
    answers: { 202: answered("The scans are queued.", SiteRunBody) },
    refusals: {
      409: refused("A run of the site is under way.", runRefused("busy").message),
      ...noSpace("The queue has no space for all addresses, or the disk is full."),
    },
    run: async ({ record, account, api }) => runBody(doneOrThrow(await scanSite(api, ownSiteActor(account), record.id), runRefused)),
  }),
  operation({
    id: "listSiteEvents",
    route: "GET /api/v1/sites/{id}/events",
    ...ofSite,
    summary: "List the events of a site, newest first",
    query: pageQuery,
    answers: { 200: answered("A page of events.", EventList) },
    refusals: badListQuery,
    run: ({ record: { accountId, id }, query, api }) =>
      pageBody(api.store.events.pageOfSite(accountId, id, pageRequestOf(query)), eventBody),
  }),
  operation({
    id: "readSiteHistory",
    route: "GET /api/v1/sites/{id}/history",
    ...ofSite,
    summary: "Read the history of a site's score",
    answers: { 200: answered("The measured runs that are kept.", SiteHistory) },
    run: ({ record, api }) => ({
      items: api.store.siteRuns
        .history(record.id)
        .map(({ at, token, ...rating }) => ({ at, token, statusUrl: statusUrlOf(token), ...rating })),
    }),
  }),
  operation({
    id: "acceptFinding",
    route: "PUT /api/v1/sites/{id}/accepted/{code}",
    ...ofSite,
    params: AcceptanceParams,
    summary: "Accept a finding of a site",
    description: "An accepted finding is shown as such and no longer notified. A second acceptance of the code replaces the first.",
    body: jsonBody(AcceptanceRequest, {
      faultsOf: (fields, call) => siteFieldErrors(parseAcceptance(call.params.code, fields, call.api.now()), call),
    }),
    answers: { 200: answered("The finding is accepted.", AcceptanceBody) },
    refusals: {
      ...badField("The code, the reason or the day is not valid.", "until", "must not be in the past"),
      409: refused("The site has too many accepted findings.", tooManyAccepted().message),
    },
    run: async ({ record, body, params, account, api }) => {
      const accepted = await acceptFinding(api, ownSiteActor(account), { id: record.id, code: params.code, ...body });
      assertNoFaults(accepted, { api });
      if ("refused" in accepted) throw accepted.refused === "full" ? tooManyAccepted() : recordNotFound("site");
      return accepted.done;
    },
  }),
  operation({
    id: "unacceptFinding",
    route: "DELETE /api/v1/sites/{id}/accepted/{code}",
    ...ofSite,
    params: AcceptanceParams,
    summary: "Accept a finding of a site no longer",
    answers: { 204: { description: "The acceptance is gone." } },
    refusals: { 404: refused("There is no such site or acceptance.", "There is no such acceptance.") },
    run: async ({ record, params, account, api }) => {
      const withdrawn = await withdrawAcceptance(api, ownSiteActor(account), { id: record.id, code: params.code ?? "" });
      return doneOrThrow(withdrawn, (refusal) => recordNotFound(refusal === "unknown" ? "site" : "acceptance"));
    },
  }),
  operation({
    id: "watchPolicy",
    route: "PUT /api/v1/sites/{id}/policy",
    ...ofSite,
    summary: "Watch the proven headers of a site",
    description: "Each run of the site tries the headers again, and policy.broken reports a page that they break. Others are replaced.",
    body: jsonBody(PolicyRequest),
    answers: { 200: answered("The headers are watched.", SiteBody) },
    refusals: {
      ...badField(badBody, "proof", "must be a string"),
      404: refused("There is no such site or proof.", "There is no such proof."),
      409: refused(
        "The proof is of another page, has not ended, or its headers are not proven, or too long.",
        notWatchable("not-proven").message,
      ),
    },
    run: async ({ record, body, account, api }) => {
      const proof = api.store.proofs.find(body.proof);
      if (proof?.accountId !== account.id) throw recordNotFound("proof");
      const given = { id: record.id, proof, body: api.store.proofs.result(proof.token) };
      const watched = await watchPolicy(api, ownSiteActor(account), given);
      return fullBody(
        doneOrThrow(watched, (refusal) => (refusal === "unknown" ? recordNotFound("site") : notWatchable(refusal))),
        api,
      );
    },
  }),
  operation({
    id: "unwatchPolicy",
    route: "DELETE /api/v1/sites/{id}/policy",
    ...ofSite,
    summary: "Watch the proven headers of a site no longer",
    answers: { 204: { description: "The headers are no longer watched." } },
    refusals: { 404: refused("There is no such site, or it has no such headers.", "There is no such policy.") },
    run: async ({ record, account, api }) => {
      const removed = await unwatchPolicy(api, ownSiteActor(account), record.id);
      return doneOrThrow(removed, (refusal) => recordNotFound(refusal === "unknown" ? "site" : "policy"));
    },
  }),
];

function notWatchable(refusal: WatchRefusal): ApiError {
  return new ApiError(409, notWatchableTexts[refusal]);
}

function tooManyAccepted() {
  return recordsExceeded("accepted findings of a site", acceptedFindingsMax);
}

function fullBody(site: Site, { store, sites }: Call["api"]): object {
  return { ...siteBody(site, store.siteRuns.find(site.id), sites.waitingRuns()), nextRuns: shownRunsOf(site) };
}

const siteBodyOf = bodyOf(SiteListItem);

/** A site in a list. `run`: under way, if any. */
export function siteBody(site: Site, run: SiteRun | undefined, waiting: WaitingRuns): object {
  const { reading } = site;
  return siteBodyOf({
    ...site,
    run: run === undefined ? null : runBody(run),
    waitingPlace: waiting.placeOf(site.id) ?? undefined,
    policy: site.policy ?? undefined,
    reading: reading === null ? null : { ...reading, statusUrl: statusUrlOf(reading.token) },
  });
}

export function runBody({ kind, startedAt, scans }: SiteRun): object {
  return { kind, startedAt, scans: scans.map(({ url, token }) => ({ url, token, statusUrl: statusUrlOf(token) })) };
}

function siteFilterOf({ client, tag, q }: Static<typeof SiteListQuery>): (site: Site) => boolean {
  const search = q?.trim().toLowerCase();
  return (site) =>
    (client === undefined || (site.client ?? "") === client) &&
    (tag === undefined || site.tags.includes(tag)) &&
    (search === undefined || [site.name, site.url, site.client ?? "", ...site.tags].some((text) => text.toLowerCase().includes(search)));
}

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
