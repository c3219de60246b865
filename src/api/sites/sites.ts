/** Operations on watched sites: list, add, read, change, remove, scan now, events, history, accepted findings. */

import { type Static, Type } from "@sinclair/typebox";
import { recordIdOf } from "../../base/record-id.ts";
import { parseAcceptance, parseSiteChange, parseSiteFields } from "../../sites/site-fields.ts";
import { acceptFinding, addSite, removeSites, scanSite, updateSite, withdrawAcceptance } from "../../sites/site-operations.ts";
import { pageOf } from "../../store/page.ts";
import { acceptedFindingsMax, type Site } from "../../store/sites.ts";
import { jsonBody } from "../body.ts";
import { recordNotFound, recordsExceeded } from "../errors.ts";
import { type Call, forAccounts, JsonAnswer, operation } from "../operation.ts";
import { invalidListQuery, pageBody, pageQuery } from "../queries.ts";
import { answered, badBody, badField, badListQuery, diskFull, locationHeader, noSpace, refused, unknownRecord } from "../responses.ts";
import { idParams, ListQuery, pageRequestOf, worded } from "../schemas.ts";
import { queryOf } from "../validation.ts";
import {
  AcceptanceBody,
  AcceptanceRequest,
  acceptanceExample,
  assertNoFaults,
  EventList,
  eventBody,
  eventListExample,
  fullSiteBody,
  historyBody,
  ownSiteActor,
  runBody,
  runRefused,
  SiteBody,
  SiteChangeRequest,
  SiteHistory,
  SiteList,
  SiteRequest,
  SiteRunBody,
  siteBody,
  siteExample,
  siteFieldErrors,
  siteFieldSettings,
  siteHistoryExample,
  siteListExample,
  siteRunExample,
  sitesExceeded,
  siteUrlTaken,
} from "./models.ts";

const ofSites = forAccounts("sites");
const sitesPath = "/api/v1/sites";
const siteSearchCharsMax = 100;

const SiteParams = idParams("site", 12);
const AcceptanceParams = Type.Object({
  ...SiteParams.properties,
  code: Type.String({ description: "Code of the finding.", examples: [acceptanceExample.code] }),
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
const ofSite = { params: SiteParams, ...ofSites, record: ownSite } as const;
const badFields = badField(badBody, "name", "must be at most 100 characters long");
const taken = { 409: refused("The account watches the url already.", siteUrlTaken().message, { url: ["is watched already"] }) };

export const siteOperations = [
  operation({
    id: "listSites",
    route: "GET /api/v1/sites",
    ...ofSites,
    summary: "List your account's sites, newest first",
    query: queryOf(SiteListQuery, invalidListQuery, { repeated: "named" }),
    answers: { 200: answered("A page of sites.", SiteList, siteListExample) },
    refusals: badListQuery,
    run: ({ account, query, api: { store } }) => {
      const { limit, cursor } = pageRequestOf(query);
      const matching = store.sites.list(account.id).filter(siteFilterOf(query)).toReversed();
      const later = matching.filter(({ id }) => cursor === null || id < cursor);
      return pageBody(pageOf(later, limit), (site) => siteBody(site, store.siteRuns.find(site.id)));
    },
  }),
  operation({
    id: "addSite",
    route: "POST /api/v1/sites",
    ...ofSites,
    summary: "Watch a site",
    description: "A site with an interval is scanned soon, and then by its interval; one with cron at its next time.",
    body: jsonBody(SiteRequest, { faultsOf: (fields, call) => siteFieldErrors(parseSiteFields(fields, siteFieldSettings(call)), call) }),
    answers: { 201: answered("The site is watched.", SiteBody, siteExample, locationHeader("site")) },
    refusals: {
      ...badFields,
      403: refused("The account's plan does not include API access, or no further site.", sitesExceeded("agency").message),
      ...taken,
      ...diskFull,
    },
    run: async ({ body, account, api }) => {
      const parsed = parseSiteFields(body, siteFieldSettings({ api }));
      assertNoFaults(parsed, { api });
      const added = await addSite(api, ownSiteActor(account), parsed);
      if ("refused" in added) throw added.refused === "full" ? sitesExceeded(account.plan) : siteUrlTaken();
      return new JsonAnswer(fullBody(added.done, api), { location: `${sitesPath}/${added.done.id}` });
    },
  }),
  operation({
    id: "readSite",
    route: "GET /api/v1/sites/{id}",
    ...ofSite,
    summary: "Read a site",
    answers: { 200: answered("The site.", SiteBody, siteExample) },
    refusals: unknownRecord("site"),
    run: ({ record, api }) => fullBody(record, api),
  }),
  operation({
    id: "changeSite",
    route: "PATCH /api/v1/sites/{id}",
    ...ofSite,
    summary: "Change a site",
    description: "Changes the given fields. A new schedule plans the next run anew; a pause removes the planned runs.",
    body: jsonBody(SiteChangeRequest, {
      faultsOf: (fields, call) => siteFieldErrors(parseSiteChange(fields, ownSite(call), siteFieldSettings(call)), call),
    }),
    answers: { 200: answered("The site as it is now.", SiteBody, siteExample) },
    refusals: { ...badFields, ...unknownRecord("site"), ...taken, ...diskFull },
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
    refusals: { ...unknownRecord("site"), ...diskFull },
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
    answers: { 202: answered("The scans are queued.", SiteRunBody, siteRunExample) },
    refusals: {
      ...unknownRecord("site"),
      409: refused("A run of the site is under way.", runRefused("busy").message),
      ...noSpace("The queue has no space for all addresses, or the disk is full."),
    },
    run: async ({ record, account, api }) => {
      const run = await scanSite(api, ownSiteActor(account), record.id);
      if ("refused" in run) throw runRefused(run.refused);
      return runBody(run.done);
    },
  }),
  operation({
    id: "listSiteEvents",
    route: "GET /api/v1/sites/{id}/events",
    ...ofSite,
    summary: "List the events of a site, newest first",
    query: pageQuery,
    answers: { 200: answered("A page of events.", EventList, eventListExample) },
    refusals: { ...badListQuery, ...unknownRecord("site") },
    run: ({ record: { accountId, id }, query, api }) =>
      pageBody(api.store.events.pageOfSite(accountId, id, pageRequestOf(query)), eventBody),
  }),
  operation({
    id: "readSiteHistory",
    route: "GET /api/v1/sites/{id}/history",
    ...ofSite,
    summary: "Read the history of a site's score",
    answers: { 200: answered("The measured runs that are kept.", SiteHistory, siteHistoryExample) },
    refusals: unknownRecord("site"),
    run: ({ record, api }) => ({ items: api.store.siteRuns.history(record.id).map(historyBody) }),
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
    answers: { 200: answered("The finding is accepted.", AcceptanceBody, acceptanceExample) },
    refusals: {
      ...badField("The code, the reason or the day is not valid.", "until", "must not be in the past"),
      ...unknownRecord("site"),
      409: refused("The site has too many accepted findings.", tooManyAccepted().message),
      ...diskFull,
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
    refusals: { 404: refused("There is no such site or acceptance.", "There is no such acceptance."), ...diskFull },
    run: async ({ record, params, account, api }) => {
      const withdrawn = await withdrawAcceptance(api, ownSiteActor(account), { id: record.id, code: params.code ?? "" });
      if ("refused" in withdrawn) throw recordNotFound(withdrawn.refused === "unknown" ? "site" : "acceptance");
    },
  }),
];

/** @throws ApiError 404, the same for a site of another account. */
function ownSite({ account, params, api }: Call): Site {
  const site = api.store.sites.find(account.id, recordIdOf(params.id));
  if (site === undefined) throw recordNotFound("site");
  return site;
}

function tooManyAccepted() {
  return recordsExceeded("accepted findings of a site", acceptedFindingsMax);
}

function fullBody(site: Site, { store }: Call["api"]): object {
  return fullSiteBody(site, store.siteRuns.find(site.id));
}

function siteFilterOf({ client, tag, q }: Static<typeof SiteListQuery>): (site: Site) => boolean {
  const search = q?.trim().toLowerCase();
  return (site) =>
    (client === undefined || (site.client ?? "") === client) &&
    (tag === undefined || site.tags.includes(tag)) &&
    (search === undefined || [site.name, site.url, site.client ?? "", ...site.tags].some((text) => text.toLowerCase().includes(search)));
}
