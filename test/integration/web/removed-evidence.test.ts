/** A scan whose evidence retention has removed: report, comparison, downloads, API and judging again. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEvidenceFile } from "../../../src/authoring/evidence-file.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import { removeDueEvidence } from "../../support/evidence-removal.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-removed-"));
const at = new Date("2026-01-02T03:04:05Z");
let pages: PagesUnderTest;
let old: string;
let young: string;
/** Report of the old scan before the removal. */
let before: string;

beforeAll(async () => {
  pages = await startPages();
  old = (await storeSite(pages.store, "bare", { at, screenshot: pixelJpeg })).token;
  young = (await storeSite(pages.store, "bare", { at: new Date() })).token;
  before = await read(`/scans/${old}`);
  await removeDueEvidence(pages.store, { evidenceDays: 30, scansPerHost: null, screenshots: 2_000 }, removedAt);
});
afterAll(async () => {
  await pages.stop();
  rmSync(folder, { recursive: true });
});

const removedAt = new Date("2026-11-20T12:00:00Z");
const read = async (path: string) => {
  const answer = await pages.visitor().get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

describe("after its evidence is removed", () => {
  test("the report keeps score, findings and ledger, and says what went when", async () => {
    expect(before).toContain(`src="/scans/${old}/screenshot"`);
    const after = await read(`/scans/${old}`);
    expect(after).toContain("The evidence of this scan was removed on 20 Nov");
    expect(after).toContain("The picture of the page was removed on 20 Nov");
    expect(after).not.toContain('screenshot"');
    expect((await pages.visitor().get(`/scans/${old}/screenshot`)).status).toBe(404);
    expect(await read(`/scans/${old}?locale=de-de`)).toMatch(/Die Belege dieses Scans wurden am 20\. Nov\S* 2026/);
    const findingsIn = (html: string) => [...html.matchAll(/id="(security\.[\w.-]+)"/g)].map(([, code]) => code);
    expect(findingsIn(after)).toEqual(findingsIn(before));
    expect(findingsIn(after).length).toBeGreaterThan(10);
    expect(await read(`/scans/${young}`)).not.toContain("was removed on");
  });

  test("it compares with a newer scan of the same page", async () => {
    expect(await read(`/scans/${young}/compare?with=${old}`)).not.toContain("Something went wrong");
    expect(await read(`/scans/${old}/compare?with=${young}`)).not.toContain("Something went wrong");
  });

  test.each(Object.values(exportFormats).map(({ extension }) => extension))("a download as %s has its findings", async (extension) => {
    expect((await read(`/scans/${old}.${extension}`)).length).toBeGreaterThan(500);
  });

  test("the JSON report says so, and judging it again says why that cannot be", async () => {
    const report = JSON.parse(await read(`/scans/${old}.json`));
    expect(report).toMatchObject({ evidence: null, timings: null, evidenceRemovedAt: removedAt.toISOString(), resultAvailable: true });
    const file = join(folder, "report.json");
    writeFileSync(file, JSON.stringify(report));
    expect(() => readEvidenceFile(file)).toThrow(`holds no evidence: its server removed it on ${removedAt.toISOString()}`);
    const kept = JSON.parse(await read(`/scans/${young}.json`));
    expect(kept.evidenceRemovedAt).toBeNull();
  });
});
