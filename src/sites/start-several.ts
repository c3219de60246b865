/** Runs of several sites that a person starts at once. */
import type { SiteRun, StartRunRefusal } from "../store/site-runs.ts";
import type { Store } from "../store/store.ts";

/** Runs that one commit starts: other requests wait for it. */
const startsAtOnce = 50;

/** Outcomes in the order of the ids. One that is refused stops no other. */
export async function startSeveral(
  { siteRuns }: Pick<Store, "siteRuns">,
  { accountId, ids, now }: { readonly accountId: number; readonly ids: readonly number[]; readonly now: Date },
): Promise<readonly (SiteRun | StartRunRefusal)[]> {
  const outcomes: (SiteRun | StartRunRefusal)[] = [];
  for (let at = 0; at < ids.length; at += startsAtOnce) {
    const starts = ids.slice(at, at + startsAtOnce).map((siteId) => siteRuns.start({ accountId, siteId, kind: "manual", now }));
    // Writes of one time share a commit.
    outcomes.push(...(await Promise.all(starts)));
  }
  return outcomes;
}
