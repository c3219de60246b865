/** `/sample`: report of a scan of the own pages, which the program carries. It is in no list and in no store. */

import type { Evidence } from "../../../evidence/evidence.ts";
import type { Timings } from "../../../evidence/scan.ts";
import type { StoredResult } from "../../../judge/result.ts";
import { Instant } from "../../../report/components/labels.tsx";
import { Notice } from "../../../report/components/notice.tsx";
import { useI18n } from "../../../report/context.ts";
import type { ScanRecord } from "../../../store/scans.ts";
import type { Store } from "../../../store/store.ts";
import { PageHead } from "../../components/navigation.tsx";
import { cachedPage } from "../../page-cache.ts";
import type { SharedVisit, Visit } from "../../visit.ts";
import { endOf } from "../list-query.ts";
import { ClosingNote, ReportSections, reportCacheKey } from "./report-page.tsx";
import sampleScan from "./sample-scan.json" with { type: "json" };
import { gatherReport, type StoredReport } from "./stored-report.ts";

/** Written by build/sample-report.ts. */
const { scan, result, evidence, timings } = sampleScan as unknown as {
  readonly scan: Pick<ScanRecord, "url" | "createdAt" | "startedAt" | "endedAt" | "summary">;
  readonly result: StoredResult;
  readonly evidence: Evidence;
  readonly timings: Timings;
};

/** No stored scan has its token, so no path leads to it. */
const sampleRecord: ScanRecord = {
  ...scan,
  token: "sample",
  id: 0,
  accountId: null,
  status: "finished",
  progressStage: null,
  progressPercent: 100,
  attempts: 1,
  errorCode: null,
};

export function getSample(visit: Visit): Response {
  return cachedPage(visit, { ...reportCacheKey(withSampleStore(visit), sampleRecord), content: sampleContent });
}

function withSampleStore(visit: SharedVisit): SharedVisit {
  const { settings } = visit;
  return { ...visit, settings: { ...settings, store: sampleStore(settings.store) } };
}

/** The store as if it held the sample alone. */
function sampleStore(store: Store): Store {
  return {
    ...store,
    results: { find: () => result },
    evidence: { find: () => ({ evidence, timings }), has: () => true },
    screenshots: { ...store.screenshots, has: () => false },
    publicScans: { list: () => ({ items: [], nextCursor: null }), idsOfHost: () => [], locationsOfHost: () => [] },
  };
}

function sampleContent(visit: SharedVisit) {
  const report = gatherReport(withSampleStore(visit), sampleRecord);
  return {
    title: visit.i18n.t("report.sample.title"),
    children: <SampleBody report={report} />,
  };
}

function SampleBody({ report }: { readonly report: StoredReport }) {
  const i18n = useI18n();
  const at = endOf(report.scan);
  return (
    <>
      <PageHead title={i18n.t("report.sample.title")} lead={<Instant at={at} relative={false} />}>
        <a class="button" href="/">
          {i18n.t("report.sample.start")}
        </a>
      </PageHead>
      <Notice
        title={i18n.t("report.sample.what")}
        text={i18n.t("report.sample.how", { date: i18n.date(at), rules: report.result.catalogVersion })}
      />
      <ReportSections report={report} />
      <ClosingNote />
    </>
  );
}
