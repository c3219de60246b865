/** `/sites/new` and `/sites/{id}/edit`: fields, errors beside them, preview of the schedule, and the limit of the plan. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Account } from "../../../../src/store/accounts.ts";
import { newSiteState } from "../../../../src/store/site-runs.ts";
import { measureOften } from "../../../support/measured-sites.ts";
import { inputValueOf, mainOf } from "../../../support/page-text.ts";
import { type PagesUnderTest, startPages, type Visitor } from "../../../support/pages.ts";
import { accountIn, anotherAccount, signedIn } from "../../../support/signed-in.ts";
import { addSite } from "../../../support/watched-sites.ts";

const path = "/sites/new";
const refusedHost = "inside.example";
let pages: PagesUnderTest;
let account: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages({ scanning: { mayBeScanned: (url) => new URL(url).hostname !== refusedHost } });
  await accountIn(pages, "first@assay.test");
});
beforeEach(async () => {
  pages.reset();
  account = await anotherAccount(pages);
  visitor = await signedIn(pages, account);
});
afterAll(() => pages.stop());

const complete = { do: "save", url: "https://shop.example/", every: "weekly" };
const send = (fields: Readonly<Record<string, string>>, to = path) => visitor.post(to, { ...complete, ...fields }, to);
const stored = () => pages.store.sites.list(account.id);
const editPath = (id: number | undefined) => `/sites/${id}/edit`;
const editForm = async (id: number | undefined) => mainOf(await (await visitor.get(editPath(id))).text());
/** Sends the form of a stored site as it is now, with these fields. */
const edit = async (id: number | undefined, fields: Readonly<Record<string, string>>) =>
  send({ version: inputValueOf(await editForm(id), "version"), ...fields }, editPath(id));

/** Error text of a field, which is marked as invalid. */
function errorOf(html: string, field: string): string {
  expect(html).toMatch(new RegExp(`<(input|select|textarea) id="${field}"[^>]*aria-invalid="true"`));
  return new RegExp(`id="${field}-error">[\\s\\S]*?</svg>([^<]*)<`).exec(html)?.[1] ?? "";
}

test("a site is added with all its fields, and the clock is notified", async () => {
  const answer = await send({
    url: "shop.example",
    name: " Shop ",
    client: "Acme",
    tags: "live, shop,,live",
    pages: "/cart\r\n\r\nhttps://shop.example/help?x=1",
    every: "cron",
    cron: "30  2 * * 1",
    zone: "Europe/Berlin",
  });
  expect(answer.headers.get("location")).toBe(`/sites/${stored()[0]?.id}?done=added`);
  expect(stored()).toEqual([
    expect.objectContaining({
      name: "Shop",
      url: "https://shop.example/",
      pages: ["https://shop.example/cart", "https://shop.example/help?x=1"],
      client: "Acme",
      tags: ["live", "shop"],
      schedule: { cron: "30 2 * * 1", zone: "Europe/Berlin" },
      paused: false,
    }),
  ]);
  expect(pages.clockWoken).toBe(1);
});

test("name and schedule have defaults; an interval starts at once", async () => {
  await send({ every: "daily" });
  const [site] = stored();
  expect(site).toMatchObject({ name: "shop.example", schedule: { every: "daily" }, client: null, tags: [] });
  expect(Date.parse(site?.nextRunAt ?? "")).toBeLessThanOrEqual(Date.now());
});

test.each([
  ["url", { url: "" }, "Type the address of a page"],
  ["url", { url: "not an address" }, "cannot contain spaces"],
  ["url", { url: "me@example.org" }, "This is an email address."],
  ["url", { url: `https://${refusedHost}/` }, "must not connect to this address"],
  ["url", { url: "https://shop.example/?token=8f2e6c1b9d4a7f3e5b0c" }, "seems to contain a secret"],
  ["name", { name: "x".repeat(101) }, "longer than 100 characters"],
  ["name", { name: "a\u202eb" }, "change the direction"],
  ["client", { client: "x".repeat(101) }, "longer than 100 characters"],
  ["tags", { tags: `a, ${"x".repeat(41)}` }, "Entry 2: This is longer than 40 characters."],
  ["tags", { tags: Array.from({ length: 21 }, (_none, at) => `t${at}`).join(",") }, "more than 20 entries"],
  ["pages", { pages: "https://other.example/" }, "Entry 1: This address has another scheme, host or port"],
  ["pages", { pages: "/a\n/a" }, "Entry 2: This address is listed already."],
  ["pages", { pages: Array.from({ length: 25 }, (_none, at) => `/${at}`).join("\n") }, "more than 24 entries"],
  ["location", { location: "mars" }, "does not scan from this location"],
  ["every", { every: "yearly" }, "Choose one of the intervals."],
  ["cron", { every: "cron", cron: "nonsense", zone: "UTC" }, "not a cron pattern of five fields"],
  ["cron", { every: "cron", cron: "*/5 * * * *", zone: "UTC" }, "more than once an hour"],
  ["cron", { every: "cron", cron: "0 0 31 2 *", zone: "UTC" }, "never runs"],
  ["zone", { every: "cron", cron: "0 2 * * *", zone: "Mars/Olympus" }, "This time zone is unknown."],
])("the error is at %s for %j, and what was typed stays", async (field, fields, text) => {
  const answer = await send({ name: "kept name", ...fields } as Record<string, string>);
  const html = await answer.text();
  expect([answer.status, stored()]).toEqual([400, []]);
  expect(errorOf(html, field)).toContain(text);
  if (field !== "name") expect(inputValueOf(html, "name")).toBe("kept name");
});

test("an address that is watched already is refused", async () => {
  await send({});
  const answer = await send({ url: "SHOP.example" });
  expect([answer.status, errorOf(await answer.text(), "url")]).toEqual([400, "This address is watched already."]);
});

test("the plan limits the number of sites", async () => {
  const free = await accountIn(pages, "free@assay.test", { plan: "free" });
  visitor = await signedIn(pages, free);
  for (const name of ["a", "b", "c"]) expect((await send({ url: `${name}.example` })).status).toBe(303);
  const answer = await send({ url: "d.example" });
  const html = await answer.text();
  expect([answer.status, html.includes("The plan includes 3 sites, and all of them are in use.")]).toEqual([400, true]);
  expect(pages.store.sites.count(free.id)).toBe(3);
});

describe("the preview", () => {
  /** Instants of the next runs that the page shows. */
  const runsIn = (html: string) =>
    [...(/Nothing is saved yet[\s\S]*?<\/ol>/.exec(html)?.[0] ?? "").matchAll(/datetime="([^"]+)"/g)].map(([, at]) => at ?? "");

  test("shows three runs in UTC, and saves nothing", async () => {
    const answer = await send({ do: "preview", every: "cron", cron: "30 2 * * 1", zone: "Europe/Berlin" });
    const html = await answer.text();
    const runs = runsIn(html);
    expect([answer.status, runs.length, stored()]).toEqual([200, 3, []]);
    expect(runs.every((at) => new Date(at).getUTCMinutes() === 30 && [0, 1].includes(new Date(at).getUTCHours()))).toBe(true);
    expect(inputValueOf(html, "cron")).toBe("30 2 * * 1");
    expect(html).toContain('<details class="part" open');
  });

  test("of an interval begins at once", async () => {
    const html = await (await send({ do: "preview", every: "daily" })).text();
    expect(runsIn(html)).toHaveLength(2);
    expect(html).toContain("as soon as there is capacity");
  });

  test("of a wrong schedule is its error", async () => {
    const answer = await send({ do: "preview", every: "cron", cron: "* * * * *", zone: "UTC" });
    expect([answer.status, errorOf(await answer.text(), "cron")]).toEqual([400, expect.stringContaining("more than once an hour")]);
  });

  test("of a stored site that is paused shows what would come", async () => {
    const site = await addSite(pages.store, { accountId: account.id, url: "https://shop.example/", paused: true, now: new Date() });
    const html = await (await send({ do: "preview", every: "daily" }, `/sites/${site.id}/edit`)).text();
    expect(runsIn(html)).toHaveLength(3);
    expect(stored()).toEqual([site]);
  });
});

describe("editing", () => {
  test("starts with the stored values, and changes only what was typed", async () => {
    await send({ name: "Shop", client: "Acme", tags: "a,b", pages: "/cart", every: "cron", cron: "0 4 * * *", zone: "UTC" });
    const [before] = stored();
    const html = await editForm(before?.id);
    expect(["url", "name", "client", "tags", "cron", "zone"].map((name) => inputValueOf(html, name))).toEqual([
      "https://shop.example/",
      "Shop",
      "Acme",
      "a, b",
      "0 4 * * *",
      "UTC",
    ]);
    expect(html).toContain(">https://shop.example/cart</textarea>");
    const same = { url: "https://shop.example/", name: "Shop", client: "Acme", tags: "a, b", pages: "/cart" };
    await edit(before?.id, { ...same, every: "cron", cron: "0 4 * * *", zone: "UTC", name: "New" });
    expect(stored()).toEqual([{ ...before, name: "New" }]);
  });

  test("keeps a pause", async () => {
    const site = await addSite(pages.store, { accountId: account.id, url: "https://shop.example/", paused: true, now: new Date() });
    await edit(site.id, { every: "hourly" });
    expect(stored()).toEqual([expect.objectContaining({ paused: true, nextRunAt: null, schedule: { every: "hourly" } })]);
  });

  test("keeps a location that has no workers any more, until another one is chosen", async () => {
    const url = "https://shop.example/";
    const site = await addSite(pages.store, { accountId: account.id, url, location: "berlin", now: new Date() });
    expect(await editForm(site.id)).toContain('<option value="berlin" selected');
    await edit(site.id, { tags: "live" });
    await edit(site.id, { tags: "live, shop", location: "berlin" });
    expect(stored()).toEqual([expect.objectContaining({ location: "berlin", tags: ["live", "shop"] })]);
    expect((await edit(site.id, { location: "tokyo" })).status).toBe(400);
    await edit(site.id, { location: "local" });
    expect([stored()[0]?.location, (await send({ url: "https://new.example/", location: "berlin" })).status]).toEqual(["local", 400]);
  });

  test("refuses what somebody else would lose by it, keeps what was typed, and saves it then", async () => {
    const site = await addSite(pages.store, { accountId: account.id, url: "https://shop.example/", now: new Date() });
    const version = inputValueOf(await editForm(site.id), "version");
    await pages.store.sites.change(account.id, site.id, () => ({ client: "Acme", trend: [50] }));
    const answer = await send({ version, name: "Typed" }, editPath(site.id));
    const html = mainOf(await answer.text());
    expect([answer.status, html.includes("Someone has changed this site"), inputValueOf(html, "name")]).toEqual([409, true, "Typed"]);
    expect(stored()).toEqual([expect.objectContaining({ name: "shop.example", client: "Acme" })]);
    await send({ version: inputValueOf(html, "version"), name: "Typed" }, editPath(site.id));
    expect(stored()).toEqual([expect.objectContaining({ name: "Typed", client: null })]);
  });

  test("begins anew with another address", async () => {
    const site = await addSite(pages.store, { accountId: account.id, url: "https://shop.example/", now: new Date() });
    await measureOften(pages.store, site, [{ at: new Date(), shows: "bare" }]);
    const later = new Date(Date.now() + 86_400_000).toISOString();
    await pages.store.sites.change(account.id, site.id, () => ({ nextRunAt: later, secondLookAt: later }));
    await edit(site.id, { url: "https://other.example/", name: "Shop" });
    const [changed] = stored();
    expect(changed).toMatchObject({ url: "https://other.example/", reading: null, trend: [], secondLookAt: null, failingSince: null });
    expect(Date.parse(changed?.nextRunAt ?? "")).toBeLessThanOrEqual(Date.now());
    expect(pages.store.siteRuns.state(site.id)).toEqual(newSiteState);
    expect(pages.store.siteRuns.history(site.id)).toHaveLength(1);
  });

  test("does not lose a cron pattern that was typed without its choice", async () => {
    const answer = await send({ cron: "0 4 * * *", zone: "UTC" });
    expect([answer.status, errorOf(await answer.text(), "every")]).toEqual([
      400,
      "Choose &quot;at the times below&quot; above to use this pattern, or empty the field.",
    ]);
    await send({ every: "cron", cron: "0 4 * * *", zone: "UTC" });
    await edit(stored()[0]?.id, { every: "daily", cron: "0 4 * * *", zone: "UTC" });
    expect(stored()[0]?.schedule).toEqual({ every: "daily" });
  });

  test("refuses the address of another site", async () => {
    const site = await addSite(pages.store, { accountId: account.id, url: "https://one.example/", now: new Date() });
    await addSite(pages.store, { accountId: account.id, url: "https://two.example/", now: new Date() });
    const answer = await edit(site.id, { url: "https://two.example/" });
    expect([answer.status, errorOf(await answer.text(), "url")]).toEqual([400, "This address is watched already."]);
  });
});

test("a link can fill in address and client", async () => {
  const html = await (await visitor.get(`${path}?url=shop.example&client=${encodeURIComponent('A"><b>')}`)).text();
  expect(inputValueOf(html, "url")).toBe("shop.example");
  expect(html).not.toContain("<b>");
});

test("a form without one of its buttons is refused", async () => {
  expect((await send({ do: "" })).status).toBe(400);
});
