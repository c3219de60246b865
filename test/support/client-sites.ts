/** Watched sites of one client in every state that the client report distinguishes. */
import { dayMs } from "../../src/base/units.ts";
import type { Site } from "../../src/store/sites.ts";
import type { Store } from "../../src/store/store.ts";
import type { SiteName } from "./finished-scans.ts";
import { measureOften } from "./measured-sites.ts";
import { addSite } from "./watched-sites.ts";

/** Days before now, and what the run shows; null for one that measures nothing. */
type Course = readonly (readonly [daysAgo: number, shows: SiteName | null])[];

export interface ClientSites {
  readonly store: Store;
  readonly accountId: number;
  readonly client: string;
  readonly now: Date;
}

/** Adds a site and its runs. The queue must be empty. */
export async function addClientSite(
  { store, accountId, client, now }: ClientSites,
  url: string,
  given: Partial<Pick<Site, "name" | "pages" | "paused">>,
  course: Course,
): Promise<Site> {
  const ago = (days: number) => new Date(now.getTime() - days * dayMs);
  const site = await addSite(store, { accountId, url, client, now: ago(80), ...given });
  return measureOften(
    store,
    site,
    course.map(([days, shows]) => ({ at: ago(days), shows })),
  );
}

/** By name: `Shop` has three addresses, `Main` got worse and has acceptances, `Blog` got better, `Archive` is unreachable, and so on. */
export async function fillClientSites(sites: ClientSites): Promise<void> {
  const shop = "https://www.example-shop.test/";
  await addClientSite(sites, shop, { name: "Shop", pages: [`${shop}basket`, `${shop}checkout`] }, [
    [60, "shop"],
    [31, "shop"],
    [3, "shop"],
  ]);
  const main = await addClientSite(sites, "https://www.example.test/", { name: "Main" }, [
    [60, "sound"],
    [31, "sound"],
    [20, "silent"],
    [19.9, "silent"],
    [2, "silent"],
  ]);
  await accept(sites, main);
  await addClientSite(sites, "https://blog.example.test/", { name: "Blog" }, [
    [60, "bare"],
    [32, "bare"],
    [10, "sound"],
    [9, "sound"],
  ]);
  await addClientSite(sites, "https://old.example.test/", { name: "Archive" }, [
    [40, "plain"],
    [29, "plain"],
    [9, null],
    [6, null],
    [3, null],
  ]);
  const paused = await addClientSite(sites, "https://summer.example.test/", { name: "Campaign" }, [[28, "bare"]]);
  await sites.store.sites.change(paused.accountId, paused.id, () => ({ paused: true, nextRunAt: null }));
  await addClientSite(sites, "https://xn--bcher-kva.test/", { name: "New" }, []);
  await addClientSite(sites, "https://gone.example.test/", { name: "Never reached" }, [[2, null]]);
  for (const at of [1, 2]) await addClientSite(sites, `https://page-${at}.example.test/`, { name: `Page ${at}` }, [[4, "sound"]]);
}

/** One with a last day, one without, and one that has ended. */
async function accept({ store, now }: ClientSites, site: Site): Promise<void> {
  const codes = Object.entries(store.siteRuns.state(site.id).findings).flatMap(([code, { state }]) => (state === "open" ? code : []));
  const day = (days: number) => new Date(now.getTime() + days * dayMs).toISOString();
  const terms = [
    { reason: "Fixed with the relaunch", until: day(90).slice(0, 10) },
    { reason: "The client wants it so", until: null },
    { reason: "Only until last month", until: day(-10).slice(0, 10) },
  ];
  const accepted = terms.map((term, at) => ({ ...term, code: codes[at] ?? "", acceptedAt: day(-15) }));
  await store.sites.change(site.accountId, site.id, () => ({ accepted }));
}
