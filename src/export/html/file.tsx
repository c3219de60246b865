/** The HTML file: its head with style and policy, and one report, or several below a table. */
import type { ComponentChildren } from "preact";
import { localLocation } from "../../parse/location.ts";
import { hostOf } from "../../parse/site.ts";
import type { Brand } from "../../report/brand.ts";
import { BrandMark } from "../../report/components/brand.tsx";
import { BrandFooter, BrandHeader } from "../../report/components/client-brand.tsx";
import { DocumentContext, type ReportDocument } from "../../report/context.ts";
import { printHeader, reportTitle, shortHost } from "../../report/report-head.tsx";
import { languageTag } from "../../text/translator.ts";
import type { ExportedScan } from "../export.ts";
import { fileIcon, filePolicy, fileStyle } from "./file-style.ts";
import { Overview } from "./overview.tsx";
import { ScanReport } from "./scan-report.tsx";

/** Reports of finished scans in one file: with more, browsers need seconds to open it, and the writer gigabytes. */
const reportsMax = 100;

interface HtmlFileProps {
  readonly scans: readonly ExportedScan[];
  readonly document: ReportDocument;
  /** Of assay. */
  readonly version: string;
  /** Null for that of assay. */
  readonly brand: Brand | null;
}

export function HtmlFile({ scans, document, version, brand }: HtmlFileProps) {
  const { i18n } = document;
  const [only] = scans.length === 1 ? scans : [];
  const several = i18n.count("report.file.heading", scans.length);
  return (
    <DocumentContext.Provider value={document}>
      <html lang={languageTag(i18n.locale)} data-print-header={only === undefined ? several : printHeaderOf(only, document)}>
        <Head title={`${only === undefined ? several : titleOf(only, document)} - ${brand?.name ?? "assay"}`} version={version} />
        <body>
          <a class="skip" href="#main">
            {i18n.t("layout.skip")}
          </a>
          <Frame document={document} version={version} brand={brand}>
            {only === undefined ? <Several scans={scans} document={document} title={several} /> : <ScanReport exported={only} />}
          </Frame>
        </body>
      </html>
    </DocumentContext.Provider>
  );
}

function titleOf({ scan, result }: ExportedScan, { i18n }: ReportDocument): string {
  if (result === null) return i18n.t("failed.title", { host: shortHost(scan.url) });
  return reportTitle(i18n, scan.url, result.score);
}

function printHeaderOf({ scan }: ExportedScan, { i18n }: ReportDocument): string {
  return printHeader(i18n, { url: scan.url, location: scan.location ?? localLocation, endedAt: scan.endedAt });
}

function Head({ title, version }: { readonly title: string; readonly version: string }) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={filePolicy} />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta name="robots" content="noindex" />
      <meta name="generator" content={`assay ${version}`} />
      <link rel="icon" href={fileIcon} />
      <style dangerouslySetInnerHTML={{ __html: fileStyle }} />
    </head>
  );
}

interface FrameProps extends Omit<HtmlFileProps, "scans"> {
  readonly children: ComponentChildren;
}

function Frame({ document: { i18n, hrefOf }, version, brand, children }: FrameProps) {
  const appliance = hrefOf("/");
  const madeBy = i18n.t("report.file.madeBy", { version });
  return (
    <>
      <header class="site-header">
        {brand !== null ? (
          <BrandHeader brand={brand} />
        ) : (
          <span class="brand">
            <BrandMark />
            assay
          </span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {children}
        <p class="muted">{i18n.t("report.noLegalStatement")}</p>
      </main>
      <footer class="site-footer">
        {brand !== null && <BrandFooter brand={brand} />}
        <p>{i18n.t("report.file.saved")}</p>
        <p>{appliance === null ? madeBy : <a href={appliance}>{madeBy}</a>}</p>
      </footer>
    </>
  );
}

interface SeveralProps extends Omit<HtmlFileProps, "version" | "brand"> {
  readonly title: string;
}

/** Table of all scans, then the reports. Ids have the number of their report, which keeps them apart. */
function Several({ scans, document, title }: SeveralProps) {
  const rows = worstFirst(scans).map((exported, at) => {
    return { exported, prefix: `r${at + 1}-`, hasReport: at < reportsMax || exported.result === null };
  });
  const reports = rows.filter(({ hasReport }) => hasReport);
  return (
    <>
      <Overview title={title} rows={rows} reportsMax={reports.length < rows.length ? reportsMax : null} />
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
