/**
 * Every page in every state: accessible, valid HTML, responsive, small, without errors. The suite `places` visits each in both languages
 * and at every width. Otherwise the languages take turns, and contrast and sizes of targets are left out, apart from pages that differ most between them.
 */
import { gzipSync } from "node:zlib";
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { type Locale, locales } from "../../../src/check/check.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { axeComplaints, clippedComplaints, narrow, overflowComplaints, spaceText, typeComplaints } from "./accessible.ts";
import { markupComplaints } from "./markup.ts";
import { layoutWidths, overlapComplaints } from "./overlap.ts";
import type { Place } from "./place.ts";
import { places } from "./places.ts";
import { startServers, type TestServers } from "./servers.ts";
import { desktop, openVisitors, phone, schemes, type Visitors } from "./visitors.ts";

/** Compressed size limit of a page. */
const budgetBytes = { html: 60_000, style: 14_000, script: 12_000 };
const placeMsMax = 300_000;

/** Colour scheme at the widths that axe checks. */
const axeSchemes: typeof schemes = isFullTest ? schemes : { "en-gb": { [phone.width]: "dark" }, "de-de": { [desktop.width]: "light" } };

/** One page of each template; the lengths of their texts differ between the languages. */
const templates = ["home", "scan-running", "report-shop", "compare", "list", "host", "check-csp", "account", "site", "admin-settings"];

const widths = isFullTest ? layoutWidths : [phone.width, desktop.width];

let servers: TestServers;
let visitors: Visitors;

beforeAll(async () => {
  [servers, visitors] = await Promise.all([startServers(), openVisitors()]);
}, placeMsMax);

afterAll(async () => {
  await visitors.close();
  await servers.stop();
});

/** Defects of a page in one language, one line each. */
async function complaintsOf({ name, who, on = "busy", status = 200, refreshes, go }: Place, locale: Locale): Promise<readonly string[]> {
  const session = who === undefined ? {} : { session: servers.fixtures.sessions[who] };
  const visitor = await visitors.visitor({ origin: servers[on].origin, locale, ...session });
  const { page } = visitor;
  const opened = await go(visitor, servers.fixtures, servers);
  const found = [...(await markupComplaints(opened.html, { refreshes: refreshes === true }))];
  if (opened.status !== status) found.push(`answers ${opened.status} at ${page.url()}`);
  if (!opened.html.includes(`<html lang="${locale === "de-de" ? "de-DE" : "en-GB"}"`)) found.push("speaks another language");
  if (gzipSync(opened.html).length > budgetBytes.html) found.push("is too large");
  for (const width of widths)
    found.push(
      ...(await complaintsAt(page, { width, scheme: axeSchemes[locale][width], withPlaces: isFullTest || templates.includes(name) })),
    );
  await page.setViewport(narrow);
  await spaceText(page);
  found.push(...[...(await overflowComplaints(page)), ...(await clippedComplaints(page))].map((complaint) => `spaced: ${complaint}`));
  found.push(...visitor.complaints);
  await visitor.close();
  return found.map((complaint) => `${locale}: ${complaint}`);
}

interface Look {
  readonly width: number;
  /** Colour scheme for axe; without one, only the layout is checked. */
  readonly scheme: string | undefined;
  /** See `axeComplaints`. */
  readonly withPlaces: boolean;
}

/** Layout at one width, and what axe finds. */
async function complaintsAt(page: Page, { width, scheme, withPlaces }: Look): Promise<readonly string[]> {
  await page.setViewport({ ...desktop, width });
  const layout = [...(await overflowComplaints(page)), ...(await overlapComplaints(page)), ...(await typeComplaints(page))].map(
    (complaint) => `${width} px: ${complaint}`,
  );
  if (scheme === undefined) return layout;
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  return [...layout, ...(await axeComplaints(page, { withPlaces })).map((complaint) => `${width} px, ${scheme}: ${complaint}`)];
}

test("the templates are places", () => {
  expect(templates.filter((template) => !places.some(({ name }) => name === template))).toEqual([]);
});

test.each(places.map((place, at) => [place.name, place, at] as const))(
  "%s",
  async (name, place, at) => {
    const visited = isFullTest || templates.includes(name) ? locales : locales.filter((_, nth) => nth === at % locales.length);
    // Two languages for two cores.
    const complaints = await Promise.all(visited.map((locale) => complaintsOf(place, locale)));
    expect(complaints.flat()).toEqual([]);
  },
  placeMsMax,
);

test.each(locales)(
  "in %s every check page is valid and small",
  async (locale) => {
    const complaints: string[] = [];
    for (const { key } of builtInChecks) {
      const html = await (await fetch(`${servers.busy.origin}/checks/${key}?locale=${locale}`)).text();
      complaints.push(...(await markupComplaints(html)).map((complaint) => `${key}: ${complaint}`));
      if (gzipSync(html).length > budgetBytes.html) complaints.push(`${key}: too large`);
    }
    expect(complaints).toEqual([]);
  },
  placeMsMax,
);

test("style sheet and script are small", async () => {
  const { origin } = servers.busy;
  const html = await (await fetch(`${origin}/`)).text();
  const bytesOf = async (pattern: RegExp) => {
    const answer = await fetch(`${origin}${pattern.exec(html)?.[1]}`);
    expect(answer.status).toBe(200);
    return gzipSync(await answer.bytes()).length;
  };
  expect(await bytesOf(/href="(\/assets\/\w+\.css)"/)).toBeLessThan(budgetBytes.style);
  expect(await bytesOf(/src="(\/assets\/\w+\.js)"/)).toBeLessThan(budgetBytes.script);
});
