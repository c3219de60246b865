/** Reports of a call on stdout, as text or as JSON. */
import type { Config } from "../app/settings.ts";
import { reportText } from "./report-text.ts";
import type { ScanOptions } from "./scan-options.ts";
import { type ReportCatalog, reportOf, type ScannedUrl } from "./scan-outcome.ts";
import { jsonLine, print } from "./terminal.ts";

/** Width of a report if the terminal does not report its own. */
const columnsDefault = 100;

export function renderReports(scanned: readonly ScannedUrl[], config: Config, options: ScanOptions, catalog: ReportCatalog): void {
  const locale = config["locale.default"];
  const colour = process.stdout.isTTY === true && options.color && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  // A terminal without size has 0 columns, as under "docker run -t" in a pipeline.
  const style = { locale, texts: catalog.texts, colour, columns: process.stdout.columns || columnsDefault };
  const reports = scanned.map((one) => reportOf(one, locale, catalog));
  if (options.format === "json") for (const report of reports) print(jsonLine(report));
  else if (reports.length > 0) print(reports.map((report) => reportText(report, style)).join("\n\n"));
}
