/** One state of a site in all its views: list, site page and its badge, page and report of the client, API and history. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { siteBody } from "../../../../src/api/sites/sites.ts";
import { noWaitingRuns } from "../../../../src/sites/waiting-runs.ts";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Site } from "../../../../src/store/sites.ts";
import type { SiteName } from "../../../support/finished-scans.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { agreedState, type SeenState, type SiteViews } from "../../../support/site-views.ts";
import { addSite } from "../../../support/watched-sites.ts";

let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;
let site: Site;
let metricsToken: string;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
  site = await addSite(pages.store, { accountId: account.id, url: `https://site-${account.id}.example/`, client: "Acme", now: new Date() });
  metricsToken = await pages.store.metricsTokens.issue(account.id);
});
afterAll(() => pages.stop());

/** Fails unless all views show the same; returns what they show. */
async function agreed(): Promise<SeenState> {
  const stored = pages.store.sites.find(account.id, site.id) ?? site;
  const shown = siteBody(stored, undefined, noWaitingRuns) as SiteViews["site"];
  const history = pages.store.siteRuns.history(site.id).at(-1)?.score;
  const html = async (path: string) => (await visitor.get(path)).text();
  const metrics = async () => (await visitor.get("/metrics/sites", { authorization: `Bearer ${metricsToken}` })).text();
  return agreedState({ locale: "en-gb", site: shown, history, trend: stored.trend.at(-1), html, metrics });
}

/** What all views show after each run, and the events of the run in their order. */
async function played(runs: readonly (SiteName | null)[]): Promise<readonly (SeenState & { readonly events: readonly string[] })[]> {
  const steps: (SeenState & { events: readonly string[] })[] = [];
  let told = 0;
  for (const [at, shows] of runs.entries()) {
    // Runs are measured through the queue of scans, which must be empty.
    while ((await pages.store.scans.claimNext("local", new Date())) !== undefined);
    await measureOften(pages.store, site, [{ at: new Date(Date.now() - (runs.length - at) * 15 * 60_000), shows }]);
    const all = pages.store.events.listOfSite(account.id, site.id, 100).toReversed();
    const seen = await agreed();
    const fresh = all.slice(told);
    // Mails and webhooks say what the event says.
    for (const { type, data } of fresh) if (type === "site.score_dropped") expect(data.to).toBe(seen.score);
    steps.push({ ...seen, events: fresh.map(({ type }) => type) });
    told = all.length;
  }
  return steps;
}

test("a break shows the confirmed state until it is confirmed, and is told first and once; then the recovery", async () => {
  const [sound, broken, confirmed, still, recovered] = await played(["sound", "bare", "bare", "bare", "sound"]);
  expect(broken).toMatchObject({ score: sound?.score, events: [] });
  expect(broken?.unconfirmed).toBeGreaterThan(0);
  expect(confirmed?.score).toBeLessThan(sound?.score ?? 0);
  expect(confirmed?.unconfirmed).toBeNull();
  expect(confirmed?.events.slice(0, 2)).toEqual(["site.score_dropped", "finding.opened"]);
  expect(still).toEqual({ score: confirmed?.score, unconfirmed: null, events: [] });
  expect(recovered).toMatchObject({ score: sound?.score, unconfirmed: null, events: ["finding.resolved"] });
});

test("a flap never shows its low score, and is not told", async () => {
  const [sound, ...later] = await played(["sound", "bare", "sound", "sound"]);
  expect(later.map(({ score, events }) => ({ score, events }))).toEqual(later.map(() => ({ score: sound?.score, events: [] })));
  expect(later.map(({ unconfirmed }) => unconfirmed !== null)).toEqual([true, false, false]);
});

test("a site that no run measures shows its last score everywhere, and its client reads of it once that is confirmed", async () => {
  const verdictOf = async () => /client-verdict (\w+)/.exec(await (await visitor.get("/clients/Acme")).text())?.[1];
  const [sound] = await played(["sound"]);
  const verdicts: unknown[] = [await verdictOf()];
  for (const minutesAgo of [30, 20, 10]) {
    await measureOften(pages.store, site, [{ at: new Date(Date.now() - minutesAgo * 60_000), shows: null }]);
    expect(await agreed()).toMatchObject({ score: sound?.score, unconfirmed: null });
    verdicts.push(await verdictOf());
  }
  expect(verdicts).toEqual(["good", "good", "good", "poor"]);
});
