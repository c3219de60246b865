/** Style sheet and script beyond the normal screen: print, forced colours, revealed passwords. */
import { afterAll, expect, test } from "vitest";
import { storeSite } from "../../support/finished-scans.ts";
import { startPages } from "../../support/pages.ts";
import { openVisitors, type Visitor } from "./visitors.ts";

const pages = await startPages();
const visitors = await openVisitors();
const { token } = await storeSite(pages.store, "bare", { at: new Date() });
await pages.store.accounts.create({ email: "somebody@assay.test", now: new Date() });
const report = `/scans/${token}`;

afterAll(async () => {
  await visitors.close();
  await pages.stop();
});

const inks = { light: "rgb(23, 25, 28)", dark: "rgb(236, 238, 240)" };
const inkOf = ({ page }: Visitor) => page.evaluate(() => getComputedStyle(document.body).color);

/** Visible elements of the selector. */
function seen({ page }: Visitor, selector: string): Promise<number> {
  return page.$$eval(selector, (elements) => elements.filter((element) => element.checkVisibility()).length);
}

test("print is light and expanded, without controls, also without script", async () => {
  const reader = await visitors.visitor({ origin: pages.url, script: false });
  await reader.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await reader.open(report);
  expect(await inkOf(reader)).toBe(inks.dark);
  expect(await seen(reader, "details pre")).toBe(0);
  expect(await seen(reader, ".site-header .print-only")).toBe(0);

  await reader.page.emulateMediaType("print");
  expect(await inkOf(reader)).toBe(inks.light);
  expect(await reader.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe("rgb(255, 255, 255)");
  const folded = await reader.page.$$eval("details pre", (lines) => lines.length);
  expect(folded).toBeGreaterThan(50);
  expect(await seen(reader, "details pre")).toBe(folded);
  expect(await seen(reader, "nav.breadcrumb, .site-header nav, .site-footer, button, form, .skip")).toBe(0);
  expect(await reader.page.$eval(".site-header .print-only", (address) => address.textContent)).toBe(`${pages.url}${report}`);
  await reader.close();
});

test("findings start on the second printed page", async () => {
  const reader = await visitors.visitor({ origin: pages.url });
  await reader.open(report);
  await reader.page.emulateMediaType("print");
  expect(await reader.page.$eval("section:has(> .finding)", (section) => getComputedStyle(section).breakBefore)).toBe("page");
  // A4 without margins is 178 by 265 mm, at 96 pixels per inch.
  await reader.page.setViewport({ width: 673, height: 1_001 });
  const endOfSummary = await reader.page.$eval(".first-steps", (steps) => steps.getBoundingClientRect().bottom + scrollY);
  expect(endOfSummary).toBeLessThan(1_001);
  await reader.close();
});

test("sections opened for printing close afterwards", async () => {
  const reader = await visitors.visitor({ origin: pages.url });
  await reader.open(report);
  const open = () => reader.page.$$eval("details[open]", (parts) => parts.length);
  const all = await reader.page.$$eval("details", (parts) => parts.length);
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

test("forced colours distinguish the ring's track from its score", async () => {
  const reader = await visitors.visitor({ origin: pages.url });
  const devTools = await reader.page.createCDPSession();
  await devTools.send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
  await reader.open(report);
  const widthOf = (selector: string) => reader.page.$eval(selector, (part) => Number.parseFloat(getComputedStyle(part).strokeWidth));
  expect(await widthOf(".ring[role=img] .ring-track")).toBeLessThan(await widthOf(".ring[role=img] .ring-arc"));
  await reader.close();
});
