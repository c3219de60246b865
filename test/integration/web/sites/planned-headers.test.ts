/** Planned headers on the pages: the button of a proof, the section of the site, and who may use them. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { blockingProof, endProof, workingProof } from "../../../support/proof-bodies.ts";
import { accountIn, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

const url = "https://site.test/";
let pages: PagesUnderTest;
let account: Account;
let owner: Visitor;
let stranger: Visitor;
let site: Site;

beforeAll(async () => {
  pages = await startPages();
  account = await accountIn(pages, "owner@assay.test");
  owner = await signedIn(pages, account);
  stranger = await signedIn(pages, await accountIn(pages, "other@assay.test"));
});
beforeEach(async () => {
  site = await addSite(pages.store, { accountId: account.id, url, name: "<b>Shop</b>", now: new Date() });
});
afterEach(() => pages.store.sites.remove(account.id, [site.id], account.id));
afterAll(() => pages.stop());

const read = async (path: string, by = owner) => (await by.get(path)).text();
const stored = () => pages.store.sites.find(account.id, site.id)?.policy ?? null;
/** The site watches the headers of a new proof. Returns the proof's token, and the status of the answer. */
async function watchProof() {
  const token = await endProof(pages.store, workingProof, { accountId: account.id });
  const { status } = await owner.post(`/sites/${site.id}`, { do: "watch", proof: token }, `/proofs/${token}`);
  return { token, status };
}

test("a proven proof of the site's page has a button, which others do not see", async () => {
  const token = await endProof(pages.store, workingProof, { accountId: account.id });
  const html = await read(`/proofs/${token}?locale=en-gb`);
  expect(html).toContain("Watch this policy");
  expect(html).toContain("&lt;b>Shop&lt;/b>");
  const watched = await watchProof();
  expect([watched.status, stored()?.proof]).toEqual([303, watched.token]);
  expect(await read(`/proofs/${watched.token}?locale=en-gb`)).toContain("This site watches these headers.");
  expect(await read(`/proofs/${await endProof(pages.store, blockingProof("x"), { accountId: account.id })}?locale=en-gb`)).not.toContain(
    "Watch this policy",
  );
});

test("the site shows them, what they block, and the event, with all that a page wrote escaped", async () => {
  await watchProof();
  const blocked = [{ directive: "script-src-elem", url: 'https://cdn.test/"><script>alert(1)</script>', kind: "url" }];
  const since = "2026-05-06T07:00:00.000Z";
  await pages.store.siteRuns.notePolicy(
    site,
    ({ policy = null }) => ({
      site: { policy: policy === null ? null : { ...policy, triedAt: since, brokenSince: since, reported: true, blocked } },
      events: [{ type: "policy.broken", token: "67nIDqqCondMLX7iB8bYxR", data: { url, since, blocked, blockedDropped: 3 } }],
    }),
    new Date(),
  );
  for (const [locale, text] of [
    ["en-gb", "The planned headers break https://site.test/ now."],
    ["de-de", "Mit den geplanten Headern funktioniert https://site.test/ nicht mehr."],
  ] as const) {
    const html = await read(`/sites/${site.id}?locale=${locale}`);
    expect(html).not.toContain("<script>alert");
    expect(html.replaceAll(/<[^>]+>/g, "")).toContain(text);
    expect(html).toContain("script-src-elem: https://cdn.test/");
    expect(html).toContain("Content-Security-Policy: default-src 'self'");
  }
});

test("only who may change the site watches, and only proofs that this person may read", async () => {
  await watchProof();
  const before = stored();
  const foreign = await endProof(pages.store, workingProof, { accountId: 99 });
  expect((await owner.post(`/sites/${site.id}`, { do: "watch", proof: foreign }, `/sites/${site.id}`)).status).toBe(404);
  expect((await stranger.post(`/sites/${site.id}`, { do: "unwatch" }, "/sites/new")).status).toBe(404);
  const broken = await endProof(pages.store, blockingProof("x"), { accountId: account.id });
  const refused = await owner.post(`/sites/${site.id}`, { do: "watch", proof: broken }, `/sites/${site.id}`);
  expect(refused.headers.get("location")).toContain("unproven");
  expect(stored()).toEqual(before);
  await owner.post(`/sites/${site.id}`, { do: "unwatch" }, `/sites/${site.id}`);
  expect(stored()).toBeNull();
  expect(await read(`/sites/${site.id}?locale=en-gb`)).not.toContain("Planned headers</h2>");
});
