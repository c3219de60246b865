/** A watched site that was measured at one address, and again at another one. */
import { newSiteState } from "../../src/store/site-runs.ts";
import type { Site } from "../../src/store/sites.ts";
import type { Store } from "../../src/store/store.ts";
import { addSite } from "./watched-sites.ts";

export interface SiteMove {
  readonly accountId: number;
  /** Addresses that the site has had, the first one first; two runs measure each. */
  readonly urls: readonly string[];
  readonly now: Date;
}

/** Entries of its history and its events come from the runs. A last run at the first address is under way when the site moves. */
export async function addMovedSite(store: Store, { accountId, urls: [from = "", to = ""], now }: SiteMove): Promise<Site> {
  const { id } = await addSite(store, { accountId, url: from, name: "Moved", now });
  for (const ms of [0, 1]) await measure(store, { accountId, id, url: from, now: new Date(now.getTime() + ms) });
  const left = await store.siteRuns.start({ accountId, siteId: id, kind: "manual", now });
  if (typeof left === "string") throw new Error(left);
  const moved = await store.sites.change(accountId, id, () => ({ url: to }));
  if (moved === undefined || moved === "url-taken") throw new Error("the site has not moved");
  return moved;
}

/** A run that stores one entry of the history, and an event with a finding. */
export async function measure(
  store: Store,
  { accountId, id, url, now }: { readonly accountId: number; readonly id: number; readonly url: string; readonly now: Date },
): Promise<void> {
  const run = await store.siteRuns.start({ accountId, siteId: id, kind: "manual", now });
  if (typeof run === "string") throw new Error(run);
  const token = run.scans[0]?.token ?? "";
  const findings = [{ code: "security.hsts.missing", checkKey: "hsts-effective", severity: "high", urls: [url] }] as const;
  const history = { at: now.toISOString(), token, score: 50, band: "warn", rank: "weak", open: 1 } as const;
  const events = [{ type: "finding.opened", token, data: { findings } }] as const;
  await store.siteRuns.conclude(run, () => ({ state: newSiteState, site: {}, events, rules: null, history }), now);
}
