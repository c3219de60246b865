/** The list of watched sites in the browser: filter, order and choice without a reload, and the same without script. */
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElementHandle, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addSite } from "../../support/watched-sites.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { submit } from "./forms.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
const scores = [55, 100, 9] as const;

let server: Appliance;
let visitors: Visitors;
let session = "";

beforeAll(async () => {
  [server, visitors] = await Promise.all([
    startAppliance({
      fill: async (store) => {
        const now = new Date();
        const account = await store.accounts.create({ email: "agency@assay.test", plan: "agency", now });
        if (typeof account === "string") throw new Error(account);
        const device = { userAgent: "test", address: "127.0.0.1" };
        session = (await store.sessions.open({ accountId: account.id, verifiedPasswordHash: null, origin: device, now }))?.value ?? "";
        const later = new Date(now.getTime() + 86_400_000).toISOString();
        for (const [at, score] of scores.entries()) {
          const client = at === 0 ? "Acme" : "Other";
          const site = await addSite(store, { accountId: account.id, url: `https://site-${at}.example/`, client, tags: [`t${at}`], now });
          const band = score >= 80 ? "good" : score >= 50 ? "warn" : "poor";
          const reading = {
            token: "t".repeat(22),
            at: now.toISOString(),
            score,
            band,
            rank: "fair",
            open: at,
            certificateExpiresAt: null,
          } as const;
          await store.sites.change(account.id, site.id, () => ({ reading, nextRunAt: later }));
        }
        await addSite(store, { accountId: account.id, url: "https://unmeasured.example/", paused: true, now });
      },
    }),
    openVisitors(),
  ]);
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await server.stop();
});

async function listed(path = "/sites", options: { readonly script?: false } = {}): Promise<Visitor> {
  const visitor = await visitors.visitor({ origin: server.origin, session, ...options });
  await visitor.open(path);
  // Gone after a reload.
  if (options.script !== false) await visitor.page.evaluate(() => document.body.setAttribute("data-same", ""));
  return visitor;
}

function names(page: Page): Promise<readonly string[]> {
  return page.$$eval("tbody tr", (rows) =>
    rows.filter((row) => row.checkVisibility()).map((row) => row.querySelector("th a")?.textContent ?? ""),
  );
}

/** Waits until the page shows the answer to that query, which the address then has. */
async function shows(page: Page, query: string): Promise<void> {
  await page.waitForFunction((query) => location.search === query && document.querySelector("[aria-busy]") === null, {}, query);
}

const isSamePage = (page: Page) => page.$eval("body", (body) => body.hasAttribute("data-same"));
const query = (page: Page) => new URL(page.url()).search;
const checked = (page: Page) => page.$$eval("tbody input:checked", (boxes) => boxes.length);

test("typing and choosing filter the rows in place; the address keeps the filter", async () => {
  const { page, complaints, close } = await listed();
  await page.type("input[name=q]", "SITE-");
  await shows(page, "?q=SITE-");
  expect(await names(page)).toEqual(["site-0.example", "site-1.example", "site-2.example"]);
  await page.select("select[name=client]", "Other");
  await shows(page, "?q=SITE-&client=Other");
  expect(await names(page)).toEqual(["site-1.example", "site-2.example"]);
  await page.select("select[name=band]", "poor");
  await shows(page, "?q=SITE-&client=Other&band=poor");
  expect(await names(page)).toEqual(["site-2.example"]);
  expect(await page.$eval("[data-site-count]", (count) => count.textContent)).toBe("1 to 1 of 1 site");
  await page.select("select[name=tag]", "t0");
  await shows(page, "?q=SITE-&client=Other&tag=t0&band=poor");
  expect([await names(page), await page.$eval("[data-site-none]", (none) => none.checkVisibility())]).toEqual([[], true]);
  await page.click("[data-part=reset] a");
  await shows(page, "");
  expect([(await names(page)).length, query(page), await isSamePage(page), complaints]).toEqual([4, "", true, []]);
  await close();
});

test("a reload shows the same rows, and a wider filter needs none", async () => {
  const { page, close } = await listed("/sites?client=Acme&sort=score&dir=desc");
  expect(await names(page)).toEqual(["site-0.example"]);
  await page.select("select[name=client]", "");
  await shows(page, "?sort=score&dir=desc");
  expect(await names(page)).toEqual(["site-1.example", "site-0.example", "site-2.example", "unmeasured.example"]);
  expect([query(page), await isSamePage(page)]).toEqual(["?sort=score&dir=desc", true]);
  await close();
});

function queryOf(sort: string, direction: string): string {
  const params = new URLSearchParams([
    ...(sort === "name" ? [] : [["sort", sort]]),
    ...(direction === "descending" ? [["dir", "desc"]] : []),
  ]);
  return params.size === 0 ? "" : `?${params}`;
}

test.each(["score", "open", "client", "next", "name"])("a click on the header sorts by %s as the server does", async (sort) => {
  const { page, complaints, close } = await listed("/sites?sort=last");
  for (const direction of ["ascending", "descending"]) {
    await page.click(`a[data-sort=${sort}]`);
    await shows(page, queryOf(sort, direction));
    const header = await page.$eval("th[aria-sort]", (cell) => [cell.getAttribute("aria-sort"), cell.querySelector("a")?.dataset.sort]);
    expect([header, await isSamePage(page)]).toEqual([[direction, sort], true]);
    const other = await listed(`/sites${query(page)}`);
    expect(await names(page)).toEqual(await names(other.page));
    await other.close();
  }
  expect(complaints).toEqual([]);
  await close();
});

test("an action reaches only the rows that are seen, and keeps the filter", async () => {
  const { page, close } = await listed();
  await page.click("[data-bulk] summary");
  await page.click("#pick-page");
  await page.waitForSelector("tbody input:checked");
  expect([await checked(page), await page.$eval("[data-picked]", (text) => text.textContent)]).toEqual([4, "4 chosen"]);
  await page.select("select[name=client]", "Acme");
  await shows(page, "?client=Acme");
  expect([await checked(page), await isSamePage(page)]).toEqual([1, true]);
  const { status, html } = await submit(page, { do: "tag", value: "picked" }, { form: "#bulk" });
  expect([status, query(page), html.includes("The tag was added to 1 site.")]).toEqual([200, "?client=Acme&done=tag&count=1", true]);
  await page.click("[data-bulk] summary");
  await page.click("#pick-page");
  await page.waitForSelector("tbody input:checked");
  await page.click("#pick-none");
  await page.waitForSelector("tbody:not(:has(input:checked))");
  await close();
});

test("without script the form and the links do the same", async () => {
  const { page, close } = await listed("/sites", { script: false });
  await page.type("input[name=q]", "site-");
  await page.select("select[name=client]", "Other");
  await Promise.all([page.waitForNavigation(), page.click("[data-site-apply]")]);
  expect(await names(page)).toEqual(["site-1.example", "site-2.example"]);
  await Promise.all([page.waitForNavigation(), page.click("a[data-sort=score]")]);
  expect(await names(page)).toEqual(["site-2.example", "site-1.example"]);
  await page.click("[data-bulk] summary");
  await Promise.all([page.waitForNavigation(), page.click("#pick-page")]);
  expect(await checked(page)).toBe(2);
  await close();
});

test("a chosen file is read into the text area, in the encoding of spreadsheets too", async () => {
  const file = join(tmpdir(), `assay-import-${process.pid}.csv`);
  writeFileSync(file, Buffer.from("url;name\nneu.example;K\u00e4se", "latin1"));
  const { page, close } = await listed("/sites/import");
  const input = (await page.$("input[type=file]")) as ElementHandle<HTMLInputElement>;
  await input.uploadFile(file);
  await page.waitForFunction(() => document.querySelector("textarea")?.value !== "");
  expect(await page.$eval("textarea", ({ value }) => value)).toBe("url;name\nneu.example;K\u00e4se");
  const { html } = await submit(page, {}, { form: "form:has(textarea)" });
  expect(html).toContain("1 site can be added.");
  rmSync(file);
  await close();
});
