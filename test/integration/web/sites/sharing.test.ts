/** Rights on the pages of watched sites: owner, editor, viewer, and all others. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import type { MemberRole } from "../../../../src/store/site-accounts.ts";
import type { Site } from "../../../../src/store/sites.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

let pages: PagesUnderTest;
let owner: Account;
let site: Site;

beforeAll(async () => {
  pages = await startPages();
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  owner = await anotherAccount(pages);
  site = await addSite(pages.store, { accountId: owner.id, url: "https://shop.example/", client: "Acme", now: new Date() });
});
afterAll(() => pages.stop());

async function member(role: MemberRole): Promise<Visitor> {
  const account = await anotherAccount(pages);
  const invited = await pages.store.members.invite({ ownerId: owner.id, email: account.email, role }, new Date());
  if (typeof invited === "string") throw new Error(invited);
  await pages.store.members.accept(invited.value, account.id, new Date());
  return signedIn(pages, account);
}

const other = async () => signedIn(pages, await anotherAccount(pages));
const listOfOwner = () => `/sites?of=${owner.id}`;
const pagesOfSite = () => [`/sites/${site.id}`, `/clients/Acme?of=${owner.id}`, listOfOwner()];
const changingPages = () => [`/sites/${site.id}/edit`, `/sites/new?of=${owner.id}`, `/sites/import?of=${owner.id}`];
const statusesOf = async (visitor: Visitor, paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await visitor.get(path)).status));

/** Every change, with the token of a page that the visitor may open. */
async function changes(visitor: Visitor): Promise<readonly number[]> {
  const url = "https://new.example/";
  const forms: readonly (readonly [string, Record<string, string>])[] = [
    [`/sites/${site.id}`, { do: "pause" }],
    [`/sites/${site.id}`, { do: "scan" }],
    [`/sites/${site.id}`, { do: "accept", code: "security.csp.missing", reason: "x" }],
    [`/sites/${site.id}`, { do: "delete", confirm: "yes" }],
    [`/sites/${site.id}/edit`, { do: "save", url, every: "daily" }],
    [listOfOwner(), { do: "delete", confirm: "yes", "site[]": String(site.id) }],
    [`/sites/new?of=${owner.id}`, { do: "save", url, every: "daily" }],
    [`/sites/import?of=${owner.id}`, { do: "add", text: url }],
  ];
  const statuses: number[] = [];
  for (const [path, fields] of forms) statuses.push((await visitor.post(path, fields, "/sign-out")).status);
  return statuses;
}

test("other accounts find nothing, the same as for a site that does not exist", async () => {
  const visitor = await other();
  expect(await statusesOf(visitor, [...pagesOfSite(), ...changingPages()])).toEqual(Array(6).fill(404));
  expect(new Set(await changes(visitor))).toEqual(new Set([404]));
  const [known, unknown] = await Promise.all([`/sites/${site.id}`, "/sites/987"].map(async (path) => (await visitor.get(path)).text()));
  const comparable = (html = "") => mainOf(html).replaceAll(/[0-9a-f-]{36}/g, "");
  expect(comparable(known)).toBe(comparable(unknown));
  expect(pages.store.sites.list(owner.id)).toEqual([site]);
});

test("viewers read all, see no form, and change nothing", async () => {
  const visitor = await member("viewer");
  expect(await statusesOf(visitor, pagesOfSite())).toEqual([200, 200, 200]);
  for (const path of pagesOfSite()) {
    const html = mainOf(await (await visitor.get(path)).text());
    expect(html).not.toContain('method="post"');
    expect(html).not.toContain('type="checkbox"');
    expect(html).toContain(owner.email);
  }
  expect(await statusesOf(visitor, changingPages())).toEqual([403, 403, 403]);
  expect(new Set(await changes(visitor))).toEqual(new Set([403]));
  expect(pages.store.sites.list(owner.id)).toEqual([site]);
});

test("members see the kind of a channel in place of its name, which can be a mail address", async () => {
  const now = new Date();
  const target = "boss@agency.example";
  const channel = await pages.store.channels.add({
    accountId: owner.id,
    kind: "mail",
    name: target,
    target,
    secrets: [],
    verified: true,
    now,
  });
  if (typeof channel === "string") throw new Error(channel);
  const scope = { kind: "all" } as const;
  await pages.store.rules.add({
    accountId: owner.id,
    scope,
    events: ["finding.opened"],
    severityMin: "info",
    channelIds: [channel.id],
    now,
  });
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  await measureOften(pages.store, site, [
    { at: daysAgo(3), shows: "sound" },
    { at: daysAgo(2), shows: "bare" },
    { at: daysAgo(1), shows: "bare" },
  ]);
  const visitor = await member("viewer");
  const html = mainOf(await (await visitor.get(`/sites/${site.id}`)).text());
  expect(html).toContain('id="deliveries"');
  expect(html.split('id="deliveries"')[1]).toContain("Email");
  expect(html).not.toContain(target);
});

describe("editors", () => {
  test("change sites of the owner", async () => {
    const visitor = await member("editor");
    expect(await statusesOf(visitor, [...pagesOfSite(), ...changingPages()])).toEqual(Array(6).fill(200));
    await visitor.post(`/sites/${site.id}`, { do: "pause" }, `/sites/${site.id}`);
    const added = await visitor.post(
      `/sites/new?of=${owner.id}`,
      { do: "save", url: "new.example", every: "daily" },
      `/sites/new?of=${owner.id}`,
    );
    expect(added.status).toBe(303);
    expect(pages.store.sites.list(owner.id).map(({ url, paused }) => [url, paused])).toEqual([
      ["https://shop.example/", true],
      ["https://new.example/", false],
    ]);
  });

  test("are named in the audit log if they remove a site", async () => {
    const visitor = await member("editor");
    const form = { do: "delete", confirm: "yes" };
    expect((await visitor.post(`/sites/${site.id}`, form, `/sites/${site.id}`)).status).toBe(303);
    const [last] = pages.store.audit.list({ limit: 1, cursor: null, readMax: 1 }).items;
    const by = pages.store.members.list(owner.id)[0]?.memberId;
    expect([last?.action, last?.actor, last?.details]).toEqual(["site.removed", { kind: "account", id: by }, { sites: String(site.id) }]);
  });

  test("are limited by the plan of the owner", async () => {
    await pages.store.accounts.setPlan(owner.id, "free");
    const visitor = await member("editor");
    const path = `/sites/new?of=${owner.id}`;
    const statuses: number[] = [];
    for (const name of ["a", "b", "c"])
      statuses.push((await visitor.post(path, { do: "save", url: `${name}.example`, every: "daily" }, path)).status);
    expect(statuses).toEqual([303, 303, 400]);
  });

  test("have tabs for own and shared sites", async () => {
    const visitor = await member("editor");
    const html = mainOf(await (await visitor.get("/sites")).text());
    expect(html).toContain("Your sites");
    expect(html).toContain(`href="/sites?of=${owner.id}"`);
    expect(html).not.toContain("shop.example");
    const shared = mainOf(await (await visitor.get(listOfOwner())).text());
    expect(shared).toContain("shop.example");
    expect(shared).toContain(`href="/sites?of=${owner.id}&amp;sort=score"`);
    expect(shared).toContain(`href="/clients/Acme?of=${owner.id}"`);
  });
});

test("rights end with the membership", async () => {
  const visitor = await member("editor");
  const [role] = pages.store.members.list(owner.id);
  await pages.store.members.remove(owner.id, role?.memberId ?? 0, owner.id);
  expect(await statusesOf(visitor, pagesOfSite())).toEqual([404, 404, 404]);
});

test("a disabled account shares nothing, and nobody changes its sites", async () => {
  const visitor = await member("editor");
  await pages.store.accounts.setDisabled(owner.id, true);
  expect(await statusesOf(visitor, [...pagesOfSite(), ...changingPages()])).toEqual(Array(6).fill(404));
  expect(new Set(await changes(visitor))).toEqual(new Set([404]));
  expect(pages.store.siteRuns.list()).toEqual([]);
});

test.each(["x", "-1", "1e1", "999", ""])("there is no owner %j", async (of) => {
  const visitor = await other();
  expect((await visitor.get(`/sites?of=${of}`)).status).toBe(404);
});
