/** Sites, channels and runs for tests of watched sites. */
import type { NewSite, Site } from "../../src/store/sites.ts";
import type { Store } from "../../src/store/store.ts";

/** Values of a site that a test does not name. */
export function newSite(given: Partial<NewSite> & Pick<NewSite, "accountId" | "url" | "now">): NewSite {
  const { now } = given;
  return {
    name: new URL(given.url).host,
    pages: [],
    client: null,
    tags: [],
    schedule: { every: "weekly" },
    nextRunAt: now.toISOString(),
    ...given,
  };
}

/** @throws Error if the store refuses the site. */
export async function addSite(store: Store, given: Parameters<typeof newSite>[0]): Promise<Site> {
  const [added] = await store.sites.add([newSite(given)], 1_000);
  if (added === undefined || typeof added === "string") throw new Error(`the site was refused: ${added}`);
  return added;
}
