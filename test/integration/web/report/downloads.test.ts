/** Files of a report: one for each export format, in the language of the visitor. */
import { afterAll, describe, expect, test } from "vitest";
import deDe from "../../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../../locales/en-gb.json" with { type: "json" };
import { type ExportFormat, exportFormats } from "../../../../src/export/formats.ts";
import { storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
afterAll(async () => {
  expect(pages.logged).toEqual([]);
  await pages.stop();
});

const at = new Date();
const { token } = await storeSite(pages.store, "bare", { at });
const failed = await failedScan();
const formats = Object.entries<ExportFormat>(exportFormats);
const { downloads } = enGb.pages.report;

async function failedScan(): Promise<string> {
  await pages.store.scans.queue({ accountId: null, url: "https://unreachable.example/", now: at });
  const scan = await pages.store.scans.claimNext("local", at);
  if (scan === undefined) throw new Error("no scan was queued");
  await pages.store.scans.fail(scan.token, { code: "unreachable", evidence: null, timings: {}, now: at });
  return scan.token;
}

function get(path: string, locale = "en-gb"): Promise<Response> {
  return fetch(`${pages.url}/scans/${path}`, { headers: { cookie: `locale=${locale}` } });
}

describe.each(formats)("%s", (name, { extension, mediaType }) => {
  test("is a download with media type and file name", async () => {
    const answer = await get(`${token}.${extension}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, mediaType]);
    const file = `assay-bare-site.org_${at.toISOString().slice(0, 10)}_${token}.${extension}`;
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${file}"`);
    expect(answer.headers.get("vary")).toBe("Accept-Encoding, Accept-Language, Cookie");
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect((await answer.text()).length).toBeGreaterThan(100);
  });

  test("is offered on the report", async () => {
    const html = await (await get(token)).text();
    expect(html).toContain(`<a href="/scans/${token}.${extension}" download>`);
    expect(Object.keys(downloads.formats)).toContain(name);
  });

  test("tells about a failed scan, or says that it cannot", async () => {
    const answer = await get(`${failed}.${extension}`);
    const text = await answer.text();
    expect([200, 409]).toContain(answer.status);
    if (answer.status === 409) expect(text).toContain(downloads.nothing.title);
    else expect(text).toContain("unreachable.example");
  });

  test("is refused before the end of the scan, and for unknown scans", async () => {
    const waiting = await pages.store.scans.queue({ accountId: null, url: `https://waiting.example/${name}`, now: at });
    if (waiting === "full") throw new Error("the queue is full");
    const answer = await get(`${waiting.token}.${extension}`);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain(enGb.pages.report.notFinished.title);
    expect((await get(`nobody.${extension}`)).status).toBe(404);
  });
});

test("HTML has the language of the visitor and links to this appliance", async () => {
  const html = await (await get(`${token}.html`, "de-de")).text();
  expect(html).toContain('<html lang="de-DE"');
  expect(html).toContain(deDe.pages.report.ledger.heading);
  expect(html).toContain(`<a href="${pages.url}/checks/`);
});

test("a visitor without gzip gets the same text", async () => {
  const plain = await fetch(`${pages.url}/scans/${token}.csv`, { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(await plain.text()).toBe(await (await get(`${token}.csv`)).text());
});

test("JSON is indented and tells about a failed scan", async () => {
  expect(await (await get(`${token}.json`)).text()).toMatch(/^\{\n {2}"schemaVersion": 1,\n/);
  expect(await (await get(`${failed}.json`)).json()).toMatchObject({ token: failed, status: "failed", security: { measured: false } });
});

test("SARIF has nothing to say about a failed scan", async () => {
  const answer = await get(`${failed}.sarif`);
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain("A .sarif file has nothing to say about a scan that measured nothing.");
});

test.each(["exe", "", ".html", "html.", "HTML", "toString", "html/../json"])("the extension %j is unknown", async (extension) => {
  expect((await get(`${token}.${extension}`)).status).toBe(404);
});
