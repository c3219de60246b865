/** Choice of a location by keyboard and without script, and the wait for its worker, followed live. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { locales } from "../../../src/check/check.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";
import { axeComplaints, overflowComplaints } from "./accessible.ts";
import { leaving, submit } from "./forms.ts";
import { layoutWidths, overlapComplaints } from "./overlap.ts";
import { desktop, openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
const longest = "customer-network-of-example-ltd1";

let absentSince: Date | null = null;
let pages: PagesUnderTest;
let visitors: Visitors;

beforeAll(async () => {
  const locations = {
    names: () => ["berlin", longest],
    capacity: () => 2,
    absentSince: () => absentSince,
    provers: () => ({ present: 1, unable: [] }),
  };
  [pages, visitors] = await Promise.all([startPages({ scanning: { locations } }), openVisitors()]);
}, startMsMax);
afterAll(async () => {
  await visitors.close();
  await pages.stop();
});

const locationsQueued = () => pages.store.scans.queuedLocations();
const isShown = ({ page }: Visitor) => page.$eval("[data-absence]", (element) => (element as HTMLElement).checkVisibility());

test(
  "a location is chosen by keyboard, and its missing worker is told until one comes",
  async () => {
    absentSince = new Date("2026-11-22T14:05:00Z");
    const visitor = await visitors.visitor({ origin: pages.url });
    const { page } = visitor;
    await visitor.open("/");
    await page.focus("#url");
    await page.keyboard.type("site.test");
    await page.keyboard.press("Tab");
    await page.keyboard.type("b");
    await page.keyboard.press("Tab");
    await leaving(page, () => page.keyboard.press("Enter"));
    expect(locationsQueued()).toEqual(["berlin"]);
    expect(await page.$eval("h1 + .lead", (element) => element.textContent)).toContain("Location: berlin");
    expect([await isShown(visitor), await page.$eval("[data-absence] p", (element) => element.textContent)]).toEqual([
      true,
      expect.stringContaining("22 Nov 2026, 14:05 UTC"),
    ]);
    const stays = await page.evaluate(() => Object.assign(window, { stays: true }).stays);
    absentSince = null;
    await page.waitForFunction(() => !document.querySelector<HTMLElement>("[data-absence]")?.checkVisibility());
    expect(await page.evaluate(() => "stays" in window)).toBe(stays);
    await visitor.open("/");
    expect(await page.$eval("#location", (element) => (element as HTMLSelectElement).value)).toBe("berlin");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  },
  startMsMax,
);

test(
  "the form needs no script, and fits every width in both languages",
  async () => {
    for (const locale of locales) {
      const visitor = await visitors.visitor({ origin: pages.url, locale, script: false });
      await visitor.open("/");
      const { status } = await submit(visitor.page, { url: `${locale}.test`, location: longest });
      expect([status, locationsQueued()]).toEqual([200, ["berlin", longest].sort()]);
      await visitor.close();
      const reader = await visitors.visitor({ origin: pages.url, locale });
      await reader.open(`/?location=${longest}`);
      for (const width of layoutWidths) {
        await reader.page.setViewport({ ...desktop, width });
        const complaints = [...(await overflowComplaints(reader.page)), ...(await overlapComplaints(reader.page))];
        expect([width, complaints]).toEqual([width, []]);
      }
      expect(await axeComplaints(reader.page)).toEqual([]);
      await reader.close();
    }
  },
  startMsMax,
);
