/** What the running program gives away: PDF files of reports, and badges on pages of other sites. */
import { afterAll, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import { storeFinished, storeSite } from "../../support/finished-scans.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { startHttp } from "../../support/servers.ts";
import { startAppliance } from "./appliance.ts";
import { pdfPageTexts } from "./pdf-text.ts";
import { openVisitors } from "./visitors.ts";

/** Limit of a test on two busy cores. */
const testMsMax = 300_000;
const tokens: string[] = [];
const appliance = await startAppliance({
  fill: async (store) => {
    tokens.push((await storeSite(store, "shop", { at: new Date() })).token);
    tokens.push((await storeFinished(store, { ...poisonedScan(), at: new Date(), url: "https://hostile.example/" })).token);
  },
});
const visitors = await openVisitors();
afterAll(async () => {
  await visitors.close();
  await appliance.stop();
});

test(
  "reports are printed as tagged PDF, one after the other, by one browser",
  async () => {
    const answers = await Promise.all(tokens.map((token) => fetch(`${appliance.origin}/scans/${token}.pdf?locale=de-de`)));
    expect(answers.map(({ status, headers }) => [status, headers.get("content-type")])).toEqual(tokens.map(() => [200, "application/pdf"]));
    const [shop, hostile] = await Promise.all(answers.map(async (answer) => new Uint8Array(await answer.arrayBuffer())));
    const pages = pdfPageTexts(shop ?? new Uint8Array());
    expect(pages.join("\n")).toContain(deDe.pages.report.ledger.heading);
    for (const page of pages) expect(page).toContain("shop-muster.org");
    expect(Buffer.from(shop ?? []).toString("latin1")).toMatch(/\/StructTreeRoot[\s\S]*\/Outlines|\/Outlines[\s\S]*\/StructTreeRoot/);
    expect(pdfPageTexts(hostile ?? new Uint8Array()).join("\n")).toContain("<script>alert(1)</script>");
  },
  testMsMax,
);

test(
  "a badge is shown by a page of another origin that embeds only what allows it",
  async () => {
    const images = { badge: "/badge/shop-muster.org.svg", icon: "/favicon.svg" };
    const body = Object.entries(images).map(([id, path]) => `<img id="${id}" src="${appliance.origin}${path}" alt="">`);
    const isolated = { "cross-origin-embedder-policy": "require-corp", "cross-origin-opener-policy": "same-origin" };
    const site = await startHttp({
      "/": { headers: { "content-type": "text/html", ...isolated }, body: `<!doctype html><title>Site</title>${body.join("")}` },
    });
    // Another name, and so another site.
    const { page } = await visitors.visitor({ origin: `http://nas.lan:${site.port}` });
    await page.goto(`http://nas.lan:${site.port}/`, { waitUntil: "load" });
    const widths = await page.$$eval("img", (all) => all.map(({ naturalWidth }) => naturalWidth));
    // The icon, which no other site may embed, shows that the policy is in force.
    expect([(widths[0] ?? 0) > 100, widths[1]]).toEqual([true, 0]);
    const json = await page.evaluate(async (url) => (await fetch(url)).json(), `${appliance.origin}/badge/shop-muster.org.json`);
    expect(json).toMatchObject({ schemaVersion: 1, label: "security", message: expect.stringMatching(/^\d+ \/ \d{4}-\d\d-\d\d$/) });
    await page.close();
    await site.stop();
  },
  testMsMax,
);
