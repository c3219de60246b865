/** Full reports as JSON, one line for each scan: the body that the API gives. */
import type { Evidence } from "../evidence/evidence.ts";
import type { Timings } from "../evidence/scan.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import { type FullReport, renderFullReport } from "../text/render.ts";
import type { ExportedScan, ExportWriter } from "./export.ts";

export function fullReportOf(exported: ExportedScan, locale: PageLocale, texts: Texts): FullReport<Evidence, Timings> {
  const { scan, result, evidence, timings } = exported;
  return renderFullReport(scan, result, { evidence, timings }, locale, texts);
}

export const writeJson: ExportWriter = (scans, { locale, texts }) =>
  scans.map((scan) => `${JSON.stringify(fullReportOf(scan, locale, texts))}\n`).join("");
