/** The embedded HSTS preload list, as the program unpacks it. */
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { parsePreloadList, preloadCoverage } from "../../../src/parse/host-lists.ts";
import embeddedFile from "../../../src/probe/browser/hsts-preload-2026-06-01.tsv.gz" with { type: "file" };
import { preloadList } from "../../../src/probe/browser/page-preload.ts";

test("is sorted, complete and small", () => {
  const { bytes, date } = preloadList();
  expect(parsePreloadList(new TextDecoder().decode(bytes))).toEqual({ bytes: new Uint8Array(bytes) });
  expect(bytes.filter((byte) => byte === 0x0a).length).toBe(94_600);
  expect(embeddedFile).toContain(date);
  expect(statSync(embeddedFile).size).toBeLessThan(1_000_000);
});

test.each([
  ["dev", true, true],
  ["shop.app", true, true],
  ["xn--jlq480n2rg", true, true],
  ["zip", true, true],
  ["figma.com", true, true],
  ["www.figma.com", true, false],
  ["x.www.figma.com", false, false],
  ["bbc.co.uk", true, false],
  ["news.bbc.co.uk", false, false],
  ["accounts.google.com", true, true],
  ["a-name-that-is-not-preloaded.com", false, false],
  ["com", false, false],
])("covers %s: %p, and names below it: %p", (host, own, subdomains) => {
  expect(preloadCoverage(preloadList(), host)).toEqual({ host: own, subdomains });
});
