/** Report page of a finished scan. */

import type { ComponentChildren } from "preact";
import { createRateLimit } from "../../../base/rate-limit.ts";
import { dayMs } from "../../../base/units.ts";
import { algorithmVersion, type StoredFinding } from "../../../judge/result.ts";
import { Ago, Instant } from "../../../report/components/labels.tsx";
import { DataTable, Details, Section } from "../../../report/components/layout.tsx";
import { Notice } from "../../../report/components/notice.tsx";
import { SmallScore } from "../../../report/components/score-ring.tsx";
import { HostUrl, WholeUrl } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import { EvidenceSections } from "../../../report/evidence/sections.tsx";
import { FirstSteps, type TickedLines } from "../../../report/findings.tsx";
import { AreaBars } from "../../../report/ledger.tsx";
import { printHeader, reportTitle, ScanNotices } from "../../../report/report-head.tsx";
import { ReportVerdict, ScoreDetails } from "../../../report/score.tsx";
import { scanLocationOf } from "../../../store/scan-location.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import { sameRules } from "../../../text/comparison.ts";
import { type BrandChoice, brandChoices } from "../../agency/usable-brands.ts";
import { useVisit } from "../../context.ts";
import { type PageContent, page } from "../../page.tsx";
import { type CachedPage, cachedPage } from "../../page-cache.ts";
import { proves, TryFix } from "../../proofs/start.tsx";
import type { PagesSettings } from "../../settings.ts";
import type { Answer, SharedVisit, Visit } from "../../visit.ts";
import { reusedScanParam } from "../dedup.ts";
import { endOf, hostPath, scanHost } from "../list-query.ts";
import { ScoreHistory, scoreChange } from "../score-history.tsx";
import { Findings, findingChoiceParams, serverChoiceId, serverParam, tickParam, ticksSentParam } from "./findings.tsx";
import { ReportAside, ReportHead } from "./head.tsx";
import { linkPreview } from "./images.ts";
import { Ledger, ledgerParams } from "./ledger.tsx";
import { earlierScansMax, gatherReport, resultOf, type StoredReport } from "./stored-report.ts";

/** Codes of findings that a reader may tick; more were typed into the address. */
const ticksMax = 200;
/** Judgements for one address in a minute: each tick is one. */
const ticksPerMinuteMax = 30;
const minuteSeconds = 60;

/** `scan` must be finished. */
export function createReportPage({ now }: PagesSettings): (visit: Visit, scan: ScanRecord) => Answer {
  const countTick = createRateLimit({ requestsMax: ticksPerMinuteMax, windowSeconds: minuteSeconds }, () => now().getTime());
  return (visit, scan) => {
    const { searchParams } = visit.url;
    const codes = searchParams.getAll(tickParam).slice(0, ticksMax);
    if (codes.length === 0 && !searchParams.has(ticksSentParam)) return cachedReport(visit, scan);
    return tickedReport(visit, scan, codes, countTick(visit.address).exceeded);
  };
}

/** Report with the lines of some findings. The judge gives their score while the evidence exists and the rules are the same. */
async function tickedReport(visit: Visit, scan: ScanRecord, codes: readonly string[], isOverLimit: boolean): Promise<Response> {
  const { store, catalog, scanning } = visit.settings;
  const result = resultOf(visit, scan);
  const evidence = isOverLimit ? null : (store.evidence.find(scan.token)?.evidence ?? null);
  const isSame = sameRules(result, { ...result, algorithmVersion, catalogVersion: catalog.version });
  const lines =
    evidence === null || !isSame ? null : await scanning.scoreOfLines({ evidence, result, checks: catalog.checks, chosen: codes });
  return page(visit, reportContent(visit, scan, brandChoices(visit), { codes, lines }));
}

function cachedReport(visit: Visit, scan: ScanRecord): Response {
  const { key, ...cached } = reportCacheKey(visit, scan);
  // The content cannot read the account. Each set of brands has a cached page of its own, with the button of proofs and without.
  const brands = brandChoices(visit);
  return cachedPage(visit, {
    ...cached,
    key: [...key, JSON.stringify([brands, proves(visit, scanLocationOf(scan))])],
    content: (shared) => reportContent(shared, scan, brands),
  });
}

function reportContent(
  visit: SharedVisit,
  scan: ScanRecord,
  brands: readonly BrandChoice[],
  ticked: TickedLines | null = null,
): PageContent {
  const report = gatherReport(visit, scan);
  return {
    title: reportTitle(visit.i18n, scan.url, report.result.score),
    noIndex: !visit.settings.config["report.index"],
    printHeader: printHeader(visit.i18n, { url: scan.url, location: scanLocationOf(scan), endedAt: endOf(scan) }),
    ...linkPreview(visit, report),
    children: <ReportBody report={report} brands={brands} ticked={ticked} />,
  };
}

/** A search is not cached: its words are anything. */
const cachedParams = [...findingChoiceParams, ...ledgerParams, serverParam];

/** What a cached report page depends on. A finished scan never changes, but its evidence and screenshot expire, and scans of its host come and go. */
export function reportCacheKey({ settings: { store } }: Pick<SharedVisit, "settings">, scan: ScanRecord): Omit<CachedPage, "content"> {
  const host = scanHost(scan);
  const location = scanLocationOf(scan);
  const newest = store.publicScans.idsOfHost(host, location, { limit: earlierScansMax, cursor: null });
  const earlier = store.publicScans.idsOfHost(host, location, { limit: earlierScansMax, cursor: scan.id });
  const key = [scan.token, store.evidence.has(scan.token), store.screenshots.has(scan.token), newest.join(), earlier.join()];
  return { key, params: cachedParams, daysSince: endOf(scan) };
}

interface OfReport {
  readonly report: StoredReport;
}

interface BodyProps extends OfReport {
  readonly brands: readonly BrandChoice[];
  readonly ticked: TickedLines | null;
}

function ReportBody({ report, brands, ticked }: BodyProps) {
  const { i18n } = useVisit();
  const problems = report.findings.filter(({ points }) => points !== 0).map(({ finding }) => finding);
  return (
    <>
      <ReusedScanNotice report={report} />
      <ReportHead report={report} />
      <ReportSections
        report={report}
        aside={<ReportAside report={report} brands={brands} />}
        notices={<Notices report={report} />}
        ticked={ticked}
        tryFix={(finding) => <TryFix scan={report.scan} finding={finding} all={problems} />}
        leftOut={<p class="print-only not-printed">{i18n.t("report.print.leftOut")}</p>}
      />
      <Screenshot report={report} />
      <History report={report} />
    </>
  );
}

interface SectionsProps extends OfReport {
  /** Content beside the verdict. */
  readonly aside?: ComponentChildren;
  readonly notices?: ComponentChildren;
  /** As for `Findings`. */
  readonly ticked?: TickedLines | null;
  /** Button that proves the lines of a finding, or of all for null. */
  readonly tryFix?: (finding: StoredFinding | null) => ComponentChildren;
  /** Says on paper what is not printed. */
  readonly leftOut?: ComponentChildren;
}

/** The verdict, then the findings, the ledger and the evidence. */
export function ReportSections({ report, aside, notices, leftOut, ticked, tryFix = () => null }: SectionsProps) {
  return (
    <>
      <div class="report-top">
        <StoredVerdict report={report} />
        <FirstSteps findings={report.findings} linesId={serverChoiceId}>
          {tryFix(null)}
        </FirstSteps>
        {aside}
        <AreaBars report={report} />
      </div>
      {notices}
      <ScoreDetails report={report} />
      <Findings report={report} ticked={ticked} action={({ finding }) => tryFix(finding)} />
      {leftOut}
      <Ledger report={report} />
      <EvidenceSections report={report} />
    </>
  );
}

/** Verdict with the change since the last scan. */
function StoredVerdict({ report }: OfReport) {
  const i18n = useI18n();
  const change = report.previous === null ? null : scoreChange(i18n, report.result, endOf(report.scan), report.previous);
  return (
    <ReportVerdict report={report} change={change}>
      <p class="small">
        {change !== null && <span>{change}</span>}
        {report.comparable !== null && (
          <>
            {" "}
            <a href={`/scans/${report.scan.token}/compare?with=previous`}>{i18n.t("report.actions.compare")}</a>
          </>
        )}
      </p>
    </ReportVerdict>
  );
}

function Notices({ report }: OfReport) {
  return (
    <>
      <ScanNotices report={report} />
      <Stale report={report} />
      <OtherRules report={report} />
      <Newer report={report} />
    </>
  );
}

/** Explains that a recent scan was reused, so that its result is not mistaken for a new one. */
function ReusedScanNotice({ report: { scan } }: OfReport) {
  const { i18n, now, url, settings } = useVisit();
  const waitSeconds = Math.ceil((Date.parse(scan.createdAt) - now.getTime()) / 1_000) + settings.config["scan.cooldown"];
  if (!url.searchParams.has(reusedScanParam) || waitSeconds <= 0) return null;
  return <Notice title={i18n.t("report.notices.again")} text={i18n.t("report.notices.againMeans", { wait: i18n.duration(waitSeconds) })} />;
}

function Stale({ report: { scan } }: OfReport) {
  const { i18n, now, settings } = useVisit();
  const at = endOf(scan);
  const days = Math.floor((now.getTime() - Date.parse(at)) / dayMs);
  if (days <= settings.config["report.stale_days"]) return null;
  return <Notice kind="warn" title={i18n.count("report.notices.stale", days)} text={i18n.t("report.notices.staleMeans")} />;
}

function OtherRules({ report: { result } }: OfReport) {
  const { i18n, settings } = useVisit();
  if (sameRules(result, { ...result, algorithmVersion, catalogVersion: settings.catalog.version })) return null;
  return <Notice title={i18n.t("report.notices.otherRules")} text={i18n.t("report.notices.otherRulesMeans")} />;
}

function Newer({ report: { newer, scan } }: OfReport) {
  const i18n = useI18n();
  if (newer === null) return null;
  return (
    <Notice title={i18n.t(newer.url === scan.url ? "report.notices.newer" : "report.notices.newerOfHost")}>
      <p>
        <a href={`/scans/${newer.token}`}>{i18n.t("report.notices.newerRead")}</a> <Instant at={endOf(newer)} />
      </p>
    </Notice>
  );
}

function Screenshot({ report: { scan, hasScreenshot, host } }: OfReport) {
  const i18n = useI18n();
  const removedAt = scan.removed?.screenshot;
  if (!hasScreenshot)
    return removedAt === undefined ? null : (
      <p class="muted small">{i18n.t("report.screenshot.removed", { at: i18n.dateTime(removedAt) })}</p>
    );
  const at = i18n.dateTime(endOf(scan));
  return (
    <details class="evidence">
      <summary>
        <h2>{i18n.t("report.screenshot.heading")}</h2>
      </summary>
      <figure id="screenshot">
        <img
          class="screenshot"
          src={`/scans/${scan.token}/screenshot`}
          alt={i18n.t("report.screenshot.alt", { host, at })}
          loading="lazy"
          decoding="async"
        />
        <figcaption class="muted small">{i18n.t("report.screenshot.caption")}</figcaption>
      </figure>
    </details>
  );
}

/** Newest scans of the same host as chart and table, and the closing note of every report. */
function History({ report }: OfReport) {
  const { host, history } = report;
  const i18n = useI18n();
  return (
    <Section id="history" title={i18n.t("report.history.heading", { host })}>
      {history.length < 2 ? <p>{i18n.t("report.history.only")}</p> : <HistoryOfHost report={report} />}
      <p>
        <a href={hostPath(host, { location: scanLocationOf(report.scan) })}>{i18n.t("report.history.all", { host })}</a>
      </p>
      <ClosingNote />
    </Section>
  );
}

export function ClosingNote() {
  const i18n = useI18n();
  return (
    <p class="muted">
      {i18n.t("report.noLegalStatement")} <a href="/about">{i18n.t("report.about")}</a>
    </p>
  );
}

function HistoryOfHost({ report: { scan, host, history } }: OfReport) {
  const i18n = useI18n();
  return (
    <>
      <ScoreHistory source={{ host, location: scanLocationOf(scan) }} scans={history} chosen={null} current={scan.token} />
      <Details summary={i18n.t("report.history.table")}>
        <DataTable
          caption={i18n.t("report.history.heading", { host })}
          captionUnseen
          rows={history}
          columns={[
            { label: i18n.t("report.history.when"), cell: (other) => <When scan={other} current={other.token === scan.token} /> },
            {
              label: i18n.t("report.history.score"),
              cell: ({ summary }) => <SmallScore score={summary?.score ?? null} />,
            },
            {
              label: i18n.t("report.history.address"),
              cell: ({ url }) => (
                <>
                  <HostUrl url={url} short />
                  <WholeUrl url={url} />
                </>
              ),
            },
            {
              label: i18n.t("report.history.compare"),
              unseen: true,
              cell: (other) =>
                other.token === scan.token ? null : (
                  <a
                    href={`/scans/${scan.token}/compare?with=${other.token}`}
                    aria-label={i18n.t("report.history.compareWith", { at: i18n.dateTime(endOf(other)) })}
                  >
                    {i18n.t("report.history.compare")}
                  </a>
                ),
            },
          ]}
        />
      </Details>
    </>
  );
}

function When({ scan, current }: { readonly scan: ScanRecord; readonly current: boolean }) {
  const i18n = useI18n();
  const at = endOf(scan);
  const time = <Instant at={at} relative={false} />;
  return (
    <>
      {current ? time : <a href={`/scans/${scan.token}`}>{time}</a>}{" "}
      {current ? <strong>{i18n.t("report.history.this")}</strong> : <Ago at={at} />}
    </>
  );
}
