/** Content of the HTML file of scans: one report, or several below a table. */
import { localLocation } from "../../parse/location.ts";
import { hostOf } from "../../parse/site.ts";
import { DocumentContext, type ReportDocument } from "../../report/context.ts";
import { printHeader, reportTitle, shortHost } from "../../report/report-head.tsx";
import type { ExportedScan } from "../export.ts";
import { Overview } from "./overview.tsx";
import { ScanReport } from "./scan-report.tsx";

/** Reports of finished scans in one file: with more, browsers need seconds to open it, and the writer gigabytes. */
const reportsMax = 100;

interface ScansProps {
  readonly scans: readonly ExportedScan[];
  readonly document: ReportDocument;
}

export function ScanReports({ scans, document }: ScansProps) {
  const only = onlyOf(scans);
  return only === undefined ? <Several scans={scans} document={document} /> : <ScanReport exported={only} />;
}

export function titleOfScans(scans: readonly ExportedScan[], { i18n }: ReportDocument): string {
  const only = onlyOf(scans);
  if (only === undefined) return i18n.count("report.file.heading", scans.length);
  const { scan, result } = only;
  return result === null ? i18n.t("failed.title", { host: shortHost(scan.url) }) : reportTitle(i18n, scan.url, result.score);
}

export function printHeaderOfScans(scans: readonly ExportedScan[], document: ReportDocument): string {
  const only = onlyOf(scans);
  if (only === undefined) return titleOfScans(scans, document);
  const { url, location = localLocation, endedAt } = only.scan;
  return printHeader(document.i18n, { url, location, endedAt });
}

/** Undefined for no scan and for several. */
function onlyOf(scans: readonly ExportedScan[]): ExportedScan | undefined {
  return scans.length === 1 ? scans[0] : undefined;
}

/** Table of all scans, then the reports. Ids have the number of their report, which keeps them apart. */
function Several({ scans, document }: ScansProps) {
  const rows = worstFirst(scans).map((exported, at) => {
    return { exported, prefix: `r${at + 1}-`, hasReport: at < reportsMax || exported.result === null };
  });
  const reports = rows.filter(({ hasReport }) => hasReport);
  return (
    <>
      <Overview title={titleOfScans(scans, document)} rows={rows} reportsMax={reports.length < rows.length ? reportsMax : null} />
      {reports.map(({ exported, prefix }) => (
        <DocumentContext.Provider key={prefix} value={{ ...document, alone: false, idOf: (id) => `${prefix}${id}` }}>
          <ScanReport exported={exported} overview />
        </DocumentContext.Provider>
      ))}
    </>
  );
}

/** Lowest scores first, by host where they are equal; scans without a score last. */
function worstFirst(scans: readonly ExportedScan[]): readonly ExportedScan[] {
  const scoreOf = ({ result }: ExportedScan) => result?.score ?? Number.POSITIVE_INFINITY;
  const nameOf = ({ scan }: ExportedScan) => `${hostOf(scan.url)} ${scan.url}`;
  return scans.toSorted((one, other) => {
    const [score, otherScore] = [scoreOf(one), scoreOf(other)];
    if (score !== otherScore) return score - otherScore;
    return nameOf(one) < nameOf(other) ? -1 : Number(nameOf(one) > nameOf(other));
  });
}
