/** Scheduled runs of an account with more sites than its plan includes, over a real store with a fake clock. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { isSiteInPlan } from "../../../src/account/plan-sites.ts";
import type { Site } from "../../../src/store/sites.ts";
import { addSite } from "../../support/watched-sites.ts";
import { begin, type SiteRig, siteRig } from "./site-rig.ts";

let rig: SiteRig;
beforeEach(async () => {
  rig = await siteRig();
});
afterEach(() => rig.stop());

test("runs of more sites than the plan includes are passed over, except those that were added first", async () => {
  await rig.store.accounts.create({ email: "free@agency.example", plan: "free", now: rig.now() });
  const urls = ["a", "b", "c", "d"].map((name) => `https://${name}.example/`);
  const sites: Site[] = [];
  for (const each of urls) sites.push(await addSite(rig.store, { accountId: 2, url: each, now: rig.now() }));
  rig.restart({ isIncluded: (site) => isSiteInPlan(rig.store, site) });
  for (const minute of [0, 1, 2]) await rig.at(minute);
  const scanned = () => rig.store.sites.list(2).filter(({ lastRunAt }) => lastRunAt !== null);
  expect(scanned().map(({ url }) => url)).toEqual(urls.slice(0, 3));
  await rig.store.sites.remove(2, [sites[0]?.id ?? 0], 2);
  const next = Date.parse(rig.store.sites.list(2).at(-1)?.nextRunAt ?? "");
  expect(next).toBeGreaterThan(begin);
  await rig.at(Math.ceil((next - begin) / 60_000));
  expect(scanned().map(({ url }) => url)).toEqual(urls.slice(1));
});
