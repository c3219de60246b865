/**
 * Screenshots of every page in every state: `npm run screenshots`, or `npm run screenshots -- report list` for places by name prefix.
 * Writes dist/screenshots/<place>/<language>-<scheme>-<width>.png, and a PDF of the printed page.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "puppeteer-core";
import { type Locale, locales } from "../../../src/check/check.ts";
import { type Place, places } from "./places.ts";
import { startServers, type TestServers } from "./servers.ts";
import { desktop, openVisitors, phone, type Visitors } from "./visitors.ts";

const folder = resolve(import.meta.dirname, "../../../dist/screenshots");
/** Maximum height in CSS pixels: the browser does not paint longer pages completely. */
const heightMax = 8_000;
const schemes = ["light", "dark"] as const;
const widths = [desktop, phone];

async function picture(page: Page, path: string): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const { width = desktop.width } = page.viewport() ?? {};
  await page.screenshot({
    path: path as `${string}.png`,
    clip: { x: 0, y: 0, width, height: Math.min(height, heightMax) },
    captureBeyondViewport: true,
  });
}

async function pictures(visitors: Visitors, servers: TestServers, place: Place, locale: Locale): Promise<number> {
  const { name, who, on = "busy", go } = place;
  const session = who === undefined ? {} : { session: servers.fixtures.sessions[who] };
  const visitor = await visitors.visitor({ origin: servers[on].origin, locale, ...session });
  const { page } = visitor;
  await go(visitor, servers.fixtures, servers);
  mkdirSync(join(folder, name), { recursive: true });
  for (const scheme of schemes) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const viewport of widths) {
      await page.setViewport(viewport);
      await picture(page, join(folder, name, `${locale}-${scheme}-${viewport.width}.png`));
    }
  }
  await page.pdf({ path: join(folder, name, `${locale}-print.pdf`), preferCSSPageSize: true, tagged: true });
  await visitor.close();
  return schemes.length * widths.length;
}

const wanted = process.argv.slice(2);
const chosen = places.filter(({ name }) => wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning)));
if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
const [servers, visitors] = await Promise.all([startServers(), openVisitors()]);
let taken = 0;
try {
  for (const place of chosen) for (const locale of locales) taken += await pictures(visitors, servers, place, locale);
} finally {
  await visitors.close();
  await servers.stop();
}
process.stdout.write(`${taken} pictures of ${chosen.length} places and ${chosen.length * locales.length} PDFs in ${folder}\n`);
