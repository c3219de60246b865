/** Slow examinations of the HTML file: html-validate takes half a second of CPU for a report, and a file of 100 reports is large. */
import { expect, test } from "vitest";
import { markupComplaints } from "../../browser/web/markup.ts";
import { exportedScan, failedExport } from "../../support/exported-scans.ts";
import { htmlCases, htmlOf, shop } from "./html-cases.ts";

const cases = htmlCases.flatMap(([words, scans]) => ["en-gb", "de-de"].map((locale) => [words, locale, scans] as const));

test.each(cases)("a file with %s is valid in %s", async (_words, locale, scans) => {
  expect(await markupComplaints(htmlOf(scans, { locale }))).toEqual([]);
});

test("a file of very many pages has a table of all, and the reports of the lowest scores and of failed scans", () => {
  const plain = exportedScan("plain");
  const many = Array.from({ length: 150 }, (_, at) => ({ ...plain, scan: { ...plain.scan, url: `https://${at}.example/` } }));
  const html = htmlOf([...many, shop, failedExport()], { locale: "de-de" });
  expect(html.match(/<article /g)).toHaveLength(101);
  expect(html.match(/<a href="#r\d+-report"/g)).toHaveLength(101);
  expect(html).toContain("die mit den 100 niedrigsten Punktzahlen");
  for (const { scan } of many) expect(html).toContain(`>${new URL(scan.url).host}<`);
  expect(html.indexOf('aria-labelledby="r1-report"')).toBeLessThan(html.indexOf('aria-labelledby="r152-report"'));
});
