/** The HTML file in the browser, opened from disk without a network: accessible, responsive, silent, and printable. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { afterAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import type { ExportedScan } from "../../../src/export/export.ts";
import { writeHtml } from "../../../src/export/html.tsx";
import { type Brand, embeddedLogo } from "../../../src/report/brand.tsx";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";
import { pngImage } from "../../support/images.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { axeComplaints, narrow, overflowComplaints, typeComplaints } from "../web/accessible.ts";
import { overlapComplaints } from "../web/overlap.ts";
import { pdfPageTexts } from "../web/pdf-text.ts";
import { desktop, openVisitors, schemes } from "../web/visitors.ts";

/** Limit of a test on two busy cores. */
const testMsMax = 300_000;

const folder = mkdtempSync(join(tmpdir(), "assay-html-"));
const visitors = await openVisitors();

afterAll(async () => {
  await visitors.close();
  rmSync(folder, { recursive: true });
});

const files: Readonly<Record<string, readonly ExportedScan[]>> = {
  one: [exportedScan("shop")],
  several: [exportedScan("sound"), exportedScan("plain"), failedExport(), exportedScan("sound")],
  hostile: [exportedScan(poisonedScan())],
  brand: [exportedScan("sound")],
};

/** Scan with words that are wider than a phone. */
const longBrand: Brand = {
  name: `Sicherheit ${"lang".repeat(20)}`,
  logo: embeddedLogo({ png: pngImage(480, 60, [20, 80, 40, 255]), width: 480, height: 60 }),
  accent: "#8a1253",
  footer: `Muster GmbH ${"lang".repeat(40)}`,
};

interface OpenedFile {
  readonly page: Page;
  /** URLs of all requests, the file itself included, without those that hold their data themselves. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
  readonly url: string;
}

/** Opens the file in a browser without network. Scripts of the test bypass the policy of the file. */
async function openFile(name: string, locale: string): Promise<OpenedFile> {
  const path = join(folder, `${name}-${locale}.html`);
  writeFileSync(path, writeHtml(files[name] ?? [], exportSettings({ locale, brand: name === "brand" ? longBrand : null })) ?? "");
  const { page, complaints } = await visitors.visitor({ origin: pathToFileURL(folder).href });
  const requests: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) requests.push(request.url());
  });
  await page.setOfflineMode(true);
  const url = pathToFileURL(path).href;
  await page.goto(url, { waitUntil: "load" });
  return { page, requests, complaints, url };
}

function openAll(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}

describe.each(Object.keys(files))("the file with %s", (name) => {
  test.each(locales)(
    "is accessible and fits every width in %s",
    async (locale) => {
      const { page, requests, complaints, url } = await openFile(name, locale);
      const found: string[] = [];
      // In the suite `places` each language meets both schemes at both widths.
      for (const [width, scheme] of (isFullTest ? locales : [locale]).flatMap((each) => Object.entries(schemes[each]))) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await page.setViewport({ ...desktop, width: Number(width) });
        const defects = [...(await axeComplaints(page)), ...(await overlapComplaints(page)), ...(await typeComplaints(page))];
        found.push(...defects.map((defect) => `${scheme}, ${width} px: ${defect}`));
      }
      await page.setViewport(narrow);
      found.push(...(await overflowComplaints(page)));
      await openAll(page);
      found.push(...(await overflowComplaints(page)));
      expect([...found, ...complaints]).toEqual([]);
      expect(requests).toEqual([url]);
      await page.close();
    },
    testMsMax,
  );
});

test(
  "opened as a whole, it is accessible",
  async () => {
    const { page } = await openFile("one", "en-gb");
    await openAll(page);
    expect(await axeComplaints(page)).toEqual([]);
    await page.close();
  },
  testMsMax,
);

test(
  "its style is in force, and a link opens the finding that it names",
  async () => {
    const { page } = await openFile("one", "en-gb");
    const inkIn = async (scheme: string) => {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      return page.evaluate(() => getComputedStyle(document.body).color);
    };
    expect([await inkIn("light"), await inkIn("dark")]).toEqual(["rgb(23, 25, 28)", "rgb(236, 238, 240)"]);
    const folded = await page.$eval("details.finding-row:not([open]) .finding-body", (body) => body.id);
    await page.evaluate((id) => {
      location.hash = id;
    }, folded);
    await page.waitForFunction((id) => document.getElementById(id)?.closest("details")?.open, {}, folded);
    await page.close();
  },
  testMsMax,
);

test(
  "it is printed as a whole, with host and date on every page",
  async () => {
    const { page } = await openFile("one", "en-gb");
    const texts = await pdfPageTexts(await page.pdf({ preferCSSPageSize: true }));
    const all = texts.join("\n");
    for (const heading of [enGb.pages.report.ledger.heading, enGb.pages.evidence.heading, enGb.pages.evidence.parts.headers])
      expect(all).toContain(heading);
    for (const text of texts) expect(text).toContain("shop-muster.org");
    expect(all).toContain("Made by assay 1.2.3");
    expect(all).not.toContain("Lines for other servers");
    await page.close();
  },
  testMsMax,
);
