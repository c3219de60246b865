/** `/hosts/{host}`: scans of a host with their scores over time. */
import type { ScanRecord } from "../../store/scans.ts";
import { sameRules } from "../../text/comparison.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { HostName } from "../components/host-url.tsx";
import { Instant } from "../components/instant.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Pagination } from "../components/pagination.tsx";
import { Sparkline } from "../components/sparkline.tsx";
import { DataTable } from "../components/table.tsx";
import { useI18n, useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { hostFromSegment, hostPath, scanPath } from "./host-name.ts";
import { cursorOf, listPath } from "./list-query.ts";
import { endOf } from "./scan-end.ts";
import { ScanLink, Score } from "./scans-table.tsx";

const rowsPerPage = 100;

/** @throws PageError 404 for an invalid host; null means invalid percent-encoding. */
export function getHost(visit: Visit, segment: string | null): Response {
  const host = hostFromSegment(segment ?? "");
  if (host === null) throw notFound();
  const { i18n, settings } = visit;
  const cursor = cursorOf(visit.url.searchParams);
  // One more than shown: the oldest row needs its predecessor for comparison.
  const { items } = settings.store.publicScans.list({ host, exactly: true, cursor, limit: rowsPerPage + 1 });
  const title = i18n.t("host.title", { host });
  const isUnknown = items.length === 0 && cursor === null;
  return page(visit, {
    title,
    status: isUnknown ? 404 : 200,
    noIndex: isUnknown || !settings.reports.indexed,
    children: (
      <>
        <PageHead
          title={<HostName host={host} />}
          lead={items.length === 0 ? undefined : leadOf(i18n, items, cursor)}
          breadcrumbs={[publicList(i18n)]}
        >
          <a class="button" href={scanPath(host)}>
            {i18n.t("host.scanIt", { host })}
          </a>
        </PageHead>
        {items.length === 0 ? <Nothing host={host} past={cursor !== null} /> : <History host={host} scans={items} cursor={cursor} />}
      </>
    ),
  });
}

function publicList(i18n: Visit["i18n"]) {
  return { href: "/scans", text: i18n.t("scans.title") };
}

function leadOf(i18n: Visit["i18n"], { length }: readonly ScanRecord[], cursor: number | null): string {
  if (cursor !== null) return i18n.t("host.leadOlder");
  if (length > rowsPerPage) return i18n.t("host.leadMore", { count: rowsPerPage });
  return i18n.count("host.lead", length);
}

function Nothing({ host, past }: { readonly host: string; readonly past: boolean }) {
  const i18n = useI18n();
  return past ? (
    <EmptyState title={i18n.t("scans.past.title")}>
      <p>{i18n.t("scans.past.what")}</p>
      <p class="actions">
        <a href={hostPath(host)}>{i18n.t("components.pages.first")}</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title={i18n.t("host.none.title", { host })}>
      <p>{i18n.t("host.none.what")}</p>
    </EmptyState>
  );
}

interface HistoryProps {
  readonly host: string;
  /** Newest first; may contain one more than shown. */
  readonly scans: readonly ScanRecord[];
  readonly cursor: number | null;
}

function History({ host, scans, cursor }: HistoryProps) {
  const i18n = useI18n();
  const shown = scans.slice(0, rowsPerPage);
  const last = shown.at(-1);
  const next = scans.length > shown.length && last !== undefined ? listPath(hostPath(host), {}, last.id) : null;
  return (
    <>
      {scans.length === 1 && cursor === null ? <p>{i18n.t("host.single")}</p> : <ScoreHistory scans={scans} />}
      <HostScans scans={scans} />
      <p class="muted">{i18n.t("host.exactly")}</p>
      <Pagination first={cursor === null ? null : hostPath(host)} next={next} />
    </>
  );
}

/** True if the scores are not comparable: other checks or other rules. */
function isChanged({ summary }: ScanRecord, before: ScanRecord | undefined): boolean {
  return summary !== null && before !== undefined && before.summary !== null && !sameRules(summary, before.summary);
}

function ScoreHistory({ scans }: Pick<HistoryProps, "scans">) {
  const i18n = useI18n();
  const points = scans
    .slice(0, rowsPerPage)
    .map((scan, at) => ({ score: scan.summary?.score ?? null, changed: isChanged(scan, scans[at + 1]), at: scan.createdAt }))
    .reverse();
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const latest = last.score === null ? i18n.t("host.notMeasured") : i18n.number(last.score);
  const label = i18n.count("host.spark", points.length, { from: i18n.date(first.at), to: i18n.date(last.at), latest });
  return (
    <figure>
      <Sparkline points={points} label={label} />
      {points.some(({ changed }) => changed) && <figcaption class="muted">{i18n.t("host.changedNote")}</figcaption>}
    </figure>
  );
}

function HostScans({ scans }: Pick<HistoryProps, "scans">) {
  const i18n = useI18n();
  return (
    <DataTable
      caption={i18n.t("host.table")}
      captionUnseen
      rows={scans.slice(0, rowsPerPage)}
      columns={[
        { label: i18n.t("host.columns.url"), cell: (scan) => <ScanLink scan={scan} /> },
        { label: i18n.t("host.columns.score"), cell: (scan) => <Score scan={scan} /> },
        { label: i18n.t("host.columns.violated"), numeric: true, cell: ({ summary }) => i18n.number(summary?.violated ?? 0) },
        { label: i18n.t("host.columns.time"), cell: (scan) => <Instant at={endOf(scan)} /> },
        { label: i18n.t("host.columns.compare"), cell: (scan, at) => <Comparison scan={scan} before={scans[at + 1]} /> },
      ]}
    />
  );
}

function Comparison({ scan, before }: { readonly scan: ScanRecord; readonly before: ScanRecord | undefined }) {
  const { i18n } = useVisit();
  if (before === undefined) return null;
  const label = i18n.t("host.compareOf", { time: i18n.dateTime(endOf(scan)) });
  return (
    <>
      <a href={`/scans/${scan.token}/compare?with=${before.token}`} aria-label={label}>
        {i18n.t("host.compare")}
      </a>
      {isChanged(scan, before) && <span class="small muted"> {i18n.t("host.changed")}</span>}
    </>
  );
}
