/** Report files on a running server with a real store: one for each export format. */
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import { openapiDocument } from "../../../src/api/openapi.ts";
import type { PrintPdf } from "../../../src/base/documents.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import type { FullReport } from "../../../src/text/render.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";
import { exportSettings } from "../../support/exported-scans.ts";
import { knownScans } from "../../support/finished-scans.ts";

const formats = Object.values(exportFormats);
const extensions = [...formats.map(({ extension }) => extension as string), "pdf"];
const { result } = knownScans.bare;
/** HTML files that were to be printed, and what becomes of them. What the browser prints is tested in test/browser. */
const printed: string[] = [];
let printing: Awaited<ReturnType<PrintPdf>>;

let api: ApiUnderTest;
let token: string;
let accountId: number;
let scan: string;

beforeAll(async () => {
  const { texts } = exportSettings();
  const checks = { texts, catalog: { checks: builtInChecks, version: "v" } };
  api = await startApi({
    requestLimit: { requestsMax: 10_000, windowSeconds: 60 },
    checks: () => checks,
    printPdf: async (html) => {
      printed.push(html);
      return printing;
    },
  });
  ({ token, accountId } = await api.customer());
  ({ token: scan } = await api.start(token));
  await api.finish(result);
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});

afterEach(() => api.store.brands.remove(accountId));

const read = (path: string, init: { readonly headers?: Record<string, string>; readonly method?: string; readonly token?: string } = {}) =>
  api.request(`/api/v1/scans/${path}`, { token, ...init });

async function errorOf(response: Response): Promise<string> {
  const body = (await response.json()) as { errorMessage: string };
  expect(Object.keys(body)).toEqual(["errorMessage"]);
  return body.errorMessage;
}

describe.each(formats)("report.$extension", ({ extension, mediaType }) => {
  test("is a download with an ETag, the same for GET and HEAD", async () => {
    const response = await read(`${scan}/report.${extension}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(mediaType);
    expect(response.headers.get("content-disposition")).toMatch(
      new RegExp(`^attachment; filename="site\\.example_\\d{4}-\\d\\d-\\d\\d_${scan}\\.${extension}"$`),
    );
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const text = await response.text();
    expect(text.length).toBeGreaterThan(0);
    const etag = response.headers.get("etag") ?? "";
    const head = await read(`${scan}/report.${extension}`, { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    const again = await read(`${scan}/report.${extension}`, { headers: { "if-none-match": etag } });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
  });
  test("is 409 with Retry-After before the scan is over", async () => {
    const { token: waiting } = await api.start(token);
    for (const begin of [() => {}, () => api.claim()]) {
      await begin();
      const response = await read(`${waiting}/report.${extension}`);
      expect(response.status).toBe(409);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await errorOf(response)).toContain("not over");
    }
    await api.store.scans.fail(waiting, { code: "timeout", evidence: null, timings: {}, now: new Date() });
    const failed = await read(`${waiting}/report.${extension}`);
    expect([200, 409]).toContain(failed.status);
    expect(failed.headers.get("retry-after")).toBeNull();
    if (failed.status === 409) expect(await errorOf(failed)).toContain("nothing to write");
  });
  test("is the same 404 for a foreign and an unknown scan, and 401 without a token", async () => {
    const other = await api.customer();
    const answers = await Promise.all([
      read(`${scan}/report.${extension}`, { token: other.token }),
      read(`${"0".repeat(22)}/report.${extension}`),
      read(`%ff/report.${extension}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect((await api.request(`/api/v1/scans/${scan}/report.${extension}`)).status).toBe(401);
  });
  test("is 405 for other methods", async () => {
    const response = await read(`${scan}/report.${extension}`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});

describe("report.pdf", () => {
  beforeEach(() => {
    printing = new Uint8Array(Buffer.from("%PDF-1.7 test"));
  });

  test("is printed from report.html, and not again for the ETag of the same file", async () => {
    const response = await read(`${scan}/report.pdf?locale=de-de`);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "application/pdf",
      "%PDF-1.7 test",
    ]);
    expect(response.headers.get("content-disposition")).toMatch(new RegExp(`_${scan}\\.pdf"$`));
    expect(printed.at(-1)).toContain(' data-printed="short"');
    await read(`${scan}/report.pdf?locale=de-de&detail=full`);
    expect(printed.at(-1)).toBe(await (await read(`${scan}/report.html?locale=de-de`)).text());
    expect((await read(`${scan}/report.pdf?detail=other`)).status).toBe(400);
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\//);
    const prints = printed.length;
    const again = await read(`${scan}/report.pdf?locale=de-de`, { headers: { "if-none-match": etag } });
    expect([again.status, again.headers.get("etag"), await again.text(), printed.length]).toEqual([304, etag, "", prints]);
    expect((await read(`${scan}/report.pdf`, { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("is 503 with Retry-After while it cannot be printed, and refused as other formats are", async () => {
    for (const fault of ["busy", "failed"] as const) {
      printing = fault;
      const response = await read(`${scan}/report.pdf`);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "20"]);
      expect(await errorOf(response)).toContain("PDF");
    }
    const other = await api.customer();
    const { token: waiting } = await api.start(token);
    const answers = [read(`${waiting}/report.pdf`), read(`${scan}/report.pdf`, { token: other.token }), read(`${scan}/report.pdf?brand=x`)];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([409, 404, 400]);
    await api.claim();
  });

  test("has the brand of the account, which is never given to others from the cache", async () => {
    expect(await errorOf(await read(`${scan}/report.html?brand=own`))).toContain("PUT /api/v1/brand");
    await api.store.brands.change(accountId, () => ({ name: "Muster & Partner", logoPng: null, accent: "#14501e", footer: null }));
    const first = await read(`${scan}/report.pdf?brand=own`);
    expect(printed.at(-1)).toContain("<span>Muster &amp; Partner</span>");
    await api.store.brands.change(accountId, () => ({ name: "Renamed", logoPng: null, accent: null, footer: null }));
    const second = await read(`${scan}/report.pdf?brand=own`, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(printed.at(-1)).toContain("<span>Renamed</span>");
    expect(await (await read(`${scan}/report.html?brand=none`)).text()).not.toContain("Renamed");
  });
});

describe("options", () => {
  const json = async (query: string) => (await (await read(`${scan}/report.json${query}`)).json()) as FullReport<unknown, unknown>;

  test("locale selects the language; without it, it is English", async () => {
    const labels = async (query: string) => (await json(query)).security?.checks?.map(({ label }) => label);
    expect(await labels("")).toEqual(await labels("?locale=en-gb"));
    expect(await labels("?locale=de-de")).not.toEqual(await labels("?locale=en-gb"));
  });
  test("without parameters, a file is as with the documented default of each", async () => {
    await api.store.brands.change(accountId, () => ({ name: "Muster & Partner", logoPng: null, accent: "#14501e", footer: null }));
    const operation = openapiDocument().paths["/api/v1/scans/{token}/report.{extension}"]?.get as {
      readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: { readonly default?: string } }[];
    };
    const optional = operation.parameters.filter((parameter) => parameter.in === "query");
    const query = new URLSearchParams(optional.map(({ name, schema }) => [name, schema.default ?? "no default"]));
    expect([...query.keys()]).toEqual(["locale", "csv", "strict", "detail", "brand"]);
    for (const extension of ["csv", "html", "junit.xml"]) {
      const [bare, documented] = [await read(`${scan}/report.${extension}`), await read(`${scan}/report.${extension}?${query}`)];
      expect([documented.status, await documented.text()]).toEqual([200, await bare.text()]);
    }
  });
  test("other parameters are accepted by every format", async () => {
    for (const { extension } of formats)
      expect((await read(`${scan}/report.${extension}?csv=checks&strict=true&locale=de-de&other=1`)).status).toBe(200);
  });
  test.each([
    "locale=fr-fr",
    "csv=rows",
    "csv=",
    "strict=yes",
    "strict=",
    "strict=true&strict=true",
    "csv=checks&csv=findings",
    "brand=",
    "brand=7",
  ])("400 for ?%s", async (query) => {
    const response = await read(`${scan}/report.json?${query}`);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toContain("csv one of findings, checks");
  });
});

test("files have no evidence any more once its retention time has ended", async () => {
  const { evidence } = api.store;
  const kept = { ...evidence };
  const report = async () => (await (await read(`${scan}/report.json`)).json()) as FullReport<unknown, unknown>;
  const page = async () => (await read(`${scan}/report.html`)).text();
  const [before, pageBefore] = [await report(), await page()];
  expect(before.evidence).not.toBeNull();
  try {
    Object.assign(evidence, { find: () => undefined, has: () => false });
    expect(await report()).toEqual({ ...before, evidence: null, timings: null });
    expect((await page()).length).toBeLessThan(pageBefore.length);
  } finally {
    Object.assign(evidence, kept);
  }
});

test("report.json has the fields of the full report, with its findings in the order of fixing", async () => {
  const [file, full] = await Promise.all([read(`${scan}/report.json`), read(scan)]);
  const report = (await file.json()) as FullReport<unknown, unknown>;
  const stored = (await full.json()) as FullReport<unknown, unknown>;
  const codes = ({ security }: FullReport<unknown, unknown>) => security?.findings.map(({ code }) => code) ?? [];
  expect({ ...report, security: null }).toEqual({ ...stored, security: null });
  expect(codes(report).toSorted()).toEqual(codes(stored).toSorted());
  const severities = ["critical", "high", "medium", "low", "info"];
  const ranks = report.security?.findings.map(({ severity }) => severities.indexOf(severity)) ?? [];
  expect(codes(stored)).toEqual(result.findings.map(({ code }) => code));
  expect(codes(report)).not.toEqual(codes(stored));
  expect(ranks[0]).toBe(Math.min(...ranks));
});

test("docs/api.md names every format", () => {
  const text = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
  const named = [...text.matchAll(/^\| `report\.([\w.]+)` \|/gm)].map(([, extension]) => extension);
  expect(named.toSorted()).toEqual(extensions.toSorted());
});

test.each(["report", "report.", "report.exe", "report.JSON", "report.json.json", "report.toString"])(
  "%s is a 404 that names the formats",
  async (name) => {
    const response = await read(`${scan}/${name}`);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toBe(
      `There is no such report; there are ${extensions.map((extension) => `report.${extension}`).join(", ")}.`,
    );
  },
);
