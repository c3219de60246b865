/** `/account/deliveries`: events, attempts and states, and sending again. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import type { Channel } from "../../../../src/store/channels.ts";
import type { Delivery } from "../../../../src/store/deliveries.ts";
import { newSiteState } from "../../../../src/store/site-runs.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { type SiteServicesUnderTest, siteServices } from "../../../support/site-services.ts";
import { addSite } from "../../../support/watched-sites.ts";

const path = "/account/deliveries";
let pages: PagesUnderTest;
let services: SiteServicesUnderTest;
let account: Account;
let visitor: Visitor;
let channel: Channel;
let site: Site;

beforeAll(async () => {
  services = siteServices();
  pages = await startPages({ sites: services });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  services.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
  const { id: accountId } = account;
  const [now, target] = [new Date(), "https://hooks.example/secret-path"];
  const added = await pages.store.channels.add({ accountId, kind: "webhook", name: "Chat", target, secrets: [], verified: true, now });
  if (added === "full") throw new Error(added);
  channel = added;
  const all = { accountId, scope: { kind: "all" }, events: ["site.recovered"], severityMin: "info", channelIds: [channel.id] } as const;
  await pages.store.rules.add({ ...all, now });
  site = await addSite(pages.store, { accountId, url: "https://a.example/", name: "<i>Shop</i>", now });
});
afterAll(() => pages.stop());

/** An event of the site, and its delivery. */
async function delivered(): Promise<Delivery> {
  const since = "2026-11-01T00:00:00.000Z";
  const event = { type: "site.recovered", token: null, data: { since } } as const;
  await pages.store.siteRuns.noteState(site, () => ({ state: newSiteState, events: [event] }), new Date());
  return newest();
}

function newest(): Delivery {
  const [delivery] = pages.store.deliveries.list(account.id, { limit: 1, cursor: null }).items;
  if (delivery === undefined) throw new Error("no delivery");
  return delivery;
}

async function failed(): Promise<Delivery> {
  const attempt = { at: new Date().toISOString(), ms: 12.4, status: 500, because: "status" };
  await pages.store.deliveries.noteAttempt(await delivered(), attempt, { state: "failed", disables: null });
  return newest();
}

const shown = async (at = path) => mainOf(await (await visitor.get(at)).text());
const retry = (id: number, by = visitor) => by.post(path, { delivery: String(id) }, "/account/channels");

test("a waiting delivery shows event, site, channel and next attempt", async () => {
  await delivered();
  const html = await shown();
  for (const text of ["Site can be measured again", "&lt;i>Shop", `/sites/${site.id}`, "Chat", "waiting", "Next attempt:"])
    expect(html).toContain(text);
  expect(html).not.toContain("secret-path");
  expect(html).not.toContain("Send again");
});

test("a failed delivery shows its last attempt, and is sent again", async () => {
  const { id } = await failed();
  const html = await shown();
  for (const text of ["Status 500.", "12 ms.", "failed", "Send again"]) expect(html).toContain(text);
  expect((await retry(id)).headers.get("location")).toBe(`${path}?done=retried`);
  expect([newest().state, services.woken.deliveries]).toEqual(["waiting", 1]);
  expect((await retry(id)).headers.get("location")).toBe(`${path}?done=refused`);
});

test("a delivery of a disabled or deleted channel is not sent again", async () => {
  const { id } = await failed();
  await pages.store.channels.disable(account.id, channel.id, "owner", new Date());
  expect(await shown()).not.toContain("Send again");
  expect((await retry(id)).headers.get("location")).toBe(`${path}?done=refused`);
  await pages.store.channels.remove(account.id, channel.id);
  expect(await shown()).toContain("deleted channel");
  expect((await retry(id)).headers.get("location")).toBe(`${path}?done=refused`);
  expect([newest().state, services.woken.deliveries]).toEqual(["failed", 0]);
});

test("other accounts neither see nor repeat it", async () => {
  const { id } = await failed();
  const other = await signedIn(pages, await accountIn(pages, "other@assay.test"));
  expect((await retry(id, other)).headers.get("location")).toBe(`${path}?done=refused`);
  expect([newest().state, mainOf(await (await other.get(path)).text()).includes("Shop")]).toEqual(["failed", false]);
});

test("older deliveries are on further pages", async () => {
  for (let count = 0; count < 51; count++) await delivered();
  const first = await shown();
  const next = /href="([^"]+)" rel="next"/.exec(first)?.[1] ?? "";
  const rows = (html: string) => [...html.matchAll(/<th scope="row"/g)].length;
  expect([rows(first), rows(await shown(next))]).toEqual([50, 1]);
});
