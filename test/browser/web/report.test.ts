/** A report in a real browser: filters, collapsed sections and buttons, with and without script. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { countShownStates } from "../../../src/text/row-state.ts";
import { knownScans, landmarkKeys, storeSite } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { axeComplaints, narrow, overflowComplaints } from "./accessible.ts";
import { desktop, openVisitors, type Visitor } from "./visitors.ts";

const pages = await startPages();
const visitors = await openVisitors();
const { token } = await storeSite(pages.store, "silent", { at: new Date() });
const bare = await storeSite(pages.store, "bare", { at: new Date() });
const poisoned = await storeSite(pages.store, "bare", { at: new Date(), ...poisonedScan() });
const path = `/scans/${token}`;
let reader: Visitor;

beforeAll(async () => {
  reader = await visitors.visitor({ origin: pages.url, locale: "en-gb" });
});
afterAll(async () => {
  await visitors.close();
  await pages.stop();
});

/** Distinct states of visible rows, and the number of rows. */
function rowsShown({ page }: Visitor) {
  return page.$$eval("[data-ledger] tr[data-state]", (rows) => {
    const shown = rows.filter((row) => row.checkVisibility());
    return { states: [...new Set(shown.map((row) => row.getAttribute("data-state")))].sort(), count: shown.length };
  });
}
/** Of the site in the report. */
const counts = countShownStates(knownScans.silent.result.ledger);
const addressOf = ({ page }: Visitor) => {
  const { search, hash } = new URL(page.url());
  return search + hash;
};
const press = ({ page }: Visitor, selector: string) => page.locator(selector).click();

test("filters work in place, combine, and appear in the URL", async () => {
  await reader.open(path);
  await reader.page.evaluate(() => {
    document.body.dataset.stayed = "yes";
  });
  await press(reader, 'section a[data-filter-state="violated"]');
  expect(await rowsShown(reader)).toEqual({ states: ["violated"], count: counts.violated });
  await press(reader, 'a[data-filter-area="headers"]');
  expect(await rowsShown(reader)).toEqual({ states: ["violated"], count: 5 });
  expect(addressOf(reader)).toBe("?state=violated&area=headers#ledger");
  expect(await reader.page.$$eval("[data-ledger] tbody", (groups) => groups.filter((group) => group.checkVisibility()).length)).toBe(1);
  await press(reader, 'section a[data-filter-state=""]');
  await press(reader, 'a[data-filter-area=""]');
  expect((await rowsShown(reader)).count).toBe(landmarkKeys.length);
  expect(addressOf(reader)).toBe("#ledger");
  expect(await reader.page.evaluate(() => document.body.dataset.stayed)).toBe("yes");
});

test("notes have a filter of their own, and are no violated rows", async () => {
  await reader.open(path);
  await press(reader, 'section a[data-filter-state="note"]');
  expect(await rowsShown(reader)).toEqual({ states: ["note"], count: counts.note });
  expect(addressOf(reader)).toBe("?state=note#ledger");
});

test("an empty filter result shows a message", async () => {
  await reader.open(path);
  await press(reader, 'section a[data-filter-state="notChecked"]');
  expect((await rowsShown(reader)).count).toBe(0);
  expect(await reader.page.$eval("[data-ledger-empty]", (note) => note.checkVisibility())).toBe(true);
});

test("counts above link to the ledger and move the focus", async () => {
  await reader.open(path);
  await press(reader, 'nav a[data-filter-state="passed"]');
  expect(await reader.page.evaluate(() => document.activeElement?.id)).toBe("ledger");
  expect((await rowsShown(reader)).states).toEqual(["passed"]);
});

test("filters reload the page without script", async () => {
  const plain = await visitors.visitor({ origin: pages.url, locale: "en-gb", script: false });
  await plain.open(path);
  await Promise.all([plain.page.waitForNavigation(), plain.page.click('section a[data-filter-state="violated"]')]);
  expect(addressOf(plain)).toBe("?state=violated#ledger");
  expect(await rowsShown(plain)).toEqual({ states: ["violated"], count: counts.violated });
  expect(
    await plain.page.$$eval("button[data-copy], button[data-print]", (buttons) => buttons.filter((button) => !button.hidden).length),
  ).toBe(0);
  await plain.close();
});

test("a link to a hidden row resets the filter", async () => {
  await reader.open(`${path}?state=violated#deprecated-headers`);
  expect(await reader.page.$eval("#deprecated-headers", (row) => row.checkVisibility())).toBe(true);
});

test("a link to evidence opens it", async () => {
  await reader.open(path);
  expect(await reader.page.$eval("#evidence-tls", (part) => part.checkVisibility())).toBe(false);
  await press(reader, '.finding-footer a[href="#evidence-tls"]');
  await reader.page.waitForFunction(() => document.querySelector("#evidence-tls")?.checkVisibility());
});

test("copy buttons copy their text", async () => {
  for (const name of ["clipboard-read", "clipboard-write"] as const) {
    await reader.page.browserContext().setPermission(pages.url, { permission: { name }, state: "granted" });
  }
  await reader.open(path);
  const copied = async (button: string) => {
    await press(reader, button);
    await reader.page.waitForFunction((selector) => document.querySelector(selector)?.textContent === "Copied", {}, button);
    return reader.page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied('button[data-copy="#report-address"]')).toBe(`${pages.url}${path}`);
  const card = '[id="security.missing-header.content-security-policy"]';
  expect(await copied(`${card} .finding-footer button`)).toBe("security.missing-header.content-security-policy");
  await press(reader, `${card} details.paste summary`);
  expect(await copied(`${card} details.paste button`)).toMatch(/^add_header Content-Security-Policy .* always;$/);
});

test.each([
  ["of a bare site", bare.token],
  ["of a hostile site", poisoned.token],
])("a report %s with all sections open is usable, also on a narrow screen", async (_site, token) => {
  await reader.open(`/scans/${token}`);
  await reader.page.$$eval("details", (parts) => {
    for (const part of parts) part.open = true;
  });
  expect(await axeComplaints(reader.page)).toEqual([]);
  await reader.page.setViewport(narrow);
  expect(await overflowComplaints(reader.page)).toEqual([]);
  await reader.page.setViewport(desktop);
});

test("no page logged an error", () => {
  expect(reader.complaints).toEqual([]);
});
