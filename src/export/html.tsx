/** Reports as one HTML file that needs neither network nor script: one report, or several below a table. */

import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { severities } from "../check/check.ts";
import type { StoredResult } from "../judge/result.ts";
import { localLocation } from "../parse/location.ts";
import { hostOf } from "../parse/site.ts";
import { type Brand, BrandFooter, BrandHeader, BrandMark } from "../report/brand.tsx";
import { Instant, LocationFact, SeverityChip } from "../report/components/labels.tsx";
import { DataTable } from "../report/components/layout.tsx";
import { SmallScore } from "../report/components/score-ring.tsx";
import { HostUrl } from "../report/components/untrusted-text.tsx";
import { DocumentContext, type ReportDocument, useDocument, useI18n } from "../report/context.ts";
import { EvidenceSections } from "../report/evidence/sections.tsx";
import { AllLines, FindingRows, FindingsSection, FirstSteps, findingsId } from "../report/findings.tsx";
import { LedgerSection } from "../report/ledger.tsx";
import { composeReport, isOpen, type Report } from "../report/report.ts";
import {
  FailureFacts,
  FailureReason,
  printHeader,
  ReportLead,
  ReportTitle,
  reportTitle,
  ScanNotices,
  shortHost,
} from "../report/report-head.tsx";
import { ReportVerdict, ScoreDetails } from "../report/score.tsx";
import { reportStyle } from "../report/style.ts";
import { serverLabel } from "../text/servers/server-lines.ts";
import { createI18n, languageTag } from "../text/translator.ts";
import type { ExportedScan, ExportSettings, ExportWriter, PrintedForm } from "./export.ts";
import fileRules from "./file.css" with { type: "text" };

/** Style of the file, without comments and indentation. */
export const fileStyle = [reportStyle, fileRules]
  .join("\n")
  .replaceAll(/\/\*.*?\*\//gs, "")
  .replaceAll(/\s*\n\s*/g, "\n")
  .trim();

/** The brand in a colour for light and dark tabs. */
const fileIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="12" fill="none" stroke="#4a7fd6" stroke-width="5" stroke-dasharray="65.6 75.4" transform="rotate(-90 16 16)"/></svg>',
)}`;

const styleHash = new Bun.CryptoHasher("sha256").update(fileStyle).digest("base64");

/** Policy for a meta element, where `frame-ancestors` has no effect (CSP level 3, section 3.3). */
const filePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'`;

interface HtmlFrameProps {
  readonly document: ReportDocument;
  /** Title of the content; the brand follows it. */
  readonly title: string;
  /** Text at the top of every printed page. */
  readonly printHeader: string;
  /** Sentence at the bottom on the time of the content. */
  readonly saved: string;
  /** Version of assay. */
  readonly version: string;
  /** Custom brand; null shows assay's own. */
  readonly brand: Brand | null;
  readonly printed?: PrintedForm | undefined;
  readonly children: ComponentChildren;
}

/** Text of an HTML file that needs neither network nor script. */
export function htmlText(props: HtmlFrameProps): string {
  return `<!doctype html>${renderToString(<HtmlFrame {...props} />)}\n`;
}

export function fileDocument(settings: Pick<ExportSettings, "locale" | "texts" | "checks" | "origin">): ReportDocument {
  const { locale, texts, checks, origin } = settings;
  return {
    // A file shows no time relative to now, so the clock is never read.
    i18n: createI18n(texts, locale),
    texts,
    checks,
    live: false,
    alone: true,
    hrefOf: (path) => (origin === null ? null : `${origin}${path}`),
    idOf: (id) => id,
  };
}

function HtmlFrame({ document, title, printHeader, saved, version, brand, printed, children }: HtmlFrameProps) {
  const { i18n } = document;
  return (
    <DocumentContext.Provider value={document}>
      <html lang={languageTag(i18n.locale)} data-print-header={printHeader} data-printed={printed === "short" ? printed : undefined}>
        <Head title={`${title} - ${brand?.name ?? "assay"}`} version={version} />
        <body>
          <a class="skip" href="#main">
            {i18n.t("layout.skip")}
          </a>
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
          <Footer document={document} saved={saved} version={version} brand={brand} />
        </body>
      </html>
    </DocumentContext.Provider>
  );
}

function Head({ title, version }: Pick<HtmlFrameProps, "title" | "version">) {
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

function Footer({ document: { i18n, hrefOf }, saved, version, brand }: Pick<HtmlFrameProps, "document" | "saved" | "version" | "brand">) {
  const appliance = hrefOf("/");
  const madeBy = i18n.t("report.file.madeBy", { version });
  return (
    <footer class="site-footer">
      {brand !== null && <BrandFooter brand={brand} />}
      <p>{saved}</p>
      <p>{appliance === null ? madeBy : <a href={appliance}>{madeBy}</a>}</p>
    </footer>
  );
}

interface FileHeadProps {
  /** Element id of the heading. */
  readonly id?: string;
  readonly title: ComponentChildren;
  readonly lead: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function FileHead({ title, lead, children, ...rest }: FileHeadProps) {
  return (
    <div class="page-head">
      <div>
        <h1 {...rest}>{title}</h1>
        <p class="lead">{lead}</p>
        {children}
      </div>
    </div>
  );
}

/** Element id of the heading of a report. */
const reportId = "report";
/** Element id of the table of all reports. */
const overviewId = "overview";

interface OfScan {
  readonly exported: ExportedScan;
}

function ScanReport({ exported }: OfScan) {
  const { result } = exported;
  return result === null ? <FailedScan exported={exported} /> : <FinishedScan exported={exported} result={result} />;
}

function locationOf({ scan }: ExportedScan): string {
  return scan.location ?? localLocation;
}

function FailedScan({ exported }: OfScan) {
  const { scan } = exported;
  const { i18n, idOf } = useDocument();
  const code = scan.errorCode ?? "unknown";
  return (
    <>
      <FileHead
        id={idOf(reportId)}
        title={i18n.t("failed.title", { host: shortHost(scan.url) })}
        lead={
          <>
            <HostUrl url={scan.url} />
            <LocationFact location={locationOf(exported)} />
          </>
        }
      />
      <FailureReason url={scan.url} code={code} />
      <FailureFacts endedAt={scan.endedAt} code={code} />
    </>
  );
}

function FinishedScan({ exported, result }: OfScan & { readonly result: StoredResult }) {
  const document = useDocument();
  const { evidence, timings, marks } = exported;
  const scan = { url: exported.scan.url, startedAt: null, endedAt: exported.scan.endedAt };
  const report = composeReport({ scan, result, evidence, timings, marks, serverPreference: null, earlier: [], allServers: true }, document);
  return (
    <>
      <FileHead
        id={document.idOf(reportId)}
        title={<ReportTitle host={report.host} />}
        lead={<ReportLead url={scan.url} location={locationOf(exported)} endedAt={scan.endedAt} />}
      />
      <div class="report-top">
        <ReportVerdict report={report}>
          <MarkCounts report={report} />
        </ReportVerdict>
        <FirstSteps findings={report.findings} linesId={findingsId} />
      </div>
      <ScanNotices report={report} />
      <ScoreDetails report={report} />
      <FindingsSection report={report}>
        {report.findings.length > 0 && <ServerOfLines report={report} />}
        <AllLines report={report} />
        <FindingRows report={report} findings={report.findings} />
      </FindingsSection>
      <LeftOut token={exported.scan.token} />
      <LedgerSection report={report} />
      <EvidenceSections report={report} />
      <p class="muted small">
        {document.i18n.t("report.file.rules", { algorithm: result.algorithmVersion, catalog: result.catalogVersion })}
      </p>
    </>
  );
}

/** Printed in the short form only: what it leaves out, and where that is. */
function LeftOut({ token }: Pick<ExportedScan["scan"], "token">) {
  const { i18n, hrefOf } = useDocument();
  const address = hrefOf(`/scans/${token}`);
  return (
    <p class="left-out muted">
      {i18n.t("report.file.leftOut")}{" "}
      {address !== null && (
        <>
          {i18n.t("report.file.leftOutAt")} <a href={address}>{address}</a>
        </>
      )}
    </p>
  );
}

/** Names the server of the open lines, because the reader of a file cannot choose. */
function ServerOfLines({ report: { server } }: { readonly report: Report }) {
  const { i18n } = useDocument();
  if (server.name === "explain") return null;
  const text = server.guessed ? "report.file.linesGuessed" : "report.file.linesDefault";
  return <p class="muted screen-only">{i18n.t(text, { server: serverLabel(server.name) })}</p>;
}

/** How many findings are accepted, and how many are new since the baseline. */
function MarkCounts({ report: { findings } }: { readonly report: Report }) {
  const { i18n } = useDocument();
  const accepted = findings.filter((finding) => !isOpen(finding)).length;
  const fresh = findings.filter(({ mark }) => mark?.inBaseline === false).length;
  return (
    <>
      {fresh > 0 && <p>{i18n.count("report.marks.newCount", fresh)}</p>}
      {accepted > 0 && <p>{i18n.count("report.marks.acceptedCount", accepted)}</p>}
    </>
  );
}

interface OverviewProps {
  readonly title: string;
  /** Rows in the order of the reports below. */
  readonly rows: readonly ListedScan[];
  /** How many reports the file may have; null if it has all. */
  readonly reportsMax: number | null;
}

interface ListedScan extends OfScan {
  /** Prefix of the ids of the report. */
  readonly prefix: string;
  readonly hasReport: boolean;
}

export function Overview({ title, rows, reportsMax }: OverviewProps) {
  const i18n = useI18n();
  const failed = rows.filter(({ exported }) => exported.result === null).length;
  return (
    <section aria-labelledby={overviewId}>
      <FileHead
        id={overviewId}
        title={title}
        lead={[i18n.t("report.file.lead"), " ", failed > 0 && i18n.count("report.file.failedCount", failed)]}
      >
        {reportsMax !== null && <p>{i18n.t("report.file.reportsCut", { max: reportsMax })}</p>}
      </FileHead>
      <DataTable
        caption={i18n.t("report.file.table")}
        captionUnseen
        rows={rows}
        columns={[
          { label: i18n.t("report.file.address"), cell: ReportLink },
          {
            label: i18n.t("report.file.score"),
            cell: ({ exported: { result } }) =>
              result === null ? <span class="poor">{i18n.t("report.file.failed")}</span> : <SmallScore score={result.score} />,
          },
          { label: i18n.t("report.file.findings"), cell: Findings },
          { label: i18n.t("failed.ended"), cell: ({ exported }) => <Instant at={exported.scan.endedAt} day /> },
        ]}
      />
    </section>
  );
}

function ReportLink({ exported, prefix, hasReport }: ListedScan) {
  const address = <HostUrl url={exported.scan.url} short />;
  return hasReport ? <a href={`#${prefix}${reportId}`}>{address}</a> : address;
}

/** Counts by severity. */
function Findings({ exported: { result } }: ListedScan) {
  const i18n = useI18n();
  if (result === null) return null;
  const bySeverity = Map.groupBy(result.findings, ({ severity }) => severity);
  if (bySeverity.size === 0) return <>{i18n.t("report.file.none")}</>;
  return (
    <>
      {severities.map((severity) => {
        const count = bySeverity.get(severity)?.length ?? 0;
        return count === 0 ? null : (
          <span key={severity}>
            <SeverityChip severity={severity} count={count} />{" "}
          </span>
        );
      })}
    </>
  );
}

/** Reports of finished scans in one file: with more, browsers need seconds to open it, and the writer gigabytes. */
const reportsMax = 100;

function titleOfScans(scans: readonly ExportedScan[], { i18n }: ReportDocument): string {
  const only = onlyOf(scans);
  if (only === undefined) return i18n.count("report.file.heading", scans.length);
  const { scan, result } = only;
  return result === null ? i18n.t("failed.title", { host: shortHost(scan.url) }) : reportTitle(i18n, scan.url, result.score);
}

function printHeaderOfScans(scans: readonly ExportedScan[], document: ReportDocument): string {
  const only = onlyOf(scans);
  if (only === undefined) return titleOfScans(scans, document);
  const { url, location = localLocation, endedAt } = only.scan;
  return printHeader(document.i18n, { url, location, endedAt });
}

/** The only scan; undefined for several scans and for an empty list. */
function onlyOf(scans: readonly ExportedScan[]): ExportedScan | undefined {
  return scans.length === 1 ? scans[0] : undefined;
}

/** Table of all scans, then the reports. Ids have the number of their report, which keeps them apart. */
function Several({ scans, document }: { readonly scans: readonly ExportedScan[]; readonly document: ReportDocument }) {
  const rows = worstFirst(scans).map((exported, at) => {
    return { exported, prefix: `r${at + 1}-`, hasReport: at < reportsMax || exported.result === null };
  });
  const reports = rows.filter(({ hasReport }) => hasReport);
  return (
    <>
      <Overview title={titleOfScans(scans, document)} rows={rows} reportsMax={reports.length < rows.length ? reportsMax : null} />
      {reports.map(({ exported, prefix }) => (
        <DocumentContext.Provider key={prefix} value={{ ...document, alone: false, idOf: (id) => `${prefix}${id}` }}>
          <article aria-labelledby={`${prefix}${reportId}`}>
            <ScanReport exported={exported} />
            <p class="screen-only">
              <a href={`#${overviewId}`}>{document.i18n.t("report.file.back")}</a>
            </p>
          </article>
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

export const writeHtml: ExportWriter = (scans, settings) => {
  const document = fileDocument(settings);
  const only = onlyOf(scans);
  return htmlText({
    document,
    title: titleOfScans(scans, document),
    printHeader: printHeaderOfScans(scans, document),
    saved: document.i18n.t("report.file.saved"),
    version: settings.version,
    brand: settings.brand ?? null,
    printed: settings.printed,
    children: only === undefined ? <Several scans={scans} document={document} /> : <ScanReport exported={only} />,
  });
};
