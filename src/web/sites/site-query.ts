/** Filter and order of the list of watched sites, as in its query. */
import type { Band } from "../../judge/result.ts";
import { isWaiting, type WaitingRuns } from "../../sites/waiting-runs.ts";
import { certificateDaysOf, type Site, siteNameCharsMax, siteTagCharsMax } from "../../store/sites.ts";

const searchCharsMax = 100;

export const siteBands = ["good", "warn", "poor", "unknown"] as const satisfies readonly Band[];
export const siteMarks = ["running", "paused", "failing"] as const;
export type SiteMark = (typeof siteMarks)[number];
export const siteSorts = ["name", "client", "score", "open", "certificate", "last", "next"] as const;
export type SiteSort = (typeof siteSorts)[number];

/** Empty texts and null mean all. */
export interface SiteQuery {
  readonly search: string;
  readonly client: string;
  readonly tag: string;
  readonly band: Band | null;
  readonly mark: SiteMark | null;
  readonly sort: SiteSort;
  readonly descending: boolean;
}

export interface ListedSite {
  readonly site: Site;
  readonly marks: readonly SiteMark[];
  /** Null unless a run is due and has not started. */
  readonly waiting: { readonly place: number | null } | null;
}

export interface ListedAt {
  readonly runs: WaitingRuns;
  readonly now: Date;
}

/** Ignores unknown values. */
export function siteQueryOf(params: URLSearchParams): SiteQuery {
  const text = (name: string, charsMax: number) => (params.get(name) ?? "").trim().slice(0, charsMax);
  return {
    search: text("q", searchCharsMax),
    client: text("client", siteNameCharsMax),
    tag: text("tag", siteTagCharsMax),
    band: siteBands.find((band) => band === params.get("band")) ?? null,
    mark: siteMarks.find((mark) => mark === params.get("state")) ?? null,
    sort: siteSorts.find((sort) => sort === params.get("sort")) ?? "name",
    descending: params.get("dir") === "desc",
  };
}

/** Parameters for `siteQueryOf`; defaults are empty. */
export function paramsOf({ search, client, tag, band, mark, sort, descending }: SiteQuery): Readonly<Record<string, string>> {
  return {
    q: search,
    client,
    tag,
    band: band ?? "",
    state: mark ?? "",
    sort: sort === "name" ? "" : sort,
    dir: descending ? "desc" : "",
  };
}

export function listedSite(site: Site, running: ReadonlySet<number>, { runs, now }: ListedAt): ListedSite {
  const marks = siteMarks.filter((mark) => {
    if (mark === "running") return running.has(site.id);
    return mark === "paused" ? site.paused : site.failingSince !== null;
  });
  return { site, marks, waiting: isWaiting(site, running.has(site.id), now) ? { place: runs.placeOf(site.id) } : null };
}

export function matchesSiteQuery({ site, marks }: ListedSite, { search, client, tag, band, mark }: SiteQuery): boolean {
  return (
    (client === "" || site.client === client) &&
    (tag === "" || site.tags.includes(tag)) &&
    (band === null || bandOf(site) === band) &&
    (mark === null || marks.includes(mark)) &&
    (search === "" || searchTextOf(site).includes(search.toLowerCase()))
  );
}

export function bandOf({ reading }: Site): Band {
  return reading?.band ?? "unknown";
}

export function searchTextOf({ name, url, client, tags }: Site): string {
  return [name, url, client ?? "", ...tags].join("\n").toLowerCase();
}

/** What a column sorts by. Times are ISO 8601, so their order is the order of the text. Null is last in both directions. */
export function sortValueOf(site: Site, sort: SiteSort, now: Date): string | number | null {
  const { name, client, reading, lastRunAt, nextRunAt } = site;
  const values = {
    name,
    client,
    score: reading?.score ?? null,
    open: reading?.open ?? null,
    certificate: certificateDaysOf(site, now),
    last: lastRunAt,
    next: nextRunAt,
  };
  return values[sort];
}

/** The script of the page sorts by the same rules. */
export function sortSites(
  listed: readonly ListedSite[],
  { sort, descending }: SiteQuery,
  { locale, now }: { readonly locale: string; readonly now: Date },
): readonly ListedSite[] {
  const collator = new Intl.Collator(locale, { numeric: true });
  const direction = descending ? -1 : 1;
  return listed
    .map((one) => ({ one, value: sortValueOf(one.site, sort, now) }))
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
