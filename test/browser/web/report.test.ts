/** A report in a real browser: filters, collapsed sections and buttons, with and without script. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { dayMs } from "../../../src/base/units.ts";
import { countShownStates } from "../../../src/text/ledger-rows.ts";
import { knownScans, landmarkKeys, storeSite } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { axeComplaints, narrow, overflowComplaints } from "./accessible.ts";
import { leaving } from "./forms.ts";
import { layoutWidths, overlapComplaints } from "./overlap.ts";
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
  return page.$$eval("[data-ledger] li[id]", (rows) => {
    const shown = rows.filter((row) => row.checkVisibility());
    return {
      states: [...new Set(shown.map((row) => row.closest("[data-state]")?.getAttribute("data-state")))].sort(),
      count: shown.length,
    };
  });
}
/** Ledger counts of the site in the report. */
const counts = countShownStates(knownScans.silent.result.ledger);
const addressOf = ({ page }: Visitor) => {
  const { search, hash } = new URL(page.url());
  return search + hash;
};
const press = ({ page }: Visitor, selector: string) => page.locator(selector).click();

test("the ledger filter works in place and appears in the URL", async () => {
  await reader.open(path);
  await reader.page.evaluate(() => {
    document.body.dataset.stayed = "yes";
  });
  expect((await rowsShown(reader)).count).toBe(0);
  await press(reader, 'a[data-filter-state="violated"]');
  expect(await rowsShown(reader)).toEqual({ states: ["violated"], count: counts.violated });
  expect(addressOf(reader)).toBe("?state=violated#ledger");
  await press(reader, 'a[data-filter-state=""]');
  await reader.page.$$eval("[data-ledger] details", (areas) => {
    for (const area of areas) area.open = true;
  });
  expect((await rowsShown(reader)).count).toBe(landmarkKeys.length);
  expect(addressOf(reader)).toBe("#ledger");
  expect(await reader.page.evaluate(() => document.body.dataset.stayed)).toBe("yes");
});

/** Codes of visible rows of findings. */
const findingsShown = ({ page }: Visitor) =>
  page.$$eval("details.finding-row", (rows) => rows.filter((row) => row.checkVisibility()).length);
const openFindings = ({ page }: Visitor) => page.$$eval("details.finding-row[open]", (rows) => rows.length);
const findings = knownScans.silent.result.findings;

/** Presses Enter in the search field. Resolves when the browser has the new address, which a reload opens. */
async function rememberSearch({ page }: Visitor): Promise<void> {
  const remembered = new Promise((resolve) => page.once("framenavigated", resolve));
  await page.keyboard.press("Enter");
  await remembered;
}

test("findings are filtered and searched in place, with their number", async () => {
  await reader.open(path);
  expect(await findingsShown(reader)).toBe(findings.length);
  await reader.page.select('select[name="severity"]', "high");
  const high = findings.filter(({ severity }) => severity === "high").length;
  expect(await findingsShown(reader)).toBe(high);
  expect(await reader.page.$eval("[data-finding-count]", (text) => text.textContent)).toBe(`${high} of ${findings.length} shown`);
  expect(addressOf(reader)).toBe("?severity=high");
  await reader.page.select('select[name="severity"]', "");
  await reader.page.type('input[name="q"]', "Referrer-Policy");
  expect(await findingsShown(reader)).toBeLessThan(findings.length);
  expect(await findingsShown(reader)).toBeGreaterThan(0);
  await rememberSearch(reader);
  await reader.page.reload();
  expect(await reader.page.$eval('input[name="q"]', (field) => field.value)).toBe("Referrer-Policy");
});

test.each(["copy", "what to do", "effort", "add_header", "always;", "security.hsts", "referrer-policy"])(
  "a search for %s finds the same in place and after a reload",
  async (words) => {
    await reader.open(path);
    await reader.page.type('input[name="q"]', words);
    const inPlace = await findingsShown(reader);
    await rememberSearch(reader);
    await reader.page.reload();
    expect(inPlace).toBe(await findingsShown(reader));
    expect(inPlace).toBeLessThan(findings.length);
  },
);

test("three findings are open, and a link opens or closes all", async () => {
  await reader.open(path);
  expect(await openFindings(reader)).toBe(3);
  await press(reader, "a[data-expand]");
  expect(await openFindings(reader)).toBe(findings.length);
  expect(await reader.page.$eval("a[data-expand]", (link) => link.textContent)).toBe("Collapse all");
  await press(reader, "a[data-expand]");
  expect(await openFindings(reader)).toBe(0);
});

test.each(["with", "without"])("a code in the address opens its finding %s script", async (how) => {
  const visitor = await visitors.visitor({ origin: pages.url, locale: "en-gb", ...(how === "with" ? {} : { script: false }) });
  const code = findings.at(-1)?.code ?? "";
  await visitor.open(`${path}#${code}`);
  expect(await visitor.page.$eval(`[id="${code}"]`, (body) => body.checkVisibility())).toBe(true);
  await visitor.close();
});

test("a code outside the filter resets the filter", async () => {
  const low = findings.find(({ severity }) => severity === "low")?.code ?? "";
  await reader.open(`${path}?severity=high#${low}`);
  expect(await reader.page.$eval(`[id="${low}"]`, (body) => body.checkVisibility())).toBe(true);
  expect(await findingsShown(reader)).toBe(findings.length);
});

test("without script the findings are filtered, grouped and opened by the server", async () => {
  const plain = await visitors.visitor({ origin: pages.url, locale: "en-gb", script: false });
  await plain.open(path);
  await plain.page.select('select[name="severity"]', "high");
  await leaving(plain.page, () => plain.page.click("[data-finding-apply]"));
  expect(await findingsShown(plain)).toBe(findings.filter(({ severity }) => severity === "high").length);
  await plain.open(`${path}?group=area`);
  expect(await plain.page.$$eval("[data-finding-group] > h3", (groups) => groups.length)).toBeGreaterThan(1);
  expect(await findingsShown(plain)).toBe(findings.length);
  await plain.open(`${path}?open=all`);
  expect(await openFindings(plain)).toBe(findings.length);
  await plain.close();
});

test("notes have a filter of their own, and are no violated rows", async () => {
  await reader.open(path);
  await press(reader, 'a[data-filter-state="note"]');
  expect(await rowsShown(reader)).toEqual({ states: ["note"], count: counts.note });
  expect(addressOf(reader)).toBe("?state=note#ledger");
});

test("an empty filter result shows a message", async () => {
  await reader.open(path);
  await press(reader, 'a[data-filter-state="notChecked"]');
  expect((await rowsShown(reader)).count).toBe(0);
  expect(await reader.page.$eval("[data-ledger-empty]", (note) => note.checkVisibility())).toBe(true);
});

test("a count of a severity leads to its first finding", async () => {
  await reader.open(path);
  await press(reader, ".severity-counts li:last-child a");
  await reader.page.waitForFunction(() => document.querySelector(":target")?.checkVisibility());
  const severity = await reader.page.$eval(":target", (body) => body.closest("details")?.dataset.severity);
  expect(severity).toBe(await reader.page.$$eval("details.finding-row", (rows) => rows.at(-1)?.dataset.severity));
});

test("filters reload the page without script", async () => {
  const plain = await visitors.visitor({ origin: pages.url, locale: "en-gb", script: false });
  await plain.open(path);
  await leaving(plain.page, () => plain.page.click('a[data-filter-state="violated"]'));
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
  await reader.open(`${path}?open=all`);
  expect(await reader.page.$eval("#evidence-tls", (part) => part.checkVisibility())).toBe(false);
  await press(reader, '.finding-footer a[href="#evidence-tls"]');
  await reader.page.waitForFunction(() => document.querySelector("#evidence-tls")?.checkVisibility());
});

test("copy buttons copy their text", async () => {
  for (const name of ["clipboard-read", "clipboard-write"] as const) {
    await reader.page.browserContext().setPermission(pages.url, { permission: { name }, state: "granted" });
  }
  await reader.open(`${path}?open=all`);
  const copied = async (button: string) => {
    await press(reader, button);
    await reader.page.waitForFunction((selector) => document.querySelector(selector)?.textContent === "Copied", {}, button);
    return reader.page.evaluate(() => navigator.clipboard.readText());
  };
  await press(reader, "details.menu summary");
  expect(await copied('button[data-copy="#report-address"]')).toBe(`${pages.url}${path}`);
  const card = '[id="security.missing-header.content-security-policy"]';
  expect(await copied(`${card} .finding-footer button`)).toBe("security.missing-header.content-security-policy");
  await reader.open(`${path}?open=all&server=nginx`);
  expect(await copied(`${card} .lines button`)).toMatch(/^add_header Content-Security-Policy .* always;$/);
  await reader.page.$eval(".all-lines", (part) => part.setAttribute("open", ""));
  expect(await copied(".all-lines figure button")).toContain("add_header Content-Security-Policy ");
});

test("one menu is open at a time, until Escape or a click elsewhere closes it", async () => {
  await reader.open(path);
  const openMenus = () => reader.page.$$eval("details.menu[open] > summary", (buttons) => buttons.map(({ textContent }) => textContent));
  const [share, download] = [".actions .menu:not(:last-child) > summary", ".actions .menu:last-child > summary"];
  await press(reader, share);
  expect(await openMenus()).toEqual(["Share"]);
  await press(reader, download);
  expect(await openMenus()).toEqual(["Download"]);
  await reader.page.keyboard.press("Escape");
  expect(await openMenus()).toEqual([]);
  expect(await reader.page.evaluate(() => document.activeElement?.textContent)).toBe("Download");
  await press(reader, share);
  await press(reader, "h1");
  expect(await openMenus()).toEqual([]);
});

test("a tick changes the lines without a reload", async () => {
  await reader.open(`${path}?open=all&server=nginx`);
  await reader.page.$eval(".all-lines", (part) => part.setAttribute("open", ""));
  const shown = () => reader.page.$eval(".all-lines figure code", (code) => code.textContent ?? "");
  expect(await shown()).toContain("nosniff");
  await reader.page.evaluate(() => document.body.setAttribute("data-before", ""));
  await press(reader, 'form[data-ticks] input[value="security.missing-header.x-content-type-options"]');
  const isGone = () => document.querySelector(".all-lines figure code")?.textContent?.includes("nosniff") === false;
  await reader.page.waitForFunction(isGone);
  expect(await shown()).toContain("add_header Content-Security-Policy ");
  expect(await reader.page.$$eval("body[data-before]", (bodies) => bodies.length)).toBe(1);
});

test("a chosen server changes all lines and stays, with the filter", async () => {
  await reader.open(`${path}?severity=high`);
  await reader.page.select('select[name="server"]', "caddy");
  await leaving(reader.page, () => reader.page.click(".server-choice button"));
  expect(addressOf(reader)).toBe("?severity=high&server=caddy#server");
  const labels = () =>
    reader.page.$$eval(".finding-row .lines figcaption span", (spans) => [...new Set(spans.map((span) => span.textContent))]);
  expect(await labels()).toContain("Caddy");
  expect(await labels()).not.toContain("nginx");
  await reader.open(path);
  expect(await labels()).toContain("Caddy");
  const plain = await visitors.visitor({ origin: pages.url, locale: "en-gb", script: false });
  await plain.open(path);
  await plain.page.select('select[name="server"]', "explain");
  await leaving(plain.page, () => plain.page.click(".server-choice button"));
  expect(await plain.page.$(".all-lines")).toBeNull();
  await plain.close();
});

test.each([
  ["of a bare site", bare.token],
  ["of a hostile site", poisoned.token],
])("a report %s with all sections open is usable at every width", async (_site, token) => {
  await reader.open(`/scans/${token}`);
  // The menu lies over its neighbours.
  await reader.page.$$eval("details:not(.menu)", (parts) => {
    for (const part of parts) part.open = true;
  });
  expect(await axeComplaints(reader.page)).toEqual([]);
  await reader.page.setViewport(narrow);
  expect(await overflowComplaints(reader.page)).toEqual([]);
  for (const width of layoutWidths) {
    await reader.page.setViewport({ ...desktop, width });
    expect(await overlapComplaints(reader.page)).toEqual([]);
  }
  await reader.page.setViewport(desktop);
});

test("no page logged an error", () => {
  expect(reader.complaints).toEqual([]);
});

test.each([
  ["en-gb", true, "3 days ago"],
  ["de-de", true, "vor 3 Tagen"],
  ["en-gb", false, ""],
] as const)("times are in UTC, in %s with script %s also relative: %j", async (locale, script, relative) => {
  const { token: older } = await storeSite(pages.store, "plain", { at: new Date(Date.now() - 3 * dayMs), url: "https://older.example/" });
  const visitor = await visitors.visitor({ origin: pages.url, locale, ...(script ? {} : { script }) });
  await visitor.open("/scans?host=older.example");
  const row = `tr:has(a[href="/scans/${older}"])`;
  expect(await visitor.page.$eval(`${row} time`, (time) => time.textContent)).toMatch(/ UTC$/);
  const age = await visitor.page.$eval(`${row} .ago`, (ago) => [ago.textContent, ago.checkVisibility()]);
  expect(age).toEqual([relative, script]);
  await visitor.close();
});
