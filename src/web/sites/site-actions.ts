/** Changes of watched sites: `POST /sites/{id}`, and `POST /sites` for several at once. */
import { recordIdPattern } from "../../base/record-id.ts";
import type { SiteFault } from "../../sites/site-fields.ts";
import {
  acceptFinding,
  parseBulkChange,
  removeSites,
  scanSite,
  scanSites,
  updateSite,
  updateSites,
  withdrawAcceptance,
} from "../../sites/site-operations.ts";
import { acceptedFindingsMax, type Site } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { readFields } from "../components/forms.tsx";
import { notFound } from "../errors.ts";
import type { Fields } from "../form.tsx";
import { byOperation, type PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { acceptForm } from "./accepted-findings.tsx";
import { type BulkAction, bulkFields, deletionPage, listPage } from "./list.tsx";
import { ownerPath, type SharedSite, type SiteAccess, siteActor, sitePath } from "./site-access.ts";
import { faultTexts, isFaulty, siteFaultText } from "./site-form.tsx";
import { type SiteOutcome, sitePage } from "./site-page.tsx";
import { paramsOf, siteQueryOf } from "./site-query.ts";
import { pickedField } from "./site-row.tsx";

/** A thousand ids with their field names. */
export const bulkBytesMax = 65_536;

export const postSite: PostFor<"siteMembers"> = byOperation({
  scan: scanNow,
  pause: (visit, shared) => setPaused(visit, shared, true),
  resume: (visit, shared) => setPaused(visit, shared, false),
  delete: deleteSite,
  accept,
  withdraw,
});

function done(visit: Visit, site: Site, outcome: SiteOutcome): Response {
  return redirect(visit, `${sitePath(site)}?done=${outcome}`);
}

async function scanNow(visit: SignedInVisit, { site, access }: SharedSite): Promise<Response> {
  const run = await scanSite(visit.settings, siteActor(visit, access), site.id);
  if ("done" in run) return done(visit, site, "scan");
  return run.refused === "unknown" ? redirect(visit, "/sites") : done(visit, site, run.refused);
}

async function setPaused(visit: SignedInVisit, { site, access }: SharedSite, paused: boolean): Promise<Response> {
  await updateSite(visit.settings, siteActor(visit, access), { id: site.id, change: () => ({ paused }) });
  return done(visit, site, paused ? "paused" : "resumed");
}

async function deleteSite(visit: SignedInVisit, { site, access }: SharedSite, fields: Fields): Promise<Response> {
  const path = sitePath(site);
  if (fields.text("confirm") !== "yes") return deletionPage(visit, { access, sites: [site], action: path, cancel: path });
  const removed = await removeSites(visit.settings, siteActor(visit, access), [site.id]);
  return redirect(visit, ownerPath("/sites", access, { done: "delete", count: String(removed.length) }));
}

async function accept(visit: SignedInVisit, shared: SharedSite, fields: Fields): Promise<Response> {
  const { i18n, settings } = visit;
  const { site, access } = shared;
  const typed = readFields(acceptForm, fields);
  const accepted = await acceptFinding(settings, siteActor(visit, access), { id: site.id, ...typed, onlyOpen: true });
  if ("done" in accepted) return done(visit, site, "accepted");
  if (isFaulty(accepted)) return refuse(faultTexts(i18n, accepted.faults));
  if (accepted.refused === "unknown") throw notFound();
  const text = accepted.refused === "full" ? "sites.accepted.full" : "sites.accepted.notOpen";
  return refuse(new Map([["code", i18n.t(text, { max: i18n.number(acceptedFindingsMax) })]]));

  function refuse(errors: ReadonlyMap<string, string>): Response {
    return sitePage(visit, shared, { ...typed, errors });
  }
}

async function withdraw(visit: SignedInVisit, { site, access }: SharedSite, fields: Fields): Promise<Response> {
  await withdrawAcceptance(visit.settings, siteActor(visit, access), { id: site.id, code: fields.text("code") });
  return done(visit, site, "withdrawn");
}

export const postSites: PostFor<"members"> = (visit, access, fields) => {
  const { do: action, value } = readFields(bulkFields, fields);
  const known = new Set(visit.settings.store.sites.list(access.owner.id).map(({ id }) => id));
  const ids = [
    ...new Set(
      fields
        .all(pickedField)
        .filter((id) => recordIdPattern.test(id))
        .map(Number),
    ),
  ].filter((id) => known.has(id));
  return changeSeveral(visit, access, { action, ids, value, confirmed: fields.text("confirm") === "yes" });
};

interface BulkRequest {
  readonly action: BulkAction;
  /** Ids of sites of the owner. */
  readonly ids: readonly number[];
  readonly value: string;
  readonly confirmed: boolean;
}

async function changeSeveral(visit: SignedInVisit, access: SiteAccess, request: BulkRequest): Promise<Response> {
  const { i18n, settings } = visit;
  const { action, ids, value } = request;
  const actor = siteActor(visit, access);
  const refuse = (text: string, ofValue: boolean) => listPage(visit, access, { text, ofValue, ids: new Set(ids), action, value });
  if (ids.length === 0) return refuse(i18n.t("sites.bulk.nothing"), false);
  if (action === "delete" && !request.confirmed) return askBeforeDeletion(visit, access, ids);
  if (action === "delete") return bulkDone(visit, access, { done: action, count: (await removeSites(settings, actor, ids)).length });
  if (action === "scan") {
    const runs = await scanSites(settings, actor, ids);
    const count = runs.filter((run) => typeof run !== "string").length;
    return bulkDone(visit, access, { done: action, count, left: ids.length - count });
  }
  const change = parseBulkChange(fieldsOf(action, value));
  if (isFaulty(change)) return refuse(valueFaultText(i18n, change.faults), true);
  const outcomes = await updateSites(settings, actor, { ids, change });
  // A site with as many tags as it may have keeps them.
  const left = [...outcomes.values()].filter(isFaulty).length;
  return bulkDone(visit, access, { done: action, count: outcomes.size - left, left });
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
