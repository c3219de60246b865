/** PDF of a report: the answers of its route. What the browser prints is tested in test/browser. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../../locales/en-gb.json" with { type: "json" };
import type { PrintPdf } from "../../../../src/base/documents.ts";
import { storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";
import { accountIn, signedIn } from "../../../support/signed-in.ts";

const printed: string[] = [];
let outcome: Awaited<ReturnType<PrintPdf>>;
const brand = { name: "Muster & Partner", logoPng: null, accent: "#14501e", footer: "Impressum: <b>muster.example</b>" };
const pages = await startPages({
  printPdf: async (html) => {
    printed.push(html);
    return outcome;
  },
});
beforeEach(() => {
  outcome = new Uint8Array(Buffer.from("%PDF-1.7 test"));
});
afterAll(async () => {
  expect(pages.logged).toEqual([]);
  await pages.stop();
});

const at = new Date();
const { token } = await storeSite(pages.store, "bare", { at });
const get = (path: string) => fetch(`${pages.url}/scans/${path}`, { headers: { cookie: "locale=en-gb" } });

describe("the PDF of a report", () => {
  test("is a download with media type and file name, made from the HTML file", async () => {
    const answer = await get(`${token}.pdf`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const file = `assay-bare-site.org_${at.toISOString().slice(0, 10)}_${token}.pdf`;
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${file}"`);
    expect(answer.headers.get("cache-control")).toBe("private, no-cache");
    expect(await answer.text()).toBe("%PDF-1.7 test");
    const whole = await (await get(`${token}.html`)).text();
    await get(`${token}.pdf?detail=full`);
    expect(printed.at(-1)).toBe(whole);
  });

  test.each(["?detail=short", "?detail=other", ""])("with %s is as short as a printed report", async (query) => {
    await get(`${token}.pdf${query}`);
    expect(printed.at(-1)).toContain(' data-printed="short"');
  });

  test("is offered first on the report, and speaks the language of its parameter", async () => {
    const html = await (await get(token)).text();
    const links = [...html.matchAll(/<a href="\/scans\/[^"]+?\.([\w.]+)" download>/g)].map(([, extension]) => extension);
    expect(links[0]).toBe("pdf");
    expect(html).toContain(enGb.pages.report.downloads.formats.pdf);
    await get(`${token}.pdf?locale=de-de`);
    expect(printed.at(-1)).toContain(deDe.pages.report.ledger.heading);
  });

  test("has the brand of its parameter, escaped, and so has the HTML file", async () => {
    const account = await accountIn(pages, "agency@assay.test");
    await pages.store.brands.change(account.id, () => brand);
    const visitor = await signedIn(pages, account);
    await visitor.get(`/scans/${token}.pdf?brand=own`);
    for (const html of [printed.at(-1) ?? "", await (await visitor.get(`/scans/${token}.html?brand=own`)).text()]) {
      expect(html).toContain("<span>Muster &amp; Partner</span>");
      expect(html).toMatch(/<title>[^<]* - Muster &amp; Partner<\/title>/);
      expect(html).toContain("Impressum: &lt;b>muster.example&lt;/b>");
      expect(html).toContain('fill="#14501e"');
    }
    await visitor.get(`/scans/${token}.pdf`);
    expect(printed.at(-1)).not.toContain("Muster");
  });

  test.each(["busy", "failed"] as const)("is 503 with a page when the browser is %s", async (fault) => {
    outcome = fault;
    const answer = await get(`${token}.pdf`);
    expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("content-type")]).toEqual([
      503,
      "20",
      "text/html; charset=utf-8",
    ]);
    expect(await answer.text()).toContain(enGb.pages.errors.pdfUnavailable.title);
    expect(answer.headers.get("content-disposition")).toBeNull();
  });

  test("is refused before the end of the scan, and for unknown scans, without printing", async () => {
    const waiting = await pages.store.scans.queue({ accountId: null, url: "https://waiting.example/", now: at });
    if (waiting === "full") throw new Error("the queue is full");
    const before = printed.length;
    expect([(await get(`${waiting.token}.pdf`)).status, (await get("nobody.pdf")).status, (await get(`${token}.PDF`)).status]).toEqual([
      409, 404, 404,
    ]);
    expect(printed.length).toBe(before);
  });
});
