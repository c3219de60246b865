/** Scans whose HTML file is examined. */
import type { ExportedScan } from "../../../src/export/export.ts";
import { writeHtml } from "../../../src/export/html.tsx";
import { exportedScan, exportSettings, failedExport } from "../../support/exported-scans.ts";
import { poisonedScan } from "../../support/poisoned-scan.ts";

export const shop = exportedScan("shop");
export const several = [exportedScan("sound"), shop, failedExport(), exportedScan("shop"), exportedScan("plain")];
export const htmlCases: readonly (readonly [string, readonly ExportedScan[]])[] = [
  ["one report", [shop]],
  ["a report without evidence", [exportedScan("bare", { evidence: null })]],
  ["several reports", several],
  ["a failed scan", [failedExport()]],
  ["a hostile site", [exportedScan(poisonedScan())]],
  ["no scan", []],
];

export function htmlOf(scans: readonly ExportedScan[], given: Parameters<typeof exportSettings>[0] = {}): string {
  return writeHtml(scans, exportSettings(given)) ?? "";
}
