/** Changes of watched sites: `POST /sites/{id}`, and `POST /sites` for several at once. */
import { recordIdPattern } from "../../base/record-id.ts";
import { parseBulkChange, type SiteFault } from "../../sites/site-fields.ts";
import {
  acceptFinding,
  removeSites,
  scanSite,
  scanSites,
  unwatchPolicy,
  updateSite,
  updateSites,
  watchPolicy,
  withdrawAcceptance,
} from "../../sites/site-operations.ts";
import { acceptedFindingsMax, type Site } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { readFields } from "../components/forms.tsx";
import { redirectWith } from "../components/outcome.tsx";
import { notFound } from "../errors.ts";
import type { Fields } from "../form.tsx";
import { byOperation, type PostFor } from "../guards.ts";
import { proofOf } from "../proofs/proof.tsx";
import { redirect } from "../response.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { acceptForm } from "./accepted-findings.tsx";
import { allPickedField, type BulkAction, bulkFields, bulkOutcome, deletionPage } from "./bulk-actions.tsx";
import { type BulkSetting, isBulkSetting, readSetting } from "./bulk-settings.tsx";
import { listPage } from "./list.tsx";
import { ownerPath, type SharedSite, type SiteAccess, siteActor, sitePath } from "./site-access.ts";
import { faultTexts, isFaulty, siteFaultText } from "./site-form.tsx";
import { siteOutcomes, sitePage } from "./site-page.tsx";
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
  watch,
  unwatch,
});

function done(visit: Visit, site: Site, outcome: keyof typeof siteOutcomes.texts): Response {
  return redirectWith(visit, siteOutcomes, outcome, sitePath(site));
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
  if (fields.text("confirm") !== "yes") return deletionPage(visit, access, [site], sitePath(site));
  const removed = await removeSites(visit.settings, siteActor(visit, access), [site.id]);
  return redirect(visit, ownerPath("/sites", access, bulkOutcome("delete", removed.length, 0)));
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

/** @throws PageError 404 for a proof that the visitor may not read, and for one of another page. */
async function watch(visit: SignedInVisit, { site, access }: SharedSite, fields: Fields): Promise<Response> {
  const proof = proofOf(visit, fields.text("proof"));
  const body = visit.settings.store.proofs.result(proof.token);
  const watched = await watchPolicy(visit.settings, siteActor(visit, access), { id: site.id, proof, body });
  if ("done" in watched) return done(visit, site, "watched");
  if (watched.refused === "unknown" || watched.refused === "other-page") throw notFound();
  return done(visit, site, watched.refused === "too-long" ? "long" : "unproven");
}

async function unwatch(visit: SignedInVisit, { site, access }: SharedSite): Promise<Response> {
  await unwatchPolicy(visit.settings, siteActor(visit, access), site.id);
  return done(visit, site, "unwatched");
}

export const postSites: PostFor<"members"> = async (visit, access, fields) => {
  const { i18n, settings } = visit;
  const { do: action, value } = readFields(bulkFields, fields);
  const known = new Set(settings.store.sites.list(access.owner.id).map(({ id }) => id));
  const picked = [...fields.all(pickedField), ...fields.text(allPickedField).split(" ")].filter((id) => recordIdPattern.test(id));
  const ids = [...new Set(picked.map(Number))].filter((id) => known.has(id));
  const actor = siteActor(visit, access);
  const refuse = (text: string, ofValue: boolean) => listPage(visit, access, { text, ofValue, ids: new Set(ids), action, value });
  if (ids.length === 0) return refuse(i18n.t("sites.bulk.nothing"), false);
  const sites = ids.flatMap((id) => settings.store.sites.find(access.owner.id, id) ?? []);
  const path = ownerPath("/sites", access, paramsOf(siteQueryOf(visit.url.searchParams)));
  if (action === "delete" && fields.text("confirm") !== "yes") return deletionPage(visit, access, sites, path);
  if (action === "delete") return bulkDone(visit, access, action, (await removeSites(settings, actor, ids)).length);
  if (action === "scan") {
    const runs = await scanSites(settings, actor, ids);
    const count = runs.filter((run) => typeof run !== "string").length;
    return bulkDone(visit, access, action, count, ids.length - count);
  }
  const change = isBulkSetting(action)
    ? readSetting(visit, { action, access, sites, path }, fields)
    : parseBulkChange(bulkChanges[action](value), { locations: [], now: visit.now });
  if (change instanceof Response) return change;
  if (isFaulty(change)) return refuse(valueFaultText(i18n, change.faults), true);
  const outcomes = await updateSites(settings, actor, { ids, change });
  // A site with as many tags or acceptances as it may have keeps them.
  const left = [...outcomes.values()].filter(isFaulty).length;
  return bulkDone(visit, access, action, outcomes.size - left, left);
};

/** Fields of the bulk changes, as the API has them. */
const bulkChanges: Readonly<
  Record<Exclude<BulkAction, "delete" | "scan" | BulkSetting>, (value: string) => Parameters<typeof parseBulkChange>[0]>
> = {
  pause: () => ({ paused: true }),
  resume: () => ({ paused: false }),
  client: (value) => ({ client: value }),
  tag: (value) => ({ addTags: [value] }),
  untag: (value) => ({ removeTags: [value] }),
};

/** One value was typed, so its entry of a list says nothing. */
function valueFaultText(i18n: I18n, faults: readonly SiteFault[]): string {
  return faults.map(({ entry: _entry, ...fault }) => siteFaultText(i18n, fault)).join(" ");
}

/** Back to the same filter and order. `left`: sites that were left as they are. */
function bulkDone(visit: Visit, access: SiteAccess, action: BulkAction, count: number, left = 0): Response {
  const query = paramsOf(siteQueryOf(visit.url.searchParams));
  return redirect(visit, ownerPath("/sites", access, { ...query, ...bulkOutcome(action, count, left) }));
}
