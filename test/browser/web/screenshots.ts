/**
 * Screenshots of every page in every state, at seven widths, in both languages and both colour schemes.
 * `npm run screenshots -- report list` takes the places whose name starts so.
 * `--width 768`, `--language de-de` and `--scheme dark` take one of each. `--readme` takes the pictures of README.md.
 * Writes dist/screenshots/PLACE/LANGUAGE-SCHEME-WIDTH.png and a PDF of the printed page.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "puppeteer-core";
import { type Locale, locales } from "../../../src/check/check.ts";
import { layoutWidths } from "./overlap.ts";
import type { Place } from "./place.ts";
import { places } from "./places.ts";
import { startServers, type TestServers } from "./servers.ts";
import { desktop, openVisitors, phone, type Visitors } from "./visitors.ts";

// reads: docs/pictures/
const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, "dist/screenshots");
/** Maximum height in CSS pixels: the browser does not paint longer pages completely. */
const heightMax = 8_000;
const schemes = ["light", "dark"] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    readme: { type: "boolean", default: false },
    width: { type: "string", multiple: true, default: layoutWidths.map(String) },
    language: { type: "string", multiple: true, default: [...locales] },
    scheme: { type: "string", multiple: true, default: [...schemes] },
  },
});

interface Looks {
  readonly widths: readonly number[];
  readonly schemes: readonly (typeof schemes)[number][];
}
const looks: Looks = { widths: values.width.map(Number), schemes: schemes.filter((scheme) => values.scheme.includes(scheme)) };
const chosenLocales = locales.filter((locale) => values.language.includes(locale));
const chosenPlaces = places.filter(({ name }) => positionals.length === 0 || positionals.some((beginning) => name.startsWith(beginning)));

async function visit(visitors: Visitors, servers: TestServers, { who, on = "busy", go }: Place, locale: Locale) {
  const session = who === undefined ? {} : { session: servers.fixtures.sessions[who] };
  const visitor = await visitors.visitor({ origin: servers[on].origin, locale, ...session });
  await go(visitor, servers.fixtures, servers);
  return visitor;
}

function wear(page: Page, scheme: (typeof schemes)[number]): Promise<void> {
  return page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
}

/** Pictures and printout of a place in one language; the number of pictures. */
async function pictures(visitors: Visitors, servers: TestServers, place: Place, locale: Locale): Promise<number> {
  const visitor = await visit(visitors, servers, place, locale);
  const { page } = visitor;
  const target = join(folder, place.name);
  mkdirSync(target, { recursive: true });
  for (const width of looks.widths) {
    await page.setViewport({ width, height: (width < desktop.width ? phone : desktop).height });
    const height = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), heightMax);
    for (const scheme of looks.schemes) {
      await wear(page, scheme);
      const path = join(target, `${locale}-${scheme}-${width}.png`) as `${string}.png`;
      await page.screenshot({ path, clip: { x: 0, y: 0, width, height }, captureBeyondViewport: true, optimizeForSpeed: true });
    }
  }
  await page.pdf({ path: join(target, `${locale}-print.pdf`), preferCSSPageSize: true, tagged: true });
  await visitor.close();
  return looks.widths.length * looks.schemes.length;
}

async function takeAll(visitors: Visitors, servers: TestServers): Promise<string> {
  if (positionals.length === 0) rmSync(folder, { recursive: true, force: true });
  let taken = 0;
  for (const place of chosenPlaces) {
    const counts = await Promise.all(chosenLocales.map((locale) => pictures(visitors, servers, place, locale)));
    taken += counts.reduce((sum, count) => sum + count, 0);
  }
  return `${taken} pictures of ${chosenPlaces.length} places and ${chosenPlaces.length * chosenLocales.length} PDFs in ${folder}`;
}

/** Place that README.md shows, and the part of it that one sees first. */
const readmePlace = "report-shop";
const readmeViewport = { width: 1_120, height: 1_340 };

async function takeForReadme(visitors: Visitors, servers: TestServers): Promise<string> {
  const place = places.find(({ name }) => name === readmePlace);
  if (place === undefined) throw new Error(`no place ${readmePlace} in places.ts`);
  const target = join(root, "docs/pictures");
  mkdirSync(target, { recursive: true });
  const visitor = await visit(visitors, servers, place, "en-gb");
  await visitor.page.setViewport(readmeViewport);
  for (const scheme of schemes) {
    await wear(visitor.page, scheme);
    await visitor.page.screenshot({ path: join(target, `report-${scheme}.png`) as `${string}.png` });
  }
  await visitor.close();
  return `${schemes.length} pictures in ${target}`;
}

const [servers, visitors] = await Promise.all([startServers(), openVisitors()]);
try {
  process.stdout.write(`${await (values.readme ? takeForReadme : takeAll)(visitors, servers)}\n`);
} finally {
  await visitors.close();
  await servers.stop();
}
