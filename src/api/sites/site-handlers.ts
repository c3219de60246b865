/** Watched sites: list, add, read, change, remove, scan now, events, history, accepted findings. */
import { planTerms } from "../../account/plans.ts";
import { parseSiteChange, parseSiteFields, siteFieldNames } from "../../sites/site-fields.ts";
import { plannedChange, plannedSite } from "../../sites/site-planning.ts";
import { pageOf } from "../../store/page.ts";
import type { Site } from "../../store/sites.ts";
import { invalidFields } from "../errors.ts";
import { callingAccount } from "../own-scan.ts";
import { written } from "../writing.ts";
import {
  type AccountRequest,
  answerJson,
  answerNothing,
  answerPage,
  assertSomeField,
  onceOrNull,
  pageRequestOf,
  readFields,
  type SiteApiSettings,
  sitesPath,
} from "./account-request.ts";
import { changeSite, ownSite, wordingOf } from "./own-site.ts";
import { fullSiteBody, siteBody } from "./site-bodies.ts";
import { recordNotFound, refuseFaults, sitesExceeded, siteUrlTaken } from "./site-errors.ts";

export const siteSearchCharsMax = 100;

export function createSiteHandlers(settings: SiteApiSettings) {
  const { store, sites, now } = settings;
  const wording = () => wordingOf(settings);
  return { list, add, read, change, remove };

  function list(given: AccountRequest): Response {
    const { limit, cursor } = pageRequestOf(given.request);
    const isWanted = siteFilterOf(new URL(given.request.url).searchParams);
    const matching = store.sites.list(callingAccount(given.requestContext).id).filter(isWanted).toReversed();
    const page = pageOf(
      matching.filter(({ id }) => cursor === null || id < cursor),
      limit,
    );
    return answerPage(given, page, (site) => siteBody(site, store.siteRuns.find(site.id)));
  }

  async function add(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: siteFieldNames, required: "url" });
    const parsed = parseSiteFields(fields, wording());
    if ("faults" in parsed) refuseFaults(parsed.faults, wording());
    const { sites: sitesMax } = planTerms[account.plan];
    const [added] = await written(() => store.sites.add([plannedSite(parsed, account.id, now())], sitesMax));
    if (added === "url-taken") throw siteUrlTaken();
    if (added === undefined || added === "full") throw sitesExceeded(account.plan, sitesMax);
    sites.wakeClock();
    return answerSite(given, added, 201, { location: `${sitesPath}/${added.id}` });
  }

  function read(given: AccountRequest): Response {
    return answerSite(given, ownSite(store, given));
  }

  async function change(given: AccountRequest): Promise<Response> {
    const { id } = ownSite(store, given);
    const { fields } = await readFields(settings, given, { names: siteFieldNames, required: null });
    assertSomeField(fields, siteFieldNames);
    const changed = await changeSite(settings, given, id, (site) => {
      const parsed = parseSiteChange(fields, site, wording());
      return "faults" in parsed ? parsed : plannedChange(site, parsed, now());
    });
    sites.wakeClock();
    return answerSite(given, changed);
  }

  async function remove(given: AccountRequest): Promise<Response> {
    const { accountId, id } = ownSite(store, given);
    const removed = await written(() => store.sites.remove(accountId, [id], accountId));
    // A request at the same time may have removed it.
    if (removed.length === 0) throw recordNotFound("site");
    return answerNothing(given);
  }

  function answerSite(given: AccountRequest, site: Site, status = 200, headers = {}): Response {
    return answerJson(given, status, fullSiteBody(site, store.siteRuns.find(site.id)), headers);
  }
}

/** @throws ApiError 400 for a parameter that is given twice, or a search that is too long. */
function siteFilterOf(params: URLSearchParams): (site: Site) => boolean {
  const [client, tag, search] = [onceOrNull(params, "client"), onceOrNull(params, "tag"), onceOrNull(params, "q")?.trim().toLowerCase()];
  if ((search ?? "").length > siteSearchCharsMax) throw invalidFields({ q: [`must be at most ${siteSearchCharsMax} characters long`] });
  return (site) =>
    (client === null || (site.client ?? "") === client) &&
    (tag === null || site.tags.includes(tag)) &&
    (search === undefined || [site.name, site.url, site.client ?? "", ...site.tags].some((text) => text.toLowerCase().includes(search)));
}
