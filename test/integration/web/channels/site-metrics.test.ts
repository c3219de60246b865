/** `/metrics/sites`: token, families, labels, and rights of other accounts. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

const path = "/metrics/sites";
const channelsPage = "/account/channels";
let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages({ config: { readers: "accounts" } });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

async function issued(by = visitor): Promise<string> {
  const html = await (await by.post(channelsPage, { do: "issue" }, channelsPage)).text();
  return /Bearer ([0-9A-Za-z]{43})/.exec(html)?.[1] ?? "";
}

const scrape = (value: string, scheme = "Bearer") => fetch(`${pages.url}${path}`, { headers: { authorization: `${scheme} ${value}` } });

async function measuredSite(name: string, accountId = account.id): Promise<Site> {
  const [now, url] = [new Date(), `https://${accountId}.example/?a="b"`];
  const site = await addSite(pages.store, { accountId, url, name, client: "Acme", now });
  await pages.store.sites.change(accountId, site.id, () => ({
    lastRunAt: "2026-11-24T01:00:00.000Z",
    reading: {
      ...{ token: "t", at: "2026-11-24T01:00:00.000Z", score: 87, band: "good", rank: "solid", open: 3 },
      certificateExpiresAt: "2027-01-01T00:00:00.000Z",
    },
  }));
  return site;
}

test("the figures of each site are in the text format, with escaped labels", async () => {
  const { id } = await measuredSite(`a"b\\c\nassay_site_score{site="9"} 1`);
  const answer = await scrape(await issued());
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const labels = String.raw`{site="${id}",name="a\"b\\c\nassay_site_score{site=\"9\"} 1",url="https://${account.id}.example/?a=\"b\"",client="Acme"}`;
  const samples = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples).toEqual([
    `assay_site_score${labels} 87`,
    `assay_site_open_findings${labels} 3`,
    `assay_certificate_expiry_timestamp_seconds${labels} ${Date.parse("2027-01-01") / 1_000}`,
    `assay_site_last_run_timestamp_seconds${labels} ${Date.parse("2026-11-24T01:00:00Z") / 1_000}`,
  ]);
});

test("a site without a reading has no sample", async () => {
  await addSite(pages.store, { accountId: account.id, url: "https://new.example/", now: new Date() });
  const text = await (await scrape(await issued())).text();
  expect([text.includes("# TYPE assay_site_score gauge"), text.includes("new.example")]).toEqual([true, false]);
});

test("the token is shown once; a new one replaces it, and it can be revoked", async () => {
  const first = await issued();
  expect(mainOf(await (await visitor.get(channelsPage)).text())).not.toContain(first);
  const second = await issued();
  expect([(await scrape(first)).status, (await scrape(second)).status]).toEqual([401, 200]);
  expect(pages.logged.join("")).not.toContain(second);
  const answer = await visitor.post(channelsPage, { do: "revoke" }, channelsPage);
  expect([answer.headers.get("location"), (await scrape(second)).status]).toEqual([`${channelsPage}?done=revoked`, 401]);
});

test.each([
  ["no header", {}],
  ["an unknown token", { authorization: `Bearer ${"0".repeat(43)}` }],
  ["another scheme", { authorization: "Basic bWU6bWU=" }],
  ["a long token", { authorization: `Bearer ${"0".repeat(4_000)}` }],
])("401 with %s", async (_what, headers) => {
  const answer = await fetch(`${pages.url}${path}`, { headers: headers as Record<string, string> });
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="assay"']);
});

test("a session or a token of the API is not enough, and the token opens nothing else", async () => {
  expect((await visitor.get(path)).status).toBe(401);
  const api = await pages.store.apiTokens.create({ accountId: account.id, name: "ci", now: new Date(), expiresAt: null, by: "self" });
  expect((await scrape(api.value)).status).toBe(401);
  const other = await fetch(`${pages.url}/account`, { headers: { authorization: `Bearer ${await issued()}` }, redirect: "manual" });
  expect(other.status).toBe(303);
});

test("a token reads the sites of its account only, and none once the account is disabled", async () => {
  const other = await accountIn(pages, "other@assay.test");
  await measuredSite("Mine");
  await measuredSite("Theirs", other.id);
  const value = await issued(await signedIn(pages, other));
  const text = await (await scrape(value)).text();
  expect([text.includes("Theirs"), text.includes("Mine")]).toEqual([true, false]);
  await pages.store.accounts.setDisabled(other.id, true);
  expect((await scrape(value)).status).toBe(401);
});
