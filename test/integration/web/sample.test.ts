/** Sample report: of the present checks, in both languages, in no list. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { locales } from "../../../src/check/check.ts";
import sample from "../../../src/web/scans/report/sample-scan.json" with { type: "json" };
import { type PagesUnderTest, startPages } from "../../support/pages.ts";

const texts = { "en-gb": enGb.pages, "de-de": deDe.pages };
/** The program carries it, and every page of it is rendered from it. */
const sampleBytesMax = 100_000;
const renew = "Run npm run sample-report, which scans the own pages again.";

let pages: PagesUnderTest;

beforeAll(async () => {
  pages = await startPages();
});
afterAll(() => pages.stop());

async function read(path: string): Promise<string> {
  const answer = await pages.visitor().get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const shown = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("the sample", () => {
  // A newer check joins the sample when the script runs again.
  test("has rows and findings of present checks only", () => {
    const keys = builtInChecks.map(({ key }) => key);
    expect({ renew, gone: sample.result.ledger.filter(({ key }) => !keys.includes(key)) }).toEqual({ renew, gone: [] });
    const codes = builtInChecks.flatMap(({ findings }) => Object.keys(findings));
    expect({ renew, unknown: sample.result.findings.filter(({ code }) => !codes.includes(code)) }).toEqual({ renew, unknown: [] });
  });

  test("is small, measured, and of a name that is reserved for examples", () => {
    expect(JSON.stringify(sample).length).toBeLessThan(sampleBytesMax);
    expect(sample.result.measured).toBe(true);
    expect(sample.result.findings.length).toBeGreaterThan(2);
    expect(new URL(sample.scan.url).hostname).toMatch(/\.example\.org$/);
  });

  test("is a whole report with its date, in both languages", async () => {
    for (const locale of locales) {
      const html = await read(`/sample?locale=${locale}`);
      const { report } = texts[locale];
      for (const text of [report.sample.title, report.sample.what, report.noLegalStatement]) expect(shown(html)).toContain(text);
      expect(html).toContain(sample.result.catalogVersion);
      expect(html).toContain(`datetime="${sample.scan.endedAt}"`);
      for (const { code } of sample.result.findings) expect(html).toContain(`id="${code}"`);
      for (const { key } of sample.result.ledger) expect(html).toContain(`href="/checks/${key}"`);
      expect(html).not.toMatch(/\{\{|undefined|NaN/);
    }
  });

  test("leads to no scan that does not exist, and offers none of its own host", async () => {
    const html = await read("/sample");
    const targets = [...html.matchAll(/(?:href|action|src)="(\/[^"]*)"/g)].map(([, target = ""]) => target);
    expect(targets.filter((target) => /^\/(scans|hosts)\/./.test(target))).toEqual([]);
    expect(html).not.toContain(`value="${sample.scan.url}"`);
    const statuses = await Promise.all(
      [...new Set(targets.map((target) => target.replace(/#.*/, "")))].map(async (target) => [
        target,
        (await pages.visitor().get(target.replaceAll("&amp;", "&"))).status,
      ]),
    );
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  });

  test("can be filtered without script", async () => {
    const html = await read("/sample?state=notChecked");
    expect(html).toContain('aria-current="true"');
    expect(html).toContain('href="/sample?state=passed#ledger"');
  });

  test("is in no list, and has no path of a scan", async () => {
    await read("/sample");
    expect(pages.store.publicScans.list({ limit: 10, cursor: null }).items).toEqual([]);
    for (const path of ["/scans/sample", "/scans/sample.json", "/scans/sample/screenshot", "/hosts/assay.example.org"])
      expect([path, (await pages.visitor().get(path)).status]).toEqual([path, 404]);
  });

  test("is one link away from the start page", async () => {
    expect(await read("/")).toContain('href="/sample"');
  });
});
