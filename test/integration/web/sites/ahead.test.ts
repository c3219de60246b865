/** Rows of the list of sites that are rendered ahead of the requests, after the first page of a list. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import { cachedRow } from "../../../../src/web/sites/row-cache.ts";
import { listedSite } from "../../../../src/web/sites/site-query.ts";
import { renderRowsAhead, siteRow } from "../../../../src/web/sites/site-row.tsx";
import { visitOf } from "../../../../src/web/visit.ts";
import { addManySites } from "../../../support/many-sites.ts";
import { type PagesUnderTest, startPages } from "../../../support/pages.ts";
import { accountIn, signedIn } from "../../../support/signed-in.ts";

const count = 120;
let pages: PagesUnderTest;
let owner: Account;
let accounts = 0;
let probes = 0;

beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.stop());
beforeEach(async () => {
  pages.reset();
  owner = await accountIn(pages, `agency${accounts++}@assay.test`);
  await addManySites(pages.store, { accountId: owner.id, count, now: pages.settings.now() });
});

const visit = () => visitOf(new Request("http://localhost/sites"), null, pages.settings).visit;
const listed = () => {
  const runs = pages.settings.sites.waitingRuns();
  return pages.store.sites.list(owner.id).map((site) => listedSite(site, new Set(), { runs, now: pages.settings.now() }));
};
const access = () => ({ owner, role: "owner" }) as const;
/** Rows of the owner that are known already. */
function known(): number {
  const next = cachedRow(`probe ${probes++}`, "", () => "").version;
  const rows = listed().map((one) => siteRow(visit(), { listed: one, access: access(), checked: false, fixed: false }));
  return rows.filter(({ version }) => version < next).length;
}

test("all other rows follow, so that another order finds them", async () => {
  await renderRowsAhead(visit(), listed(), access());
  expect(known()).toBe(count);
});

test("a row that has changed since is not shown as it was", async () => {
  await renderRowsAhead(visit(), listed(), access());
  const [first] = pages.store.sites.list(owner.id);
  await pages.store.sites.change(owner.id, first?.id ?? 0, () => ({ name: "A new name" }));
  const visitor = await signedIn(pages, owner);
  const html = await (await visitor.get("/sites?q=new+name")).text();
  expect(html).toContain("A new name");
});
