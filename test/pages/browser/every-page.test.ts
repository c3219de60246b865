/** Every page in every state, in both languages and both colour schemes: usable by everybody, valid, narrow enough, small, and silent. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Locale, locales } from "../../../src/check/check.ts";
import { builtInChecks } from "../../support/built-in-checks.ts";
import { axeComplaints, clippedComplaints, narrow, overflowComplaints, spaceText } from "./accessible.ts";
import { markupComplaints } from "./markup.ts";
import { places } from "./places.ts";
import { desktop, openVisitors, phone, type Visitors } from "./visitors.ts";
import { startWorld, type World } from "./world.ts";

/** What a page may weigh on the way, compressed. */
const budgetBytes = { html: 60_000, style: 14_000, script: 12_000 };
const placeMsMax = 40_000;

/** Each language sees each colour scheme, and the four see both widths. */
const looks = {
  "en-gb": [
    { scheme: "light", viewport: desktop },
    { scheme: "dark", viewport: phone },
  ],
  "de-de": [
    { scheme: "dark", viewport: desktop },
    { scheme: "light", viewport: phone },
  ],
} as const satisfies Record<Locale, unknown>;

let world: World;
let visitors: Visitors;

beforeAll(async () => {
  [world, visitors] = await Promise.all([startWorld(), openVisitors()]);
}, placeMsMax);

afterAll(async () => {
  await visitors.close();
  await world.stop();
});

describe.each(locales.map((locale) => [locale] as const))("in %s", (locale) => {
  test.each(places.map((place) => [place.name, place] as const))(
    "%s",
    async (_name, { who, on = "busy", status = 200, refreshes = false, go }) => {
      const session = who === undefined ? {} : { session: world.known.sessions[who] };
      const visitor = await visitors.visitor({ origin: world[on].origin, locale, ...session });
      const { page } = visitor;
      const opened = await go(visitor, world.known, world);
      expect(opened.status).toBe(status);
      expect(opened.html).toContain(`<html lang="${locale === "de-de" ? "de-DE" : "en-GB"}"`);
      expect(gzipSync(opened.html).length).toBeLessThan(budgetBytes.html);
      expect(await markupComplaints(opened.html, { refreshes })).toEqual([]);

      for (const { scheme, viewport } of looks[locale]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await page.setViewport(viewport);
        expect([scheme, await axeComplaints(page)]).toEqual([scheme, []]);
      }
      await page.setViewport(narrow);
      expect(await overflowComplaints(page)).toEqual([]);
      await spaceText(page);
      expect([...(await overflowComplaints(page)), ...(await clippedComplaints(page))]).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    placeMsMax,
  );

  test("the page of each check is valid and small", async () => {
    const complaints: string[] = [];
    for (const { key } of builtInChecks) {
      const html = await (await fetch(`${world.busy.origin}/checks/${key}?locale=${locale}`)).text();
      complaints.push(...(await markupComplaints(html)).map((complaint) => `${key}: ${complaint}`));
      if (gzipSync(html).length > budgetBytes.html) complaints.push(`${key}: too large`);
    }
    expect(complaints).toEqual([]);
  });
});

test("style sheet and script are small", async () => {
  const { origin } = world.busy;
  const html = await (await fetch(`${origin}/`)).text();
  const bytesOf = async (pattern: RegExp) => {
    const answer = await fetch(`${origin}${pattern.exec(html)?.[1]}`);
    expect(answer.status).toBe(200);
    return gzipSync(await answer.bytes()).length;
  };
  expect(await bytesOf(/href="(\/assets\/\w+\.css)"/)).toBeLessThan(budgetBytes.style);
  expect(await bytesOf(/src="(\/assets\/\w+\.js)"/)).toBeLessThan(budgetBytes.script);
});
