/** `/sites/new` and `/sites/{id}/edit`: adds and changes watched sites. */
import { planTerms } from "../../accounts/account-operations.ts";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import { nextRuns, plannedChange, plannedSite, scheduleKeyOf, shownRunsOf } from "../../sites/schedule.ts";
import { addSite, updateSite } from "../../sites/site-operations.ts";
import type { Site, SiteFields } from "../../store/sites.ts";
import { initialValues, readFields } from "../components/forms.tsx";
import { PlanLimit } from "../components/sections.tsx";
import { formMalformed, notFound } from "../errors.ts";
import type { Fields } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import { ownerPath, type SharedSite, type SiteAccess, siteActor, sitePath } from "./site-access.ts";
import {
  inputOfSite,
  isFaulty,
  readInput,
  SiteForm,
  type SiteFormProps,
  type SiteInput,
  siteForm,
  versionField,
  versionOf,
} from "./site-form.tsx";
import { sitesPage } from "./sites-frame.tsx";

/** A form of the longest fields: 25 addresses, percent-encoded. */
export const siteFormBytesMax = 262_144;

interface FormState extends Pick<SiteFormProps, "input" | "errors" | "formError" | "runs" | "version"> {
  /** Absent: 400 with errors, 200 without. */
  readonly status?: number;
}

export const getNewSite: GetFor<"editors"> = (visit, access) => {
  const { searchParams } = visit.url;
  // A link from another page can fill in address and client.
  const input = { ...initialValues(siteForm), url: searchParams.get("url") ?? "", client: searchParams.get("client") ?? "" };
  return newSitePage(visit, access, { input });
};

export const postNewSite: PostFor<"editors"> = async (visit, access, form) => {
  const { i18n, settings, now } = visit;
  const input = readFields(siteForm, form);
  const read = readInput(visit, input);
  if ("errors" in read) return newSitePage(visit, access, { input, errors: read.errors });
  if (isPreview(form)) {
    const { nextRunAt } = plannedSite(read.fields, access.owner.id, now);
    return newSitePage(visit, access, { input, runs: firstRuns(nextRunAt, read.fields, access, now) });
  }
  const added = await addSite(settings, siteActor(visit, access), read.fields);
  if ("done" in added) return redirect(visit, `${sitePath(added.done)}?done=added`);
  if (added.refused !== "full") return newSitePage(visit, access, { input, errors: new Map([["url", i18n.t("sites.form.taken")]]) });
  const text = i18n.count("sites.form.full", planTerms[access.owner.plan].sites);
  return newSitePage(visit, access, { input, formError: <PlanLimit text={text} /> });
};

export const getEditSite: GetFor<"siteEditors"> = (visit, shared) => editPage(visit, shared, { input: inputOfSite(shared.site) });

export const postEditSite: PostFor<"siteEditors"> = async (visit, shared, form) => {
  const { i18n, settings, now } = visit;
  const { site } = shared;
  const input = readFields(siteForm, form);
  const version = form.text(versionField);
  const read = readInput(visit, input, inputOfSite(site));
  if ("errors" in read) return editPage(visit, shared, { input, version, errors: read.errors });
  // The form has no such field: its buttons are elsewhere.
  const { paused: _paused, ...change } = read.fields;
  if (isPreview(form)) {
    const changed: Site = { ...site, ...plannedChange(site, change, now) };
    const runs = changed.nextRunAt === null ? nextRuns(changed.schedule, scheduleKeyOf(changed), now) : shownRunsOf(changed);
    return editPage(visit, shared, { input, version, runs: runsFrom(runs, now) });
  }
  const changed = await updateSite(settings, siteActor(visit, shared.access), {
    id: site.id,
    change: (stored) => (version === versionOf(stored) ? change : null),
  });
  if ("done" in changed) return redirect(visit, `${sitePath(site)}?done=changed`);
  if (isFaulty(changed) || changed.refused === "unknown") throw notFound();
  if (changed.refused === "outdated") return outdatedPage(visit, shared, input);
  return editPage(visit, shared, { input, version, errors: new Map([["url", i18n.t("sites.form.taken")]]) });
};

/** What was typed stays. A second save is a decision, since the page says what it would undo. */
function outdatedPage(visit: Visit, shared: SharedSite, input: SiteInput): Response {
  const { store } = visit.settings;
  const site = store.sites.find(shared.site.accountId, shared.site.id) ?? shared.site;
  return editPage(visit, { ...shared, site }, { input, formError: visit.i18n.t("sites.form.outdated"), status: 409 });
}

function isPreview(form: Fields): boolean {
  const button = form.text("do");
  if (button !== "save" && button !== "preview") throw formMalformed();
  return button === "preview";
}

/** Next runs of a site that is not stored yet. */
function firstRuns(firstAt: string | null, { schedule, url }: SiteFields, { owner }: SiteAccess, now: Date): readonly (Date | null)[] {
  const first = new Date(firstAt ?? now);
  const further = nextRuns(schedule, scheduleKeyOf({ accountId: owner.id, url }), first, 2);
  return runsFrom([first, ...further], now);
}

/** Null for a run that is due. */
function runsFrom(runs: readonly (string | Date)[], now: Date): readonly (Date | null)[] {
  return runs.map((at) => new Date(at)).map((at) => (at.getTime() <= now.getTime() ? null : at));
}

function newSitePage(visit: Visit, access: SiteAccess, state: FormState): Response {
  const { i18n } = visit;
  const paths = { action: ownerPath("/sites/new", access), cancel: ownerPath("/sites", access) };
  return formPage(visit, access, { title: i18n.t("sites.form.newTitle"), lead: i18n.t("sites.form.newLead") }, { ...state, ...paths });
}

function editPage(visit: Visit, { site, access }: SharedSite, state: FormState): Response {
  const paths = { action: sitePath(site, "/edit"), cancel: sitePath(site) };
  const title = visit.i18n.t("sites.form.editTitle", { name: plainUntrustedText(site.name) });
  return formPage(visit, access, { title }, { version: versionOf(site), ...state, ...paths });
}

function formPage(
  visit: Visit,
  access: SiteAccess,
  head: { readonly title: string; readonly lead?: string },
  { status, ...form }: FormState & Pick<SiteFormProps, "action" | "cancel">,
): Response {
  return sitesPage(visit, {
    ...head,
    access,
    status: status ?? (form.errors !== undefined || form.formError !== undefined ? 400 : 200),
    children: <SiteForm others={visit.settings.store.sites.list(access.owner.id)} {...form} />,
  });
}
