/** Reports as JSON lines. */
import { describe, expect, test } from "vitest";
import { exportFormats } from "../../../src/export/formats.ts";
import { readReports } from "../../support/export-readers.ts";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";

describe("json", () => {
  const { extension, mediaType, write } = exportFormats.json;

  test("has its extension and media type", () => {
    expect([extension, mediaType]).toEqual(["json", "application/json"]);
  });

  test("is the full report of each scan on a line of its own", () => {
    const scans = [exportedScan("bare"), exportedScan("sound")];
    const lines = write(scans, exportSettings())?.trimEnd().split("\n") ?? [];
    expect(lines.map((line) => JSON.parse(line).url)).toEqual(scans.map(({ scan }) => scan.url));
    const report = JSON.parse(lines[0] ?? "");
    expect(report.security.findings.map(({ code }: { readonly code: string }) => code)).toEqual(
      scans[0]?.result?.findings.map(({ code }) => code),
    );
  });

  test("follows the schema of the API", () => {
    const scans = [...(["bare", "sound", "old", "shop"] as const).map((site) => exportedScan(site)), failedExport()];
    expect(readReports(write(scans, exportSettings()) ?? "").map(({ url }) => url)).toEqual(scans.map(({ scan }) => scan.url));
  });

  test("tells why a scan failed", () => {
    const report = JSON.parse(write([failedExport()], exportSettings()) ?? "");
    expect(report).toMatchObject({ status: "failed", scanErrorMessage: expect.stringContaining("unreachable.example") });
  });
});
