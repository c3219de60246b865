/** Which sites of an account are scanned by schedule. A change of the plan can leave more than it includes. */
import type { Site } from "../store/sites.ts";
import type { Store } from "../store/store.ts";

/** How many sites of an account are scanned by schedule. */
export type SitesMaxOf = (accountId: number) => number;

/** Of too many sites, those that were added first are included. Looks once for each account, so it is for one round only. */
export function includedSites({ sites }: Pick<Store, "sites">, sitesMaxOf: SitesMaxOf): (site: Pick<Site, "accountId" | "id">) => boolean {
  const included = new Map<number, ReadonlySet<number> | "all">();

  function includedOf(accountId: number): ReadonlySet<number> | "all" {
    const sitesMax = sitesMaxOf(accountId);
    if (sites.count(accountId) <= sitesMax) return "all";
    const first = sites.list(accountId).slice(0, sitesMax);
    return new Set(first.map(({ id }) => id));
  }

  return ({ accountId, id }) => {
    const known = included.get(accountId) ?? includedOf(accountId);
    included.set(accountId, known);
    return known === "all" || known.has(id);
  };
}
