/** Style sheet and script beyond the normal screen: print, forced colours, revealed passwords. */
import { afterAll, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { type CheckTexts, locales } from "../../../src/check/check.ts";
import type { PrintedForm } from "../../../src/export/export.ts";
import { writeHtml } from "../../../src/export/html.tsx";
import { exportedScan, exportSettings } from "../../support/exported-scans.ts";
import { knownScans, storeSite } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";
import { axeComplaints } from "./accessible.ts";
import { pdfPageTexts } from "./pdf-text.ts";
import { openVisitors, type Visitor } from "./visitors.ts";

const pages = await startPages();
const visitors = await openVisitors();
const { token } = await storeSite(pages.store, "shop", { at: new Date() });
await pages.store.accounts.create({ email: "somebody@assay.test", now: new Date() });
const report = `/scans/${token}`;

afterAll(async () => {
  await visitors.close();
  await pages.stop();
});

const inks = { light: "rgb(26, 25, 23)", dark: "rgb(238, 238, 236)" };
const inkOf = ({ page }: Visitor) => page.evaluate(() => getComputedStyle(document.body).color);

/** Visible elements of the selector. */
function seen({ page }: Visitor, selector: string): Promise<number> {
  return page.$$eval(selector, (elements) => elements.filter((element) => element.checkVisibility()).length);
}

/** Forced colours on a dark background, as of a high-contrast theme. */
async function forceColours({ page }: Visitor): Promise<void> {
  const devTools = await page.createCDPSession();
  const features = { "forced-colors": "active", "prefers-color-scheme": "dark" };
  await devTools.send("Emulation.setEmulatedMedia", { features: Object.entries(features).map(([name, value]) => ({ name, value })) });
}

/** Texts of the printed pages. */
async function printed({ page }: Visitor): Promise<readonly string[]> {
  return pdfPageTexts(await page.pdf({ preferCSSPageSize: true }));
}
/** Titles of the shop's findings; findings of low severity and for information are printed only on request. */
const titles = (printedByDefault: boolean) =>
  knownScans.shop.result.findings
    .filter(({ severity }) => printedByDefault === ["critical", "high", "medium"].includes(severity))
    .map(({ checkKey, code }) => (enGb.checks as Record<string, CheckTexts>)[checkKey]?.findings[code]?.title ?? "")
    .filter((title) => !title.includes("{{"));

test("print is light and expanded, without controls, also without script", async () => {
  const reader = await visitors.visitor({ origin: pages.url, script: false });
  await reader.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await reader.open(report);
  expect(await inkOf(reader)).toBe(inks.dark);
  expect(await seen(reader, ".site-header .print-only")).toBe(0);
  const serious = ".finding-row:not([data-severity=low], [data-severity=info])";
  const all = await reader.page.$$eval(serious, (rows) => rows.length);
  expect(await seen(reader, `${serious} > .finding-body`)).toBeLessThan(all);

  await reader.page.emulateMediaType("print");
  expect(await inkOf(reader)).toBe(inks.light);
  expect(await reader.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe("rgb(255, 255, 255)");
  expect(await seen(reader, `${serious} > .finding-body`)).toBe(all);
  expect(await seen(reader, "nav.breadcrumb, .site-header nav, .site-footer, button, form, .skip")).toBe(0);
  expect(await reader.page.$eval(".site-header .print-only", (address) => address.textContent)).toBe(`${pages.url}${report}`);
  await reader.close();
});

test.each([
  ["with", true],
  ["without", false],
])("%s script the shop prints on 6 to 8 pages with host, date and page number on each", async (_script, script) => {
  const reader = await visitors.visitor({ origin: pages.url, locale: "en-gb", ...(script ? {} : { script }) });
  await reader.open(report);
  const paper = await printed(reader);
  expect(paper.length).toBeGreaterThanOrEqual(6);
  expect(paper.length).toBeLessThanOrEqual(8);
  for (const [at, text] of paper.entries()) {
    expect(text).toMatch(/^ ?shop-muster\.org, \d+ \w+ \d{4}, \d\d:\d\d UTC /);
    expect(text).toContain(` ${at + 1} / ${paper.length} `);
  }
  // The summary fills the first page; the findings follow.
  expect(paper[0]).toContain("How the score comes about");
  expect(paper[0]).not.toContain("What to do");
  expect(paper[1]).toContain("What to do");
  const whole = paper.join(" ");
  expect(titles(true).filter((title) => !whole.includes(title))).toEqual([]);
  expect(titles(false).filter((title) => whole.includes(title))).toEqual([]);
  expect(whole).toContain("Not printed: findings of low severity");
  await reader.close();
});

test("the choice in the share menu prints all findings, checks and evidence", async () => {
  const reader = await visitors.visitor({ origin: pages.url, locale: "en-gb", script: false });
  await reader.open(report);
  const short = await printed(reader);
  await reader.page.click(".menu > summary");
  await reader.page.click("#print-all");
  const whole = await printed(reader);
  expect(whole.length).toBeGreaterThan(short.length);
  const text = whole.join(" ");
  expect([...titles(true), ...titles(false)].filter((title) => !text.includes(title))).toEqual([]);
  expect(text).toContain("Negotiated");
  expect(text).not.toContain("Not printed:");
  expect(short.join(" ")).not.toContain("Negotiated");
  await reader.close();
});

test.each(locales)("the PDF file has no more pages than the printed report, and the long form all findings, in %s", async (locale) => {
  const reader = await visitors.visitor({ origin: pages.url, locale, script: false });
  await reader.open(report);
  const paper = await printed(reader);
  const fileOf = async (printedForm: PrintedForm) => {
    const html = writeHtml([exportedScan("shop")], exportSettings({ locale, printed: printedForm, origin: pages.url }));
    // The policy of the report page would refuse another content.
    await reader.page.goto("about:blank");
    await reader.page.setContent(html ?? "");
    return printed(reader);
  };
  const [short, full] = [await fileOf("short"), await fileOf("full")];
  expect(short.length).toBeLessThanOrEqual(paper.length);
  expect(full.length).toBeGreaterThan(2 * short.length);
  const texts = locale === "de-de" ? deDe : enGb;
  expect(short.join(" ")).toContain(texts.pages.report.file.leftOut);
  expect(short.join(" ")).toContain(`${pages.url}/scans/local`);
  expect(full.join(" ")).not.toContain(texts.pages.report.file.leftOut);
  for (const text of [texts.pages.report.ledger.lead, texts.pages.evidence.lead])
    expect([short, full].map((each) => each.join(" ").includes(text))).toEqual([false, true]);
  await reader.close();
});

test("sections opened for printing close afterwards", async () => {
  const reader = await visitors.visitor({ origin: pages.url });
  await reader.open(report);
  const open = () => reader.page.$$eval("details[open]:not(.menu)", (parts) => parts.length);
  const all = await reader.page.$$eval("details:not(.menu)", (parts) => parts.length);
  const before = await open();
  await reader.page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  expect(await open()).toBe(all);
  await reader.page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  expect(await open()).toBe(before);
  expect(reader.complaints).toEqual([]);
  await reader.close();
});

test("a password can be revealed and is hidden again before submission", async () => {
  const reader = await visitors.visitor({ origin: pages.url });
  await reader.open("/sign-in");
  const field = () => reader.page.$eval("#password", (input) => (input as HTMLInputElement).type);
  const pressed = () => reader.page.$eval("[data-reveal]", (button) => button.getAttribute("aria-pressed"));
  expect([await field(), await pressed()]).toEqual(["password", "false"]);
  await reader.page.locator("[data-reveal]").click();
  expect([await field(), await pressed()]).toEqual(["text", "true"]);
  await reader.page.evaluate(() => {
    const form = document.querySelector<HTMLFormElement>("main form");
    form?.addEventListener("submit", (event) => event.preventDefault());
    form?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
  });
  expect([await field(), await pressed()]).toEqual(["password", "false"]);
  expect(reader.complaints).toEqual([]);
  await reader.close();
});

test("controls that need script are hidden without it", async () => {
  const reader = await visitors.visitor({ origin: pages.url, script: false });
  await reader.open("/sign-in");
  expect(await seen(reader, "[data-reveal]")).toBe(0);
  await reader.open(report);
  expect(await seen(reader, "[data-copy], [data-print]")).toBe(0);
  await reader.close();
});

test.each(["/", "/sign-in", "/scans", report])("%s is accessible in forced colours", async (path) => {
  const reader = await visitors.visitor({ origin: pages.url, locale: "en-gb" });
  await forceColours(reader);
  await reader.open(path);
  expect(await axeComplaints(reader.page)).toEqual([]);
  await reader.close();
});

test("forced colours distinguish the ring's track from its score", async () => {
  const reader = await visitors.visitor({ origin: pages.url });
  await forceColours(reader);
  await reader.open(report);
  const widthOf = (selector: string) => reader.page.$eval(selector, (part) => Number.parseFloat(getComputedStyle(part).strokeWidth));
  expect(await widthOf(".ring[role=img] .ring-track")).toBeLessThan(await widthOf(".ring[role=img] .ring-arc"));
  await reader.close();
});
