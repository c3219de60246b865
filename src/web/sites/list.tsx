/** `/sites`: all watched sites of an owner in one table, with filter, order and actions on several sites. */
import { planTerms } from "../../account/account-operations.ts";
import { Notice } from "../../report/components/notice.tsx";
import { HostUrl, plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { type Site, siteNameCharsMax } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { ActionForm, choiceOf, type FormDescription, FormFields } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import type { Visit } from "../visit.ts";
import { pageWithRows, rowsMark } from "./kept-rows.ts";
import { mayEdit, ownerPath, type SiteAccess, siteAccesses } from "./site-access.ts";
import {
  type ListedSite,
  listedSite,
  matchesSiteQuery,
  paramsOf,
  type SiteQuery,
  type SiteSort,
  siteBands,
  siteMarks,
  siteQueryOf,
  sortSites,
} from "./site-query.ts";
import { bulkFormId, pickedField, siteRow } from "./site-row.tsx";
import { sitesContent, sitesPage } from "./sites-frame.tsx";

export const getSites: GetFor<"members"> = (visit, access) => listPage(visit, access);

function runningSiteIds({ settings: { store } }: Visit): ReadonlySet<number> {
  return new Set(store.siteRuns.list().map(({ siteId }) => siteId));
}

/** `error`: an action on several sites that failed. */
export function listPage(visit: Visit, access: SiteAccess, error: BulkError | null = null): Response {
  const { i18n, url, settings, now } = visit;
  const sites = settings.store.sites.list(access.owner.id);
  if (sites.length === 0) return emptyPage(visit, access);
  const query = siteQueryOf(url.searchParams);
  const running = runningSiteIds(visit);
  const sorted = sortSites(
    sites.map((site) => listedSite(site, running)),
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
  const content = sitesContent(visit, {
    title: i18n.t("sites.title"),
    lead: <Lead sites={sites} access={access} />,
    access,
    isList: true,
    status: error === null ? 200 : 400,
    done: error === null ? bulkConfirmation(visit) : null,
    actions: <ListActions access={access} />,
    children: (
      <>
        <OwnerTabs access={access} accesses={visit.account === null ? [] : siteAccesses(visit, visit.account)} />
        {sites.length > planTerms[access.owner.plan].sites && <BeyondPlan access={access} />}
        <section aria-label={i18n.t("sites.title")}>
          <SiteFilterForm sites={sites} query={query} access={access} shown={shown} />
          {mayEdit(access) && <BulkForm access={access} query={query} error={error} />}
          <SiteTable listed={sorted} query={query} access={access} />
          <p data-site-none hidden={shown > 0}>
            {i18n.t("sites.list.none")}
          </p>
        </section>
      </>
    ),
  });
  return pageWithRows(visit, content, placed);
}

function Lead({ sites, access }: { readonly sites: readonly Site[]; readonly access: SiteAccess }) {
  const { i18n } = useVisit();
  const sitesMax = planTerms[access.owner.plan].sites;
  return <>{i18n.count("sites.list.lead", sites.length, { max: i18n.number(sitesMax) })}</>;
}

/** More sites than the plan includes, as after a change of the plan. */
function BeyondPlan({ access }: { readonly access: SiteAccess }) {
  const { i18n } = useVisit();
  return (
    <Notice kind="warn">
      <p>
        {i18n.count("sites.list.beyondPlan", planTerms[access.owner.plan].sites)} <a href="/plans">{i18n.t("tokens.plans")}</a>
      </p>
    </Notice>
  );
}

function ListActions({ access }: { readonly access: SiteAccess }) {
  const { i18n } = useVisit();
  if (!mayEdit(access)) return null;
  return (
    <>
      <a class="button primary" href={ownerPath("/sites/new", access)}>
        {i18n.t("sites.list.add")}
      </a>
      <a class="button" href={ownerPath("/sites/import", access)}>
        {i18n.t("sites.list.import")}
      </a>
    </>
  );
}

/** Null without sites that others share. */
function OwnerTabs({ access, accesses }: { readonly access: SiteAccess; readonly accesses: readonly SiteAccess[] }) {
  const { i18n } = useVisit();
  if (accesses.length < 2) return null;
  return (
    <nav class="tabs" aria-label={i18n.t("sites.shared.label")}>
      <ul>
        {accesses.map((one) => (
          <li key={one.owner.id}>
            <a href={ownerPath("/sites", one)} aria-current={one.owner.id === access.owner.id ? "page" : undefined}>
              {one.role === "owner" ? i18n.t("sites.shared.own") : plainUntrustedText(one.owner.email)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const sortedColumns: readonly SiteSort[] = ["name", "client", "score", "open", "certificate", "last", "next"];

interface SiteTableProps {
  readonly listed: readonly ListedSite[];
  readonly query: SiteQuery;
  readonly access: SiteAccess;
}

function SiteTable({ query, access }: SiteTableProps) {
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
            {sortedColumns.map((sort) => (
              <SortHeader key={sort} sort={sort} query={query} access={access} i18n={i18n} />
            ))}
          </tr>
        </thead>
        <tbody>{rowsMark}</tbody>
      </table>
    </div>
  );
}

interface SortHeaderProps {
  readonly sort: SiteSort;
  readonly query: SiteQuery;
  readonly access: SiteAccess;
  readonly i18n: I18n;
}

function SortHeader({ sort, query, access, i18n }: SortHeaderProps) {
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
  const sitesMax = planTerms[access.owner.plan].sites;
  return sitesPage(visit, {
    title: i18n.t("sites.title"),
    access,
    isList: true,
    done: bulkConfirmation(visit),
    children: (
      <>
        <OwnerTabs access={access} accesses={visit.account === null ? [] : siteAccesses(visit, visit.account)} />
        <EmptyState title={i18n.t("sites.empty.title")}>
          <p>{i18n.t("sites.empty.what")}</p>
          {mayEdit(access) && (
            <>
              <p>{i18n.count("sites.empty.plan", sitesMax)}</p>
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

interface FilterProps {
  readonly sites: readonly Site[];
  readonly query: SiteQuery;
  readonly access: SiteAccess;
  /** Sites that match. */
  readonly shown: number;
}

export function SiteFilterForm({ sites, query, access, shown }: FilterProps) {
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
  readonly options: readonly { readonly value: string; readonly text: string }[];
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

const bulkActions = ["scan", "pause", "resume", "client", "tag", "untag", "delete"] as const;
export type BulkAction = (typeof bulkActions)[number];

export const bulkFields = {
  do: choiceOf(bulkActions, (action) => `sites.bulk.actions.${action}`, { label: "sites.bulk.action", initial: "scan" }),
  /** Client or tag. */
  value: { label: "sites.bulk.value", autocomplete: "off", required: false, maxLength: siteNameCharsMax, trimmed: true },
} satisfies FormDescription;

const countPattern = /^\d{1,6}$/;

/** Action on several sites that failed. */
export interface BulkError {
  readonly text: string;
  /** Sites that were chosen. */
  readonly ids: ReadonlySet<number>;
  readonly action: BulkAction;
  /** Typed client or tag. */
  readonly value: string;
  /** True if the value is wrong. */
  readonly ofValue: boolean;
}

interface BulkFormProps {
  readonly access: SiteAccess;
  readonly query: SiteQuery;
  readonly error: BulkError | null;
}

/** The checkboxes are in the rows. One button for all actions: the return key must not pause what it should tag. */
export function BulkForm({ access, query, error }: BulkFormProps) {
  const { i18n } = useVisit();
  return (
    <details class="bulk" open={error !== null} data-bulk>
      <summary>
        {i18n.t("sites.bulk.title")} <span class="muted" data-picked data-text={i18n.t("sites.bulk.picked", { count: "{count}" })} />
      </summary>
      <div>
        {error !== null && !error.ofValue && (
          <Notice kind="poor" alert>
            <p>{error.text}</p>
          </Notice>
        )}
        <p>
          <a href={ownerPath("/sites", access, { ...paramsOf(query), select: "all" })} data-pick-all>
            {i18n.t("sites.bulk.pickAll")}
          </a>{" "}
          <a href={ownerPath("/sites", access, paramsOf(query))} data-pick-none>
            {i18n.t("sites.bulk.pickNone")}
          </a>
        </p>
        <ActionForm id={bulkFormId} class="inline" action={ownerPath("/sites", access, paramsOf(query))} submit="sites.bulk.apply">
          <FormFields
            form={bulkFields}
            values={error && { do: error.action, value: error.value }}
            errors={error?.ofValue === true ? new Map([["value", error.text]]) : null}
          />
        </ActionForm>
      </div>
    </details>
  );
}

interface Question {
  readonly access: SiteAccess;
  readonly sites: readonly Site[];
  /** Where the answer is sent, and where the list is. */
  readonly action: string;
  readonly cancel: string;
}

/** Asks before sites are deleted. A page of its own works without script. */
export function deletionPage(visit: Visit, { access, sites, action, cancel }: Question): Response {
  const { i18n } = visit;
  return sitesPage(visit, {
    title: i18n.count("sites.deletion.title", sites.length),
    access,
    children: (
      <>
        <p>{i18n.t("sites.deletion.what")}</p>
        <SiteNames sites={sites} />
        <ActionForm
          action={action}
          hidden={{ do: "delete", confirm: "yes" }}
          kind="danger"
          submit={({ i18n }) => i18n.count("sites.deletion.confirm", sites.length)}
          cancel={cancel}
        >
          {sites.map(({ id }) => (
            <input key={id} type="hidden" name={pickedField} value={id} />
          ))}
        </ActionForm>
      </>
    ),
  });
}

/** Sentence on the action that led here; null without one. `?done=` and its figures come from the address, so they only choose texts. */
export function bulkConfirmation({ i18n, url: { searchParams } }: Visit): string | null {
  const done = searchParams.get("done");
  const figure = (name: string) => (countPattern.test(searchParams.get(name) ?? "") ? Number(searchParams.get(name)) : 0);
  const action = [...bulkActions, "import" as const].find((one) => one === done);
  if (action === undefined) return null;
  const text = i18n.count(`sites.done.${action}`, figure("count"));
  const left = figure("left");
  if (left === 0) return text;
  const because = action === "import" ? "leftOut" : action === "tag" ? "fullTags" : "left";
  return `${text} ${i18n.count(`sites.done.${because}`, left)}`;
}

/** Sites that are named one by one. */
const namedMax = 100;

export function SiteNames({ sites }: { readonly sites: readonly Site[] }) {
  const i18n = useI18n();
  const more = sites.length - namedMax;
  return (
    <ul>
      {sites.slice(0, namedMax).map(({ id, name, url }) => (
        <li key={id}>
          <UntrustedText>{name}</UntrustedText>{" "}
          <span class="muted">
            <HostUrl url={url} short />
          </span>
        </li>
      ))}
      {more > 0 && <li>{i18n.count("sites.deletion.more", more)}</li>}
    </ul>
  );
}
