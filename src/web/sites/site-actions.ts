/** Changes of watched sites: `POST /sites/{id}`, and `POST /sites` for several at once. */
import { recordIdPattern } from "../../base/record-id.ts";
import { acceptedChange } from "../../sites/acceptances.ts";
import { bulkChangeOf, parseBulkChange } from "../../sites/bulk-change.ts";
import { acceptedWith, parseAcceptance, type SiteFault } from "../../sites/site-fields.ts";
import { plannedChange } from "../../sites/site-planning.ts";
import { startSeveral } from "../../sites/start-several.ts";
import { openFindings } from "../../store/site-runs.ts";
import { type AcceptedFinding, acceptedFindingsMax, type Site } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { formMalformed } from "../errors.ts";
import type { Fields } from "../form.tsx";
import type { PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { type BulkAction, bulkActions, deletionPage } from "./bulk-form.tsx";
import { listPage } from "./list-page.tsx";
import { ownerPath, type SharedSite, type SiteAccess, sitePath } from "./site-access.ts";
import { faultTexts, isFaulty, type SiteFaultField, siteFaultText } from "./site-fault-text.ts";
import { type SiteOutcome, sitePage } from "./site-page.tsx";
import { paramsOf, siteQueryOf } from "./site-query.ts";
import { pickedField } from "./site-row.tsx";

/** A thousand ids with their field names. */
export const bulkBytesMax = 65_536;

export const postSite: PostFor<"siteMembers"> = (visit, shared, fields) => {
  switch (fields.text("do")) {
    case "scan":
      return scanNow(visit, shared);
    case "pause":
      return setPaused(visit, shared, true);
    case "resume":
      return setPaused(visit, shared, false);
    case "delete":
      return deleteSite(visit, shared, fields);
    case "accept":
      return accept(visit, shared, fields);
    case "withdraw":
      return withdraw(visit, shared, fields);
    default:
      throw formMalformed();
  }
};

function done(visit: Visit, site: Site, outcome: SiteOutcome): Response {
  return redirect(visit, `${sitePath(site)}?done=${outcome}`);
}

async function scanNow(visit: Visit, { site }: SharedSite): Promise<Response> {
  const { settings, now } = visit;
  const run = await settings.store.siteRuns.start({ accountId: site.accountId, siteId: site.id, kind: "manual", now });
  if (run === "unknown") return redirect(visit, "/sites");
  if (typeof run === "string") return done(visit, site, run);
  settings.scanning.wake();
  settings.sites.wakeClock();
  return done(visit, site, "scan");
}

async function setPaused(visit: Visit, { site }: SharedSite, paused: boolean): Promise<Response> {
  const { settings, now } = visit;
  await settings.store.sites.change(site.accountId, site.id, (stored) => plannedChange(stored, { paused }, now));
  settings.sites.wakeClock();
  return done(visit, site, paused ? "paused" : "resumed");
}

async function deleteSite(visit: SignedInVisit, { site, access }: SharedSite, fields: Fields): Promise<Response> {
  const path = sitePath(site);
  if (fields.text("confirm") !== "yes") return deletionPage(visit, { access, sites: [site], action: path, cancel: path });
  const removed = await removeSites(visit, access, [site.id]);
  return redirect(visit, ownerPath("/sites", access, { done: "delete", count: String(removed) }));
}

async function removeSites({ settings, account }: SignedInVisit, access: SiteAccess, ids: readonly number[]): Promise<number> {
  const removed = await settings.store.sites.remove(access.owner.id, ids, account.id);
  settings.log.info("sites deleted", { owner: access.owner.id, by: account.id, sites: removed.length });
  return removed.length;
}

async function accept(visit: Visit, shared: SharedSite, fields: Fields): Promise<Response> {
  const { i18n, settings, now } = visit;
  const { site } = shared;
  const typed = { code: fields.text("code"), reason: fields.text("reason"), until: fields.text("until").trim() };
  const parsed = parseAcceptance(typed.code, typed, now);
  if (isFaulty(parsed)) return refuse(faultTexts(i18n, parsed.faults));
  if (!openFindings(site, settings.store.siteRuns.state(site.id), now).some(({ code }) => code === typed.code))
    return refuse(new Map([["code", i18n.t("sites.accepted.notOpen")]]));
  if (acceptedWith(site, parsed) === null)
    return refuse(new Map([["code", i18n.t("sites.accepted.full", { max: i18n.number(acceptedFindingsMax) })]]));
  await changeAccepted(visit, site, (accepted) => acceptedWith({ accepted }, parsed) ?? accepted);
  return done(visit, site, "accepted");

  function refuse(faults: ReadonlyMap<SiteFaultField, string>): Response {
    return sitePage(visit, shared, { ...typed, faults });
  }
}

async function withdraw(visit: Visit, { site }: SharedSite, fields: Fields): Promise<Response> {
  const code = fields.text("code");
  await changeAccepted(visit, site, (accepted) => accepted.filter((one) => one.code !== code));
  return done(visit, site, "withdrawn");
}

async function changeAccepted(
  { settings, now }: Visit,
  { accountId, id }: Site,
  change: (accepted: readonly AcceptedFinding[]) => readonly AcceptedFinding[],
): Promise<void> {
  const { sites, siteRuns } = settings.store;
  // A run that has just ended may have changed the findings.
  await sites.change(accountId, id, (stored) => acceptedChange(stored, change(stored.accepted), siteRuns.state(id), now));
}

export const postSites: PostFor<"members"> = (visit, access, fields) => {
  const action = bulkActions.find((one) => one === fields.text("do"));
  if (action === undefined) throw formMalformed();
  const known = new Set(visit.settings.store.sites.list(access.owner.id).map(({ id }) => id));
  const ids = [
    ...new Set(
      fields
        .all(pickedField)
        .filter((id) => recordIdPattern.test(id))
        .map(Number),
    ),
  ].filter((id) => known.has(id));
  return changeSeveral(visit, access, { action, ids, value: fields.text("value").trim(), confirmed: fields.text("confirm") === "yes" });
};

interface BulkRequest {
  readonly action: BulkAction;
  /** Of sites of the owner. */
  readonly ids: readonly number[];
  readonly value: string;
  readonly confirmed: boolean;
}

async function changeSeveral(visit: SignedInVisit, access: SiteAccess, request: BulkRequest): Promise<Response> {
  const { i18n, settings, now } = visit;
  const { action, ids, value } = request;
  const refuse = (text: string, ofValue: boolean) => listPage(visit, access, { text, ofValue, ids: new Set(ids), action, value });
  if (ids.length === 0) return refuse(i18n.t("sites.bulk.nothing"), false);
  if (action === "delete" && !request.confirmed) return askBeforeDeletion(visit, access, ids);
  if (action === "delete") return bulkDone(visit, access, { done: action, count: await removeSites(visit, access, ids) });
  if (action === "scan") return scanSeveral(visit, access, ids);
  const change = parseBulkChange(fieldsOf(action, value));
  if (isFaulty(change)) return refuse(valueFaultText(i18n, change.faults), true);
  let left = 0;
  const changed = await settings.store.sites.changeAll(access.owner.id, ids, (site) => {
    const own = bulkChangeOf(site, change, now);
    if (!isFaulty(own)) return own;
    // A site with as many tags as it may have keeps them.
    left++;
    return {};
  });
  settings.sites.wakeClock();
  return bulkDone(visit, access, { done: action, count: changed.length - left, left });
}

/** Fields of a bulk change, as the API has them. */
function fieldsOf(action: Exclude<BulkAction, "delete" | "scan">, value: string): Parameters<typeof parseBulkChange>[0] {
  switch (action) {
    case "pause":
      return { paused: true };
    case "resume":
      return { paused: false };
    case "client":
      return { client: value };
    case "tag":
      return { addTags: [value] };
    case "untag":
      return { removeTags: [value] };
  }
}

/** One value was typed, so its entry of a list says nothing. */
function valueFaultText(i18n: I18n, faults: readonly SiteFault[]): string {
  return faults.map(({ entry: _entry, ...fault }) => siteFaultText(i18n, fault)).join(" ");
}

async function scanSeveral(visit: Visit, access: SiteAccess, ids: readonly number[]): Promise<Response> {
  const { settings, now } = visit;
  const runs = await startSeveral(settings.store, { accountId: access.owner.id, ids, now });
  const count = runs.filter((run) => typeof run !== "string").length;
  if (count > 0) settings.scanning.wake();
  settings.sites.wakeClock();
  return bulkDone(visit, access, { done: "scan", count, left: ids.length - count });
}

function askBeforeDeletion(visit: Visit, access: SiteAccess, ids: readonly number[]): Response {
  const sites = ids.flatMap((id) => visit.settings.store.sites.find(access.owner.id, id) ?? []);
  const list = ownerPath("/sites", access, paramsOf(siteQueryOf(visit.url.searchParams)));
  return deletionPage(visit, { access, sites, action: list, cancel: list });
}

interface BulkOutcome {
  readonly done: BulkAction;
  readonly count: number;
  readonly left?: number;
}

/** Back to the same filter and order. */
function bulkDone(visit: Visit, access: SiteAccess, { done: action, count, left = 0 }: BulkOutcome): Response {
  const figures = { done: action, count: String(count), left: left === 0 ? "" : String(left) };
  return redirect(visit, ownerPath("/sites", access, { ...paramsOf(siteQueryOf(visit.url.searchParams)), ...figures }));
}
