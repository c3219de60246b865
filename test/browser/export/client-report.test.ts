/** Client report in the browser: accessible, responsive and silent from disk, and printed as a tagged PDF that reads well. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import { clientReportFile } from "../../../src/export/client-report/client-report.tsx";
import { type ClientWords, clientWords } from "../../../src/export/client-report/words.tsx";
import { type Brand, embeddedLogo } from "../../../src/report/brand.tsx";
import { createTexts, type PageLocale } from "../../../src/text/i18n.ts";
import { addClientSite, fillClientSites } from "../../support/client-sites.ts";
import { pngImage } from "../../support/images.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { openDocumentsHere } from "../browser/documents-here.ts";
import { axeComplaints, narrow, overflowComplaints, typeComplaints } from "../web/accessible.ts";
import { overlapComplaints } from "../web/overlap.ts";
import { pdfPageTexts } from "../web/pdf-text.ts";
import { desktop, openVisitors, phone } from "../web/visitors.ts";

/** Limit of a test on two busy cores. */
const testMsMax = 300_000;
const now = new Date("2026-11-20T09:00:00.000Z");
const longWord = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft";

const folder = mkdtempSync(join(tmpdir(), "assay-client-"));
const temporary = temporaryStore();
const visitors = await openVisitors();
const documents = openDocumentsHere();
afterAll(async () => {
  await visitors.close();
  await documents.stop();
  await temporary.stop();
  rmSync(folder, { recursive: true });
});

const texts = createTexts({ "en-gb": enGb.checks, "de-de": deDe.checks }, builtInChecks);
const account = await temporary.store.accounts.create({ email: "me@assay.test", now });
if (typeof account === "string") throw new Error(account);
const owner = account;
const clients = { plain: "Muster GmbH", hostile: `${longWord} <script>\u202e` } as const;
const sitesOf = (client: string) => ({ store: temporary.store, accountId: account.id, client, now });
await fillClientSites(sitesOf(clients.plain));
const hostile = { name: `${longWord} </h2><script>alert(1)</script>`, pages: [`https://hostile.test/${longWord}`] };
await addClientSite(sitesOf(clients.hostile), `https://hostile.test/${longWord.repeat(3)}`, hostile, [[2, "bare"]]);

const brand: Brand = {
  name: `Sicherheit ${"lang".repeat(20)}`,
  logo: embeddedLogo({ png: pngImage(480, 60, [20, 80, 40, 255]), width: 480, height: 60 }),
  accent: "#8a1253",
  footer: `Muster GmbH ${"lang".repeat(40)}`,
};

function fileOf(client: string, locale: PageLocale, words: ClientWords = "technical"): string {
  const settings = {
    store: temporary.store,
    owner,
    client,
    locale,
    texts,
    checks: builtInChecks,
    version: "1.2.3",
    origin: null,
    brand,
    words,
    now,
  };
  return clientReportFile(settings) ?? "";
}

async function pdfOf(client: string, locale: PageLocale, words?: ClientWords): Promise<Buffer> {
  const pdf = await documents.printPdf(fileOf(client, locale, words));
  if (typeof pdf === "string") throw new Error(`${pdf}: ${documents.logged}`);
  return Buffer.from(pdf);
}

describe.each(Object.entries(clients))("the file of a client that is %s", (name, client) => {
  test.each(locales)(
    "is accessible and fits every width in %s",
    async (locale) => {
      const path = join(folder, `${name}-${locale}.html`);
      writeFileSync(path, fileOf(client, locale));
      const { page, complaints } = await visitors.visitor({ origin: pathToFileURL(folder).href });
      await page.setOfflineMode(true);
      await page.goto(pathToFileURL(path).href, { waitUntil: "load" });
      const found: string[] = [];
      for (const scheme of ["light", "dark"]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        for (const { width } of [phone, desktop]) {
          await page.setViewport({ ...desktop, width });
          const defects = [...(await axeComplaints(page)), ...(await overlapComplaints(page)), ...(await typeComplaints(page))];
          found.push(...defects.map((defect) => `${scheme}, ${width} px: ${defect}`));
        }
      }
      await page.setViewport(narrow);
      found.push(...(await overflowComplaints(page)));
      expect([...found, ...complaints]).toEqual([]);
      await page.close();
    },
    testMsMax,
  );
});

describe("the printed report", () => {
  test.each([
    ["en-gb", enGb, "Muster GmbH, 20 Nov 2026"],
    ["de-de", deDe, "Muster GmbH, 20. Nov. 2026"],
  ])(
    "has client, day and number on every page, and no heading at the end of one in %s",
    async (locale, { pages }, header) => {
      const pdf = await pdfOf(clients.plain, locale);
      const paper = pdfPageTexts(pdf);
      expect(paper.length).toBeGreaterThanOrEqual(5);
      expect(paper.length).toBeLessThanOrEqual(12);
      const words = pages.sites;
      const headings = [words.open.title, words.clientReport.accepted, words.clientReport.changes.title, words.clientReport.overview];
      for (const [at, text] of paper.entries()) {
        expect(text.trimStart().startsWith(header)).toBe(true);
        expect(text).toContain(` ${at + 1} / ${paper.length}`);
        const [content = ""] = text.split(` ${at + 1} / ${paper.length}`);
        for (const heading of headings) expect(content.trimEnd().endsWith(heading)).toBe(false);
      }
      expect(paper.slice(0, 2).join(" ")).toContain(words.clientReport.overview);
      const whole = paper.join(" ");
      for (const name of ["Shop", "Main", "Blog", "Archive", "Campaign", "New", "Never reached"]) expect(whole).toContain(name);
      for (const text of [words.clientReport.state.paused, words.clientReport.state.notScanned, words.clientReport.changes.none])
        expect(whole).toContain(text);
      expect(whole).not.toContain(words.clientReport.back);
      expect(whole).toContain("Muster GmbH lang");
      // Long tables have their head on each page.
      const shopPages = paper.filter((text) => text.includes(` 3 ${locale === "de-de" ? "von" : "of"} 3 `));
      expect(shopPages.length).toBeGreaterThan(1);
      for (const text of shopPages) expect(text).toContain(words.open.pages);
    },
    testMsMax,
  );

  test.each([
    ["en-gb", enGb],
    ["de-de", deDe],
  ])(
    "has what to do and what got better on page one, and is shorter in plain words in %s",
    async (locale, { pages }) => {
      const { next, better, overview } = pages.sites.clientReport;
      const [plain, technical] = await Promise.all(
        clientWords.map(async (words) => pdfPageTexts(await pdfOf(clients.plain, locale, words))),
      );
      for (const [first = "", second] of [plain ?? [], technical ?? []]) {
        expect(first).toContain(next.title);
        expect(first.slice(first.indexOf(better.title))).toMatch(/Blog .*Blog .*Blog /s);
        expect(`${first} ${second}`).toContain(overview);
      }
      expect(plain?.length).toBeLessThan(technical?.length ?? 0);
    },
    testMsMax,
  );

  test(
    "keeps the head of a site with its figures, and a short section on one page",
    async () => {
      const paper = pdfPageTexts(await pdfOf(clients.plain, "en-gb"));
      for (const name of ["Page 1", "Page 2"]) {
        // The table of all sites, which is before the sections, names them too.
        const page = paper.findLast((text) => text.includes(`${name} https://`) && text.includes(enGb.pages.sites.site.facts.since)) ?? "";
        expect(page.slice(page.lastIndexOf(name))).toMatch(/Watched since .* Open findings .* Changes of the last 30 days/);
      }
    },
    testMsMax,
  );

  test(
    "is tagged, with outline, language and title, and shows hostile names as text",
    async () => {
      const pdf = await pdfOf(clients.hostile, "de-de");
      const text = pdf.toString("latin1");
      expect(text).toContain("/StructTreeRoot");
      expect(text).toContain("/Outlines");
      expect(text).toMatch(/\/Lang\s*\(de-DE\)/);
      expect(text).toMatch(/\/MediaBox\s*\[0 0 59[45][.\d]* 84[12]/);
      expect(text).not.toMatch(/\/JavaScript|\/Launch|\/EmbeddedFile|\/URI\s*\((javascript|data|file):/i);
      expect(pdfPageTexts(pdf).join(" ")).toContain("</h2><script>alert(1)</script>");
    },
    testMsMax,
  );

  test(
    "has its scores drawn",
    async () => {
      // The animation of a ring would begin without its arc.
      const { page } = await visitors.visitor({ origin: pathToFileURL(folder).href });
      await page.setContent(fileOf(clients.plain, "en-gb"));
      await page.emulateMediaType("print");
      const moving = await page.$$eval(".ring-arc", (arcs) => arcs.filter((arc) => getComputedStyle(arc).animationName !== "none").length);
      expect(moving).toBe(0);
      await page.close();
    },
    testMsMax,
  );
});
