/** What the running program gives away: PDF files of reports, and badges on pages of other sites. */
import { afterAll, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import type { Store } from "../../../src/store/store.ts";
import { fillClientSites } from "../../support/client-sites.ts";
import { storeFinished, storeSite } from "../../support/finished-scans.ts";
import { pngImage } from "../../support/images.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";
import { startHttp } from "../../support/servers.ts";
import { startAppliance } from "./appliance.ts";
import { pdfPageTexts } from "./pdf-text.ts";
import { openVisitors } from "./visitors.ts";

/** Limit of a test on two busy cores. */
const testMsMax = 300_000;
const tokens: string[] = [];
/** Cookie of the agency. */
let session = "";
const appliance = await startAppliance({
  fill: async (store) => {
    tokens.push((await storeSite(store, "shop", { at: new Date() })).token);
    tokens.push((await storeFinished(store, { ...poisonedScan(), at: new Date(), url: "https://hostile.example/" })).token);
    session = await fillAgency(store);
  },
});
const visitors = await openVisitors();
afterAll(async () => {
  await visitors.close();
  await appliance.stop();
});

/** Account with a brand and the sites of a client. Returns the value of its session cookie. */
async function fillAgency(store: Store): Promise<string> {
  const now = new Date();
  const account = await store.accounts.create({ email: "agency@assay.test", now });
  if (typeof account === "string") throw new Error(account);
  const logoPng = Buffer.from(pngImage(300, 100, [20, 80, 40, 255])).toString("base64");
  await store.brands.change(account.id, () => ({ name: "Muster Agentur", logoPng, accent: "#14501e", footer: "Muster GmbH" }));
  await fillClientSites({ store, accountId: account.id, client: "A/B & Co", now });
  const origin = { userAgent: "test", address: "127.0.0.1" };
  const opened = await store.sessions.open({ accountId: account.id, verifiedPasswordHash: null, origin, now });
  return opened?.value ?? "";
}

test(
  "the report of a client is printed with the brand of the agency",
  async () => {
    const url = `${appliance.origin}/clients/A%2FB%20%26%20Co/report.pdf?locale=de-de`;
    const answer = await fetch(url, { headers: { cookie: `sid=${session}` } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const pdf = new Uint8Array(await answer.arrayBuffer());
    const pages = pdfPageTexts(pdf);
    for (const page of pages) expect(page.trimStart()).toMatch(/^A\/B & Co, /);
    expect(pages[0]).toContain("Muster Agentur");
    expect(pages[0]).toContain("Sicherheitsbericht f\u00fcr A/B & Co");
    expect(pages.at(-1)).toContain("Muster GmbH");
    expect(Buffer.from(pdf).toString("latin1")).toMatch(/\/Subtype\s*\/Image/);
  },
  testMsMax,
);

test(
  "reports are printed as tagged PDF, one after the other, by one browser",
  async () => {
    const answers = await Promise.all(tokens.map((token) => fetch(`${appliance.origin}/scans/${token}.pdf?locale=de-de`)));
    expect(answers.map(({ status, headers }) => [status, headers.get("content-type")])).toEqual(tokens.map(() => [200, "application/pdf"]));
    const [shop, hostile] = await Promise.all(answers.map(async (answer) => new Uint8Array(await answer.arrayBuffer())));
    const pages = pdfPageTexts(shop ?? new Uint8Array());
    expect(pages.join(" ")).toContain(deDe.pages.report.file.leftOut);
    expect(pages.join(" ")).not.toContain(deDe.pages.report.ledger.lead);
    for (const page of pages) expect(page).toContain("shop-muster.org");
    expect(Buffer.from(shop ?? []).toString("latin1")).toMatch(/\/StructTreeRoot[\s\S]*\/Outlines|\/Outlines[\s\S]*\/StructTreeRoot/);
    expect(pdfPageTexts(hostile ?? new Uint8Array()).join("\n")).toContain("<script>alert(1)</script>");
  },
  testMsMax,
);

test(
  "an agency sets its brand by the API, and reads the PDF of its scan with it",
  async () => {
    const token = await appliance.withStore(async (store) => {
      const account = store.accounts.list()[0] ?? (await store.accounts.create({ email: "agency@assay.test", now: new Date() }));
      if (typeof account === "string") throw new Error(account);
      const { token: scan } = await storeSite(store, "shop", { at: new Date(), accountId: account.id });
      return { scan, value: (await store.apiTokens.create({ accountId: account.id, name: "test", now: new Date() })).value };
    });
    const call = (method: string, path: string, body: string | Uint8Array<ArrayBuffer> | null, type: string) =>
      fetch(`${appliance.origin}/api/v1${path}`, {
        method,
        body,
        headers: { authorization: `Bearer ${token.value}`, "content-type": type },
      });
    const brand = JSON.stringify({ name: "Muster & Partner", accent: "#14501e", footer: "1 Example Street" });
    expect((await call("PUT", "/brand", brand, "application/json")).status).toBe(200);
    const logo = await call("PUT", "/brand/logo", new Uint8Array(pngImage(600, 200, [200, 0, 0, 255])), "image/png");
    expect([logo.status, ((await logo.json()) as { logo: object }).logo]).toEqual([
      200,
      { url: "/api/v1/brand/logo", width: 480, height: 160 },
    ]);
    for (const svg of ["<svg xmlns='http://www.w3.org/2000/svg'/>", "x".repeat(10_000_000)])
      expect((await call("PUT", "/brand/logo", svg, "image/png")).status).toBe(400);
    const pdf = await call("GET", `/scans/${token.scan}/report.pdf?brand=own&locale=de-de`, null, "application/json");
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const file = new Uint8Array(await pdf.arrayBuffer());
    const [first = ""] = pdfPageTexts(file);
    expect(first).toContain("Muster & Partner");
    expect(first).not.toContain("assay ");
    expect(Buffer.from(file).toString("latin1")).toContain("/Subtype /Image");
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
