/** Reports as one HTML file that needs neither network nor script. */
import type { ExportWriter } from "./export.ts";
import { fileDocument, htmlText } from "./html/frame.tsx";
import { printHeaderOfScans, ScanReports, titleOfScans } from "./html/scan-reports.tsx";

export const writeHtml: ExportWriter = (scans, settings) => {
  const document = fileDocument(settings);
  return htmlText({
    document,
    title: titleOfScans(scans, document),
    printHeader: printHeaderOfScans(scans, document),
    saved: document.i18n.t("report.file.saved"),
    version: settings.version,
    brand: settings.brand ?? null,
    children: <ScanReports scans={scans} document={document} />,
  });
};
