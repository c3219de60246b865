/** The list of an account with 1,000 watched sites: its size at each width, its overview, its pages, and its use by keyboard. */
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Locale } from "../../../src/check/check.ts";
import { addManySites } from "../../support/many-sites.ts";
import { axeComplaints, clippedComplaints, narrow, overflowComplaints, spaceText, typeComplaints } from "./accessible.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { tab } from "./input.ts";
import { overlapComplaints } from "./overlap.ts";
import { desktop, openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
const count = 1_000;
const widths = [320, 360, 768, desktop.width];
/** Limits by rows of a page: CSS pixels and nodes of the document, with its texts. */
const limits = [
  { rows: 50, heightMax: 3_400, nodesMax: 4_000 },
  { rows: 100, heightMax: 5_600, nodesMax: 7_000 },
];
const rowHeightMax = 44;

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
        await addManySites(store, { accountId: account.id, count, now });
      },
    }),
    openVisitors(),
  ]);
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await server.stop();
});

async function opened(path: string, options: { readonly script?: false; readonly locale?: Locale } = {}): Promise<Visitor> {
  const visitor = await visitors.visitor({ origin: server.origin, session, ...options });
  await visitor.open(path);
  return visitor;
}

async function shows(page: Page, query: string): Promise<void> {
  await page.waitForFunction((query) => location.search === query && document.querySelector("[aria-busy]") === null, {}, query);
}

const focused = (page: Page) => page.$eval(":focus", (element) => element.getAttribute("aria-label") ?? element.textContent ?? "");
const countText = (page: Page) => page.$eval("[data-site-count]", (element) => element.textContent);

describe.each(["en-gb", "de-de"] as const)("in %s", (locale) => {
  test.each(limits)("$rows rows keep their limits", async ({ rows, heightMax, nodesMax }) => {
    const { page, close } = await opened(`/sites?rows=${rows}&select=all`, { locale });
    const found = await page.evaluate(() => {
      const walker = document.createTreeWalker(document);
      let nodes = 1;
      while (walker.nextNode() !== null) nodes += 1;
      const heights = [...document.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect().height);
      return { nodes, height: document.documentElement.scrollHeight, rows: heights.length, rowHeight: Math.max(...heights) };
    });
    expect(found.rows).toBe(rows);
    expect(found.nodes).toBeLessThanOrEqual(nodesMax);
    expect(found.height).toBeLessThanOrEqual(heightMax);
    expect(found.rowHeight).toBeLessThanOrEqual(rowHeightMax);
    await close();
  });

  test.each(widths)("%d px have no fault", async (width) => {
    const { page, complaints, close } = await opened("/sites?state=unconfirmed", { locale });
    await page.setViewport({ ...desktop, width });
    const layout = [await overflowComplaints(page), await overlapComplaints(page), await typeComplaints(page)];
    expect([...layout.flat(), ...(await axeComplaints(page)), ...complaints]).toEqual([]);
    await close();
  });

  test("spaced texts at 400 % zoom have no fault", async () => {
    const { page, close } = await opened("/sites", { locale });
    await page.setViewport(narrow);
    await spaceText(page);
    expect([...(await overflowComplaints(page)), ...(await clippedComplaints(page))]).toEqual([]);
    await close();
  });
});

test("figures of the overview, the pages and the back button need no reload", async () => {
  const { page, complaints, close } = await opened("/sites");
  await page.evaluate(() => document.body.setAttribute("data-same", ""));
  const figure = Number(await page.$eval("#mark-failing strong", (element) => element.textContent));
  await page.click("#mark-failing");
  await shows(page, "?state=failing");
  expect([await countText(page), await page.$eval("select[name=state]", ({ value }) => value)]).toEqual([
    `1 to ${Math.min(50, figure)} of ${figure} sites`,
    "failing",
  ]);
  // A second click takes it back.
  await page.click("#mark-failing");
  await shows(page, "");
  await page.click("#page-20");
  await shows(page, "?page=20");
  expect([await countText(page), await page.$eval(":focus", ({ id }) => id)]).toEqual([
    "951 to 1000 of 1,000 sites".replace("1000", "1,000"),
    "list",
  ]);
  await page.goBack();
  await shows(page, "");
  expect([await countText(page), await page.$eval("body", (body) => body.hasAttribute("data-same")), complaints]).toEqual([
    "1 to 50 of 1,000 sites",
    true,
    [],
  ]);
  await close();
});

test("the head stays in sight, and hides no focus", async () => {
  const { page, close } = await opened("/sites");
  await page.focus("tbody tr:nth-child(40) th a");
  await page.keyboard.down("Shift");
  for (let row = 0; row < 30; row++) await tab(page);
  await page.keyboard.up("Shift");
  const [head, focus] = await page.evaluate(() =>
    ["thead th", ":focus"].map((selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON() as DOMRect),
  );
  expect(head?.top).toBeGreaterThanOrEqual(-1);
  expect(focus?.top).toBeGreaterThanOrEqual(head?.bottom ?? 0);
  await close();
});

test("arrow keys lead from row to row, and the shift key chooses a range", async () => {
  const { page, close } = await opened("/sites");
  const boxes = await page.$$eval("tbody input", (inputs) => inputs.map((input) => input.getAttribute("aria-label") ?? ""));
  await page.focus("tbody input");
  await page.keyboard.press("ArrowDown");
  expect(await focused(page)).toBe(boxes[1]);
  await page.keyboard.press("Space");
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Shift");
  expect([await focused(page), await page.$eval("[data-picked]", (element) => element.textContent)]).toEqual([boxes[3], "3 chosen"]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowUp");
  expect(await focused(page)).toBe(await page.$eval("tbody tr:nth-child(3) th a", (link) => link.textContent));
  await page.click("[data-pick-page]");
  expect(await page.$$eval("tbody input:checked", ({ length }) => length)).toBe(50);
  await close();
});

test("without script, all sites of a filter can be chosen", async () => {
  const { page, close } = await opened("/sites", { script: false });
  await Promise.all([page.waitForNavigation(), page.click("#band-excellent")]);
  const all = await countText(page);
  await page.click("[data-bulk] summary");
  await Promise.all([page.waitForNavigation(), page.click("#pick-all")]);
  const chosen = await page.$eval("input[name=sites]", ({ value }) => value.split(" ").length);
  expect([all, await page.$$eval("tbody input:checked:disabled", ({ length }) => length)]).toEqual([`1 to 50 of ${chosen} sites`, 50]);
  await close();
});
