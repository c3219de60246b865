/** `/sites`: the watched sites of an owner, a page at a time, with overview, filter, order and actions on several sites. */
import { planTerms } from "../../accounts/account-operations.ts";
import { messageOf } from "../../base/log.ts";
import { bands, ranksOf } from "../../judge/result.ts";
import { Notice } from "../../report/components/notice.tsx";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Site } from "../../store/sites.ts";
import { LinkButton, type Option } from "../components/forms.tsx";
import { NumberedPages, Tabs } from "../components/navigation.tsx";
import { EmptyState, PlanLimit } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import type { Visit } from "../visit.ts";
import { type BulkError, BulkForm, bulkConfirmation, type PickedSites } from "./bulk-actions.tsx";
import { FirstRuns } from "./first-runs.tsx";
import { SitesOverview } from "./overview.tsx";
import { pageWithRows, rowsPlaceholder } from "./row-cache.ts";
import { mayEdit, ownerPath, type SiteAccess, siteAccesses } from "./site-access.ts";
import {
  filterSites,
  type ListedSite,
  listedSite,
  paramsOf,
  rowsChoices,
  type SiteQuery,
  type SiteSort,
  searchCharsMax,
  siteMarks,
  siteQueryOf,
  siteSorts,
  sortSites,
} from "./site-query.ts";
import { renderRowsAhead, siteRow } from "./site-row.tsx";
import { sitesContent, sitesPage } from "./sites-frame.tsx";

export const getSites: GetFor<"members"> = (visit, access) => listPage(visit, access);

/** `error`: an action on several sites that failed. */
export function listPage(visit: Visit, access: SiteAccess, error: BulkError | null = null): Response {
  const { i18n, url, settings, now } = visit;
  const sites = settings.store.sites.list(access.owner.id);
  if (sites.length === 0) return emptyPage(visit, access);
  const asked = siteQueryOf(url.searchParams);
  const running = new Set(settings.store.siteRuns.list().map(({ siteId }) => siteId));
  const runs = settings.sites.waitingRuns();
  const listed = sites.map((site) => listedSite(site, running, { runs, now }));
  const { matching, counts } = filterSites(listed, asked);
  const pages = Math.max(1, Math.ceil(matching.length / asked.rows));
  const query = { ...asked, page: Math.min(asked.page, pages) };
  const first = (query.page - 1) * query.rows;
  const shown = sortSites(matching, query, i18n.locale).slice(first, first + query.rows);
  const picked = mayEdit(access) ? pickedSites(visit, { matching, shown, error }) : nothingPicked;
  const rows = shown.map((one) =>
    siteRow(visit, { listed: one, access, checked: picked.ids.has(one.site.id), fixed: picked.isBeyondPage }),
  );
  renderRowsAhead(visit, listed, access).catch((error) => settings.log.error("rows of sites not rendered", { because: messageOf(error) }));
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
        <SitesOverview counts={counts} query={query} access={access} />
        <section aria-label={i18n.t("sites.title")} data-site-list>
          <SiteFilterForm sites={sites} query={query} access={access} matching={matching.length} first={first} shown={shown.length} />
          {mayEdit(access) && (
            <BulkForm access={access} query={query} picked={picked} matching={matching.length} onPage={shown.length} error={error} />
          )}
          <SiteTable query={query} access={access} isEmpty={shown.length === 0} />
          <ListPages query={query} access={access} pages={pages} matching={matching.length} />
        </section>
      </>
    ),
  });
  return pageWithRows(visit, content, rows);
}

const nothingPicked: PickedSites = { ids: new Set(), isBeyondPage: false };

interface PickContext {
  readonly matching: readonly ListedSite[];
  readonly shown: readonly ListedSite[];
  readonly error: BulkError | null;
}

/** Sites chosen by `?select=`, or by the action that failed. */
function pickedSites({ url }: Visit, { matching, shown, error }: PickContext): PickedSites {
  const select = url.searchParams.get("select");
  const chosen = select === "all" ? matching : select === "page" ? shown : [];
  const ids = error?.ids ?? new Set(chosen.map(({ site }) => site.id));
  const onPage = new Set(shown.map(({ site }) => site.id));
  return { ids, isBeyondPage: !ids.isSubsetOf(onPage) };
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

/** The list with a change of its query, from its first page on. */
function listHref({ query, access }: QueryProps, change: Partial<SiteQuery>): string {
  return ownerPath("/sites", access, paramsOf({ ...query, page: 1, ...change }));
}

function SiteTable({ isEmpty, ...props }: QueryProps & { readonly isEmpty: boolean }) {
  const { i18n } = useVisit();
  return (
    <div class="table wide" id="list" data-part="list" tabIndex={-1}>
      {isEmpty ? (
        <p data-site-none>{i18n.t("sites.list.none")}</p>
      ) : (
        <table class="cards sites" data-sites>
          <caption class="unseen">{i18n.t("sites.list.caption")}</caption>
          <thead>
            <tr>
              {mayEdit(props.access) && (
                <th scope="col" class="pick">
                  <span class="unseen">{i18n.t("sites.columns.pick")}</span>
                  <input type="checkbox" aria-label={i18n.t("sites.list.pickPage")} data-pick-page hidden />
                </th>
              )}
              {columns.map((column) =>
                column === "state" ? (
                  <th key={column} scope="col">
                    {i18n.t("sites.columns.state")}
                  </th>
                ) : (
                  <SortHeader key={column} sort={column} {...props} />
                ),
              )}
            </tr>
          </thead>
          <tbody>{rowsPlaceholder}</tbody>
        </table>
      )}
    </div>
  );
}

const columns = [...siteSorts.slice(0, -2), "state", ...siteSorts.slice(-2)] as const;
/** Classes of the cells: narrow pages do not show the columns `side`. */
const columnClasses: Partial<Record<SiteSort, string>> = { client: "side", open: "num side", last: "side", next: "side" };

function SortHeader({ sort, query, access }: QueryProps & { readonly sort: SiteSort }) {
  const { i18n } = useVisit();
  const isCurrent = query.sort === sort;
  return (
    <th scope="col" class={columnClasses[sort]} aria-sort={isCurrent ? (query.descending ? "descending" : "ascending") : undefined}>
      <a id={`sort-${sort}`} href={listHref({ query, access }, { sort, descending: isCurrent && !query.descending })} data-sort={sort}>
        {i18n.t(`sites.columns.${sort}`)}
      </a>
    </th>
  );
}

interface ListPagesProps extends QueryProps {
  readonly pages: number;
  readonly matching: number;
}

function ListPages({ query, access, pages, matching }: ListPagesProps) {
  const { i18n } = useVisit();
  return (
    <div class="list-pages" data-part="pages">
      <NumberedPages page={query.page} pages={pages} hrefOf={(page) => `${listHref({ query, access }, { page })}#list`} />
      {matching > rowsChoices[0] && (
        <p class="small">
          {i18n.t("sites.list.rows")}{" "}
          {rowsChoices.map((rows) => (
            <a
              key={rows}
              id={`rows-${rows}`}
              class="figure"
              href={listHref({ query, access }, { rows })}
              aria-current={rows === query.rows ? "true" : undefined}
            >
              {i18n.number(rows)}
            </a>
          ))}
        </p>
      )}
    </div>
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

/** More clients or tags than this are typed: a longer list of choices helps no one. */
const choicesMax = 100;

interface FilterProps extends QueryProps {
  readonly sites: readonly Site[];
  /** Number of sites that match; `first` and `shown` say which of them are on the page. */
  readonly matching: number;
  readonly first: number;
  readonly shown: number;
}

/** A GET form, so that it works without script, which sends it with each change. */
function SiteFilterForm({ sites, query, access, matching, first, shown }: FilterProps) {
  const { i18n } = useVisit();
  const collator = new Intl.Collator(i18n.locale, { numeric: true });
  const named = (names: readonly string[]) =>
    [...new Set(names)].sort(collator.compare).map((name) => ({ value: name, text: plainUntrustedText(name) }));
  const kept = paramsOf(query);
  return (
    <form class="finding-filter" action="/sites" autocomplete="off" data-site-filter>
      {access.role !== "owner" && <input type="hidden" name="of" value={access.owner.id} />}
      {(["change", "certificate", "sort", "dir", "rows"] as const).map((name) => (
        <input key={name} type="hidden" name={name} value={kept[name]} />
      ))}
      <label>
        {i18n.t("sites.filter.search")}
        <input type="search" name="q" value={query.search} maxLength={searchCharsMax} />
      </label>
      <Choice name="client" chosen={query.client} options={named(sites.flatMap(({ client }) => client ?? []))} />
      <Choice name="tag" chosen={query.tag} options={named(sites.flatMap(({ tags }) => tags))} />
      <Choice name="band" chosen={query.band ?? ""} options={useStandings()} />
      <Choice
        name="state"
        chosen={query.mark ?? ""}
        options={siteMarks.map((mark) => ({ value: mark, text: i18n.t(`sites.marks.${mark}`) }))}
      />
      <button type="submit" class="plain" data-site-apply>
        {i18n.t("sites.filter.apply")}
      </button>
      <p class="small">
        <span role="status" data-site-count>
          {i18n.count("sites.filter.shown", matching, {
            from: i18n.number(shown === 0 ? 0 : first + 1),
            to: i18n.number(first + shown),
            all: i18n.number(sites.length),
          })}
        </span>{" "}
        <span data-part="reset">{matching < sites.length && <a href={ownerPath("/sites", access)}>{i18n.t("sites.filter.reset")}</a>}</span>
      </p>
    </form>
  );
}

/** Bands, each with its ranks after it. */
function useStandings(): readonly Option[] {
  const { i18n } = useVisit();
  return bands.flatMap((band) => {
    const ranks = band === "unknown" ? [] : ranksOf(band);
    return [
      { value: band as string, text: i18n.t(`sites.bands.${band}`) },
      ...ranks.map((rank) => ({ value: rank as string, text: `\u2013 ${i18n.rank(rank)}` })),
    ];
  });
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
  if (all.length > choicesMax)
    return (
      <label>
        {i18n.t(`sites.filter.${name}`)}
        <input name={name} value={chosen} maxLength={searchCharsMax} />
      </label>
    );
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
