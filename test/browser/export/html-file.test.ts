/** The HTML file in the browser, opened from disk without a network: accessible, responsive, silent, and printable. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { afterAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { type Locale, locales } from "../../../src/check/check.ts";
import { proofSections, proofTitle } from "../../../src/cli/prove/proof-text.ts";
import type { ExportedScan } from "../../../src/export/export.ts";
import { writeHtml } from "../../../src/export/html.tsx";
import { sectionsHtml } from "../../../src/export/sections.tsx";
import { compare } from "../../../src/prove/compare.ts";
import type { Proof } from "../../../src/prove/prove.ts";
import { type Brand, embeddedLogo } from "../../../src/report/brand.tsx";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";
import { pngImage } from "../../support/images.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { isFullTest } from "../../support/random-runs.ts";
import { blockedBy, shapeOf, visitOf } from "../../support/visited.ts";
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

/** Scan with words that are wider than a phone. */
const longBrand: Brand = {
  name: `Sicherheit ${"lang".repeat(20)}`,
  logo: embeddedLogo({ png: pngImage(480, 60, [20, 80, 40, 255]), width: 480, height: 60 }),
  accent: "#8a1253",
  footer: `Muster GmbH ${"lang".repeat(40)}`,
};

const scans = (of: readonly ExportedScan[], brand: Brand | null = null) => {
  return (locale: Locale) => writeHtml(of, exportSettings({ locale, brand })) ?? "";
};

/** Files by name, in each language. */
const files: Readonly<Record<string, (locale: Locale) => string>> = {
  one: scans([exportedScan("shop")]),
  several: scans([exportedScan("sound"), exportedScan("plain"), failedExport(), exportedScan("sound")]),
  hostile: scans([exportedScan(poisonedScan())]),
  brand: scans([exportedScan("sound")], longBrand),
  proof: (locale) => {
    const settings = exportSettings({ locale });
    const answer = { proof: brokenProof(), leftOut: ["https://site.test/left"], sentToday: [], server: "nginx" as const, ...settings };
    return sectionsHtml(proofTitle(answer), proofSections(answer), settings);
  },
};

/** A policy that breaks a page with words of an attacker, and lets injected code run. */
function brokenProof(): Proof {
  const { result } = exportedScan("shop");
  const hostile = `https://cdn.test/${"Donaudampfschifffahrt".repeat(5)}"><script>alert(1)</script>`;
  const shown = {
    blocked: [blockedBy({ url: hostile, file: hostile, line: 7 }), blockedBy({ kind: "inline" }), blockedBy({ kind: "eval" })],
    errors: [{ text: hostile, url: hostile, line: 1 }],
    shape: shapeOf({ elements: [], textChars: 1 }),
  };
  const page = {
    ...{ url: "https://site.test/", before: result, after: result, serviceWorker: true, pictures: { before: null, after: null } },
    comparison: compare([visitOf(), visitOf()], visitOf(shown, { url: "https://site.test/elsewhere" })),
    canaries: [
      { name: "inline-script", outcome: "runs" as const },
      { name: "form", outcome: "left-out" as const },
    ],
  };
  return {
    ...{ origin: "https://site.test", pages: [page], unvisited: [{ url: hostile, code: "timeout" }], visits: 7, nonce: "bm9uY2U" },
    headers: [
      { name: "Content-Security-Policy", value: "script-src 'nonce-bm9uY2U'; object-src 'none'" },
      { name: "Server", value: null },
    ],
    ...{ rung: "strict-nonce", costs: ["nonce"], refused: [{ rung: "strict-hash", because: "many-hashes", blocked: [] }] },
    unneeded: [{ directive: "form-action", source: hostile }],
  };
}

interface OpenedFile {
  readonly page: Page;
  /** URLs of all requests, the file itself included, without those that hold their data themselves. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
  readonly url: string;
}

/** Opens the file in a browser without network. Scripts of the test bypass the policy of the file. */
async function openFile(name: string, locale: Locale): Promise<OpenedFile> {
  const path = join(folder, `${name}-${locale}.html`);
  writeFileSync(path, files[name]?.(locale) ?? "");
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
    expect([await inkIn("light"), await inkIn("dark")]).toEqual(["rgb(26, 25, 23)", "rgb(238, 238, 236)"]);
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
