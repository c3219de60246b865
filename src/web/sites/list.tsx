/** `/sites`: all watched sites of an owner in one table, with filter, order and actions on several sites. */
import { planTerms } from "../../accounts/account-operations.ts";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import { type Site, siteNameCharsMax } from "../../store/sites.ts";
import { ActionForm, choiceOf, type FormDescription, FormFields, LinkButton, type Option } from "../components/forms.tsx";
import { Tabs } from "../components/navigation.tsx";
import { Alert, EmptyState, PlanLimit } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import { locationChoice } from "../scans/form.tsx";
import type { Visit } from "../visit.ts";
import { FirstRuns } from "./first-runs.tsx";
import { pageWithRows, rowsPlaceholder } from "./row-cache.ts";
import { mayEdit, ownerPath, type SiteAccess, siteAccesses } from "./site-access.ts";
import {
  listedSite,
  matchesSiteQuery,
  paramsOf,
  type SiteQuery,
  type SiteSort,
  siteBands,
  siteMarks,
  siteQueryOf,
  siteSorts,
  sortSites,
} from "./site-query.ts";
import { bulkFormId, pickedField, siteRow } from "./site-row.tsx";
import { SiteNames, sitesContent, sitesPage } from "./sites-frame.tsx";

export const getSites: GetFor<"members"> = (visit, access) => listPage(visit, access);

/** `error`: an action on several sites that failed. */
export function listPage(visit: Visit, access: SiteAccess, error: BulkError | null = null): Response {
  const { i18n, url, settings, now } = visit;
  const sites = settings.store.sites.list(access.owner.id);
  if (sites.length === 0) return emptyPage(visit, access);
  const query = siteQueryOf(url.searchParams);
  const running = new Set(settings.store.siteRuns.list().map(({ siteId }) => siteId));
  const sorted = sortSites(
    sites.map((site) => listedSite(site, running, { runs: settings.sites.waitingRuns(), now })),
    query,
    { locale: i18n.locale, now },
  );
  const picksAll = url.searchParams.get("select") === "all";
  const placed = sorted.map((listed) => {
    const hidden = !matchesSiteQuery(listed, query);
    const checked = mayEdit(access) && (error === null ? picksAll && !hidden : error.ids.has(listed.site.id));
    return { hidden, source: siteRow(visit, { listed, access, checked }) };
  });
  const shown = placed.filter(({ hidden }) => !hidden).length;
  const sitesMax = planTerms[access.owner.plan].sites;
  const content = sitesContent(visit, {
    title: i18n.t("sites.title"),
    lead: i18n.count("sites.list.lead", sites.length, { max: i18n.number(sitesMax) }),
    access,
    isList: true,
    status: error === null ? 200 : 400,
    done: error === null ? bulkConfirmation(visit) : null,
    actions: <ListActions access={access} />,
    children: (
      <>
        {ownerTabs(visit, access)}
        {sites.length > sitesMax && <Notice kind="warn" text={<PlanLimit text={i18n.count("sites.list.beyondPlan", sitesMax)} />} />}
        <FirstRuns sites={sites} running={running} />
        <section aria-label={i18n.t("sites.title")}>
          <SiteFilterForm sites={sites} query={query} access={access} shown={shown} />
          {mayEdit(access) && <BulkForm access={access} query={query} error={error} />}
          <SiteTable query={query} access={access} />
          <p data-site-none hidden={shown > 0}>
            {i18n.t("sites.list.none")}
          </p>
        </section>
      </>
    ),
  });
  return pageWithRows(visit, content, placed);
}

function ListActions({ access }: { readonly access: SiteAccess }) {
  if (!mayEdit(access)) return null;
  return (
    <>
      <LinkButton href={ownerPath("/sites/new", access)} text="sites.list.add" primary />
      <LinkButton href={ownerPath("/sites/import", access)} text="sites.list.import" />
    </>
  );
}

/** Null without sites that others share. */
function ownerTabs(visit: Visit, access: SiteAccess) {
  const { account, i18n } = visit;
  const links = (account === null ? [] : siteAccesses(visit, account)).map((one) => ({
    href: ownerPath("/sites", one),
    text: one.role === "owner" ? i18n.t("sites.shared.own") : plainUntrustedText(one.owner.email),
    isCurrent: one.owner.id === access.owner.id,
  }));
  return links.length < 2 ? null : <Tabs label={i18n.t("sites.shared.label")} links={links} />;
}

interface QueryProps {
  readonly query: SiteQuery;
  readonly access: SiteAccess;
}

function SiteTable({ query, access }: QueryProps) {
  const { i18n } = useVisit();
  return (
    <div class="table wide">
      <table class="cards sites" data-sites>
        <caption class="unseen">{i18n.t("sites.list.caption")}</caption>
        <thead>
          <tr>
            {mayEdit(access) && (
              <th scope="col" class="pick">
                <span class="unseen">{i18n.t("sites.columns.pick")}</span>
              </th>
            )}
            {siteSorts.map((sort) => (
              <SortHeader key={sort} sort={sort} query={query} access={access} />
            ))}
          </tr>
        </thead>
        <tbody>{rowsPlaceholder}</tbody>
      </table>
    </div>
  );
}

function SortHeader({ sort, query, access }: QueryProps & { readonly sort: SiteSort }) {
  const { i18n } = useVisit();
  const isCurrent = query.sort === sort;
  const params = paramsOf({ ...query, sort, descending: isCurrent && !query.descending });
  return (
    <th
      scope="col"
      class={sort === "open" ? "num" : undefined}
      aria-sort={isCurrent ? (query.descending ? "descending" : "ascending") : undefined}
    >
      <a href={ownerPath("/sites", access, params)} data-sort={sort}>
        {i18n.t(`sites.columns.${sort}`)}
      </a>
    </th>
  );
}

function emptyPage(visit: Visit, access: SiteAccess): Response {
  const { i18n } = visit;
  return sitesPage(visit, {
    title: i18n.t("sites.title"),
    access,
    isList: true,
    done: bulkConfirmation(visit),
    children: (
      <>
        {ownerTabs(visit, access)}
        <EmptyState title={i18n.t("sites.empty.title")} text={i18n.t("sites.empty.what")}>
          {mayEdit(access) && (
            <>
              <p>{i18n.count("sites.empty.plan", planTerms[access.owner.plan].sites)}</p>
              <p class="actions">
                <ListActions access={access} />
              </p>
            </>
          )}
        </EmptyState>
      </>
    ),
  });
}

const searchCharsMax = 100;

interface FilterProps extends QueryProps {
  readonly sites: readonly Site[];
  /** Sites that match. */
  readonly shown: number;
}

/** A GET form, so that it works without script. */
function SiteFilterForm({ sites, query, access, shown }: FilterProps) {
  const { i18n } = useVisit();
  const collator = new Intl.Collator(i18n.locale, { numeric: true });
  const named = (names: readonly string[]) =>
    [...new Set(names)].sort(collator.compare).map((name) => ({ value: name, text: plainUntrustedText(name) }));
  const kept = paramsOf(query);
  const counted = (count: string) => i18n.t("sites.filter.shown", { shown: count, all: i18n.number(sites.length) });
  return (
    <form class="finding-filter" action="/sites" data-site-filter>
      {access.role !== "owner" && <input type="hidden" name="of" value={access.owner.id} />}
      {(["sort", "dir"] as const).map((name) => kept[name] !== "" && <input key={name} type="hidden" name={name} value={kept[name]} />)}
      <label>
        {i18n.t("sites.filter.search")}
        <input type="search" name="q" value={query.search} maxLength={searchCharsMax} />
      </label>
      <Choice name="client" chosen={query.client} options={named(sites.flatMap(({ client }) => client ?? []))} />
      <Choice name="tag" chosen={query.tag} options={named(sites.flatMap(({ tags }) => tags))} />
      <Choice
        name="band"
        chosen={query.band ?? ""}
        options={siteBands.map((band) => ({ value: band, text: i18n.t(`sites.bands.${band}`) }))}
      />
      <Choice
        name="state"
        chosen={query.mark ?? ""}
        options={siteMarks.map((mark) => ({ value: mark, text: i18n.t(`sites.marks.${mark}`) }))}
      />
      <button type="submit" class="plain" data-site-apply>
        {i18n.t("sites.filter.apply")}
      </button>
      <p class="small" role="status" data-site-count data-text={counted("{shown}")}>
        {shown < sites.length && counted(i18n.number(shown))}
      </p>
      <p class="small" data-site-reset hidden={shown === sites.length}>
        <a href={ownerPath("/sites", access)}>{i18n.t("sites.filter.reset")}</a>
      </p>
    </form>
  );
}

interface ChoiceProps {
  readonly name: "client" | "tag" | "band" | "state";
  /** "" for all. */
  readonly chosen: string;
  readonly options: readonly Option[];
}

/** Null if there is nothing to choose. A chosen value stays, also one that no site has any more. */
function Choice({ name, chosen, options }: ChoiceProps) {
  const { i18n } = useVisit();
  const known = chosen === "" || options.some(({ value }) => value === chosen);
  const all = known ? options : [...options, { value: chosen, text: plainUntrustedText(chosen) }];
  if (all.length === 0) return null;
  return (
    <label>
      {i18n.t(`sites.filter.${name}`)}
      <select name={name}>
        <option value="">{i18n.t("sites.filter.all")}</option>
        {all.map(({ value, text }) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const bulkActions = ["scan", "pause", "resume", "client", "tag", "untag", "schedule", "location", "accept", "delete"] as const;
export type BulkAction = (typeof bulkActions)[number];

export const bulkFields = {
  do: choiceOf(bulkActions, (action) => `sites.bulk.actions.${action}`, { label: "sites.bulk.action", initial: "scan" }),
  /** Client or tag. The values of other actions have a page of their own. */
  value: { label: "sites.bulk.value", autocomplete: "off", required: false, maxLength: siteNameCharsMax, trimmed: true },
} satisfies FormDescription;

const countPattern = /^\d{1,6}$/;

/** Action on several sites that failed. */
interface BulkError {
  readonly text: string;
  /** Sites that were chosen. */
  readonly ids: ReadonlySet<number>;
  readonly action: BulkAction;
  /** Typed client or tag. */
  readonly value: string;
  /** True if the value is wrong. */
  readonly ofValue: boolean;
}

/** The checkboxes are in the rows. One button for all actions: the return key must not pause what it should tag. */
function BulkForm({ access, query, error }: QueryProps & { readonly error: BulkError | null }) {
  const visit = useVisit();
  const { i18n } = visit;
  const isOffered = (action: BulkAction) => action !== "location" || locationChoice(visit, undefined) !== null;
  const offered = bulkActions.filter(isOffered).map((action) => ({ value: action, text: i18n.t(`sites.bulk.actions.${action}`) }));
  const list = (select: string) => ownerPath("/sites", access, { ...paramsOf(query), select });
  return (
    <details class="bulk" open={error !== null} data-bulk>
      <summary>
        {i18n.t("sites.bulk.title")} <span class="muted" data-picked data-text={i18n.t("sites.bulk.picked", { count: "{count}" })} />
      </summary>
      <div>
        <Alert kind="poor">{error?.ofValue === false ? error.text : null}</Alert>
        <p>
          <a href={list("all")} data-pick-all>
            {i18n.t("sites.bulk.pickAll")}
          </a>{" "}
          <a href={list("")} data-pick-none>
            {i18n.t("sites.bulk.pickNone")}
          </a>
        </p>
        <ActionForm id={bulkFormId} class="inline" action={list("")} submit="sites.bulk.apply">
          <FormFields
            form={bulkFields}
            values={error && { do: error.action, value: error.value }}
            onPage={{ do: { options: offered } }}
            errors={error?.ofValue === true ? new Map([["value", error.text]]) : null}
          />
        </ActionForm>
      </div>
    </details>
  );
}

/** Asks before sites are deleted, at `path`. A page of its own works without script. */
export function deletionPage(visit: Visit, access: SiteAccess, sites: readonly Site[], path: string): Response {
  return sitesPage(visit, {
    title: visit.i18n.count("sites.deletion.title", sites.length),
    access,
    children: (
      <>
        <p>{visit.i18n.t("sites.deletion.what")}</p>
        <SiteNames sites={sites} />
        <ActionForm
          action={path}
          hidden={{ do: "delete", confirm: "yes" }}
          kind="danger"
          submit={({ i18n }) => i18n.count("sites.deletion.confirm", sites.length)}
          cancel={path}
        >
          {sites.map(({ id }) => (
            <input key={id} type="hidden" name={pickedField} value={id} />
          ))}
        </ActionForm>
      </>
    ),
  });
}

/** Query parameters for the sentence on an action. `left`: sites or lines that it left out. */
export function bulkOutcome(done: BulkAction | "import", count: number, left: number): Readonly<Record<string, string>> {
  return { done, count: String(count), left: left === 0 ? "" : String(left) };
}

/** Sentence on the action that led here; null without one. `?done=` and its figures come from the address, so they only choose texts. */
function bulkConfirmation({ i18n, url: { searchParams } }: Visit): string | null {
  const done = searchParams.get("done");
  const figure = (name: string) => (countPattern.test(searchParams.get(name) ?? "") ? Number(searchParams.get(name)) : 0);
  const action = [...bulkActions, "import" as const].find((one) => one === done);
  if (action === undefined) return null;
  const text = i18n.count(`sites.done.${action}`, figure("count"));
  const left = figure("left");
  if (left === 0) return text;
  const because = { import: "leftOut", tag: "fullTags", accept: "fullAccepted" } as const;
  return `${text} ${i18n.count(`sites.done.${action in because ? because[action as keyof typeof because] : "left"}`, left)}`;
}
