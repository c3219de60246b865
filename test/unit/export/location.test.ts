/** Location of a scan in each export format: named unless the server itself measured. */
import { describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import type { ExportedScan } from "../../../src/export/export.ts";
import { exportFormats } from "../../../src/export/formats.ts";
import { readCsv } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

const from = (exported: ExportedScan, location: string | undefined): ExportedScan => ({
  ...exported,
  scan: { ...exported.scan, location },
});
const local = exportedScan("bare");
const berlin = from(local, "berlin");
const { csv, html, json, junit, md, sarif } = exportFormats;

test("is a field of JSON, local for the server itself", () => {
  const locations = (json.write([local, berlin, from(local, "local")], exportSettings()) ?? "")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).location);
  expect(locations).toEqual(["local", "berlin", "local"]);
});

test.each(["findings", "checks"] as const)("is the last column of CSV lines of %s, also of failed scans", (csvRows) => {
  const records = readCsv(csv.write([berlin, failedExport(), from(failedExport(), "paris")], exportSettings({ csvRows })) ?? "");
  expect(Object.keys(records[0] ?? {}).at(-1)).toBe("location");
  expect([...new Set(records.map(({ location }) => location))]).toEqual(["berlin", "local", "paris"]);
});

describe.each([
  ["en-gb", enGb],
  ["de-de", deDe],
] as const)("in %s", (locale, texts) => {
  const line = texts.pages.location.of.replace("{{location}}", "berlin");
  const scans = { berlin, failed: from(failedExport(), "berlin") };

  test("is a line of Markdown and of the HTML file, which every printed page repeats", () => {
    for (const { write } of [md, html]) {
      for (const scan of Object.values(scans)) expect(write([scan], exportSettings({ locale }))).toContain(line);
      expect(write([local], exportSettings({ locale }))).not.toContain(line.replace("berlin", ""));
    }
    expect(html.write([berlin], exportSettings({ locale }))).toMatch(new RegExp(`data-print-header="[^"]*${line}"`));
  });
});

test("keeps the histories of JUnit and SARIF apart", () => {
  const classes = /classname="([^"]+)"/.exec(junit.write([berlin], exportSettings()) ?? "")?.[1];
  expect(classes).toBe(`${local.scan.url} (berlin)`);
  const runs = JSON.parse(sarif.write([local, berlin], exportSettings()) ?? "").runs as { automationDetails: { id: string } }[];
  const host = new URL(local.scan.url).hostname;
  expect(runs.map(({ automationDetails }) => automationDetails.id)).toEqual([`assay/${host}/`, `assay/${host}/berlin/`]);
});
