/** Filter, order and page of the list of watched sites, as in its query, and the number of sites behind each filter. */
import { type Band, bands, type Rank, ranks } from "../../judge/result.ts";
import { isWaiting, type WaitingRuns } from "../../sites/waiting-runs.ts";
import { certificateDaysOf, courseDays, type Site, scoreChangeOf, siteNameCharsMax, siteTagCharsMax } from "../../store/sites.ts";
import { pageNumberOf } from "../scans/list-query.ts";

export const searchCharsMax = 100;

export const siteMarks = ["running", "waiting", "paused", "failing", "unconfirmed"] as const;
export type SiteMark = (typeof siteMarks)[number];
export const siteSorts = ["name", "client", "score", "change", "open", "certificate", "last", "next"] as const;
export type SiteSort = (typeof siteSorts)[number];
export const weekChanges = ["worse", "better"] as const;
export type WeekChange = (typeof weekChanges)[number];
const weekDays = 7;

/** Certificates that end within this time are on the line, in groups of some days. */
export const certificateLineDays = 90;
export const certificateGroupDays = 10;
export const certificateGroups = Array.from({ length: certificateLineDays / certificateGroupDays }, (_none, at) =>
  String(at * certificateGroupDays),
);
/** First day of a group, or `expired`. */
const certificateFilters = ["expired", ...certificateGroups];

/** Rows of a page. */
export const rowsChoices = [50, 100] as const;

/** Empty texts and null mean all. */
export interface SiteQuery {
  readonly search: string;
  readonly client: string;
  readonly tag: string;
  readonly band: Band | Rank | null;
  readonly mark: SiteMark | null;
  readonly change: WeekChange | null;
  readonly certificate: string | null;
  readonly sort: SiteSort;
  readonly descending: boolean;
  readonly rows: number;
  /** Page number, 1 for the first one; may be behind the last page. */
  readonly page: number;
}

export interface ListedSite {
  readonly site: Site;
  readonly marks: readonly SiteMark[];
  /** Place of a run that waits; null for none, and while it is not known. */
  readonly place: number | null;
  /** Whole days; null if the certificate was not read. */
  readonly certificateDays: number | null;
  /** Change of the score within a week; null without a run to compare. */
  readonly weekChange: number | null;
  /** The same within `courseDays`. */
  readonly courseChange: number | null;
}

export interface ListedAt {
  readonly runs: WaitingRuns;
  readonly now: Date;
}

/** Ignores unknown values. */
export function siteQueryOf(params: URLSearchParams): SiteQuery {
  const text = (name: string, charsMax: number) => (params.get(name) ?? "").trim().slice(0, charsMax);
  const one = <T extends string>(values: readonly T[], name: string) => values.find((value) => value === params.get(name)) ?? null;
  return {
    search: text("q", searchCharsMax),
    client: text("client", siteNameCharsMax),
    tag: text("tag", siteTagCharsMax),
    band: one<Band | Rank>([...bands, ...ranks], "band"),
    mark: one(siteMarks, "state"),
    change: one(weekChanges, "change"),
    certificate: one(certificateFilters, "certificate"),
    sort: one(siteSorts, "sort") ?? "name",
    descending: params.get("dir") === "desc",
    rows: rowsChoices.find((rows) => String(rows) === params.get("rows")) ?? rowsChoices[0],
    page: pageNumberOf(params),
  };
}

/** Parameters for `siteQueryOf`; defaults are empty. */
export function paramsOf({ search, sort, descending, mark, rows, page, ...filter }: SiteQuery): Readonly<Record<string, string>> {
  const { client, tag, band, change, certificate } = filter;
  return {
    q: search,
    client,
    tag,
    band: band ?? "",
    state: mark ?? "",
    change: change ?? "",
    certificate: certificate ?? "",
    sort: sort === "name" ? "" : sort,
    dir: descending ? "desc" : "",
    rows: rows === rowsChoices[0] ? "" : String(rows),
    page: page === 1 ? "" : String(page),
  };
}

export function listedSite(site: Site, running: ReadonlySet<number>, { runs, now }: ListedAt): ListedSite {
  const isMarked = {
    running: running.has(site.id),
    waiting: isWaiting(site, running.has(site.id), now),
    paused: site.paused,
    failing: site.failingSince !== null,
    unconfirmed: site.reading?.unconfirmed !== undefined,
  };
  return {
    site,
    marks: siteMarks.filter((mark) => isMarked[mark]),
    place: isMarked.waiting ? runs.placeOf(site.id) : null,
    certificateDays: certificateDaysOf(site, now),
    weekChange: scoreChangeOf(site, weekDays, now),
    courseChange: scoreChangeOf(site, courseDays, now),
  };
}

type Test = (listed: ListedSite, query: SiteQuery) => boolean;

/** By filter: whether it lets the site pass. */
const tests = {
  client: ({ site }, { client }) => client === "" || site.client === client,
  tag: ({ site }, { tag }) => tag === "" || site.tags.includes(tag),
  band: ({ site: { reading } }, { band }) => band === null || (reading?.band ?? "unknown") === band || reading?.rank === band,
  mark: ({ marks }, { mark }) => mark === null || marks.includes(mark),
  change: ({ weekChange }, { change }) => change === null || changeOf(weekChange) === change,
  certificate: ({ certificateDays }, { certificate }) => certificate === null || certificateGroupOf(certificateDays) === certificate,
  search: ({ site }, { search }) => search === "" || searchTextOf(site).includes(search.toLowerCase()),
} satisfies Record<string, Test>;
const filters = Object.keys(tests) as readonly (keyof typeof tests)[];

function changeOf(change: number | null): WeekChange | null {
  return change === null || change === 0 ? null : change < 0 ? "worse" : "better";
}

/** Null for a certificate that is not on the line. */
function certificateGroupOf(days: number | null): string | null {
  if (days === null || days >= certificateLineDays) return null;
  return days < 0 ? "expired" : String(days - (days % certificateGroupDays));
}

function searchTextOf({ name, url, client, tags }: Site): string {
  return [name, url, client ?? "", ...tags].join("\n").toLowerCase();
}

/** Filters of the overview. */
const facets = ["band", "mark", "change", "certificate"] as const;
export type Facet = (typeof facets)[number];
/** Sites behind each value of a filter, while the other filters stay: as many as its link shows. */
export type FacetCounts = Readonly<Record<Facet, ReadonlyMap<string, number>>>;

/** Sites that match, and the figures of the overview. */
export function filterSites(listed: readonly ListedSite[], query: SiteQuery) {
  const counts = { band: new Map(), mark: new Map(), change: new Map(), certificate: new Map() } satisfies FacetCounts;
  const add = (facet: Facet, value: string | null) => {
    if (value !== null) counts[facet].set(value, (counts[facet].get(value) ?? 0) + 1);
  };
  const matching = listed.filter((one) => {
    const failed = filters.filter((name) => !tests[name](one, query));
    for (const facet of facets) if (failed.every((name) => name === facet)) for (const value of valuesOf(one, facet)) add(facet, value);
    return failed.length === 0;
  });
  return { matching, counts: counts as FacetCounts };
}

function valuesOf({ site, marks, weekChange, certificateDays }: ListedSite, facet: Facet): readonly (string | null)[] {
  if (facet === "mark") return marks;
  if (facet === "change") return [changeOf(weekChange)];
  return [facet === "band" ? (site.reading?.rank ?? "unknown") : certificateGroupOf(certificateDays)];
}

/** What a column sorts by. Null is last in both directions. */
function sortValueOf({ site, certificateDays, courseChange }: ListedSite, sort: SiteSort): string | number | null {
  const { name, client, reading, lastRunAt, nextRunAt } = site;
  const timeOf = (at: string | null) => (at === null ? null : Date.parse(at));
  const values = {
    name,
    client,
    score: reading?.score ?? null,
    change: courseChange,
    open: reading?.open ?? null,
    certificate: certificateDays,
    last: timeOf(lastRunAt),
    next: timeOf(nextRunAt),
  };
  return values[sort];
}

export function sortSites(listed: readonly ListedSite[], { sort, descending }: SiteQuery, locale: string): readonly ListedSite[] {
  const collator = new Intl.Collator(locale, { numeric: true });
  const direction = descending ? -1 : 1;
  return listed
    .map((one) => ({ one, value: sortValueOf(one, sort) }))
    .sort((left, right) => {
      if (left.value === null || right.value === null)
        return Number(left.value === null) - Number(right.value === null) || left.one.site.id - right.one.site.id;
      const order =
        typeof left.value === "number" && typeof right.value === "number"
          ? left.value - right.value
          : collator.compare(String(left.value), String(right.value));
      return direction * order || left.one.site.id - right.one.site.id;
    })
    .map(({ one }) => one);
}
