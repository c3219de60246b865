/** `/hosts/{host}`: how a host's scans came out, one after the other. */

import type { ScanRecord } from "../../store/scans.ts";
import { sameRules } from "../../text/comparison.ts";
import { page } from "../answer.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Instant } from "../components/instant.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Pagination } from "../components/pagination.tsx";
import { Sparkline } from "../components/sparkline.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit, useWords } from "../context.ts";
import { notFound } from "../errors.ts";
import type { Visit } from "../visit.ts";
import { hostNamed, hostPath, scanPath } from "./host-name.ts";
import { cursorOf, listPath } from "./list-query.ts";
import { endOf } from "./scan-end.ts";
import { ScanLink, Score } from "./scans-table.tsx";

const rowsPerPage = 100;

/** A name of broken percent-encoding arrives as null. @throws PageError 404 for what cannot be a host. */
export function getHost(visit: Visit, given: string | null): Response {
  const host = hostNamed(given ?? "");
  if (host === null) throw notFound();
  const { words, settings } = visit;
  const cursor = cursorOf(visit.url.searchParams);
  // One more than is shown: the oldest row too is held against the scan before it.
  const { items } = settings.store.publicScans.list({ host, exactly: true, cursor, limit: rowsPerPage + 1 });
  const title = words.say("host.title", { host });
  const isUnknown = items.length === 0 && cursor === null;
  return page(visit, {
    title,
    status: isUnknown ? 404 : 200,
    noIndex: isUnknown || !settings.reports.indexed,
    children: (
      <>
        <PageHead title={title} lead={items.length === 0 ? undefined : leadOf(words, items, cursor)} trail={[publicList(words)]}>
          <a class="button" href={scanPath(host)}>
            {words.say("host.scanIt", { host })}
          </a>
        </PageHead>
        {items.length === 0 ? <Nothing host={host} past={cursor !== null} /> : <History host={host} scans={items} cursor={cursor} />}
      </>
    ),
  });
}

function publicList(words: Visit["words"]) {
  return { href: "/scans", text: words.say("scans.title") };
}

function leadOf(words: Visit["words"], { length }: readonly ScanRecord[], cursor: number | null): string {
  if (cursor !== null) return words.say("host.leadOlder");
  if (length > rowsPerPage) return words.say("host.leadMore", { count: rowsPerPage });
  return words.count("host.lead", length);
}

function Nothing({ host, past }: { readonly host: string; readonly past: boolean }) {
  const words = useWords();
  return past ? (
    <EmptyState title={words.say("scans.past.title")}>
      <p>{words.say("scans.past.what")}</p>
      <p class="actions">
        <a href={hostPath(host)}>{words.say("components.pages.first")}</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title={words.say("host.none.title", { host })}>
      <p>{words.say("host.none.what")}</p>
    </EmptyState>
  );
}

interface HistoryProps {
  readonly host: string;
  /** Newest first; perhaps one more than is shown. */
  readonly scans: readonly ScanRecord[];
  readonly cursor: number | null;
}

function History({ host, scans, cursor }: HistoryProps) {
  const words = useWords();
  const shown = scans.slice(0, rowsPerPage);
  const last = shown.at(-1);
  const next = scans.length > shown.length && last !== undefined ? listPath(hostPath(host), {}, last.id) : null;
  return (
    <>
      {scans.length === 1 && cursor === null ? <p>{words.say("host.single")}</p> : <Development scans={scans} />}
      <HostScans scans={scans} />
      <p class="muted">{words.say("host.exactly")}</p>
      <Pagination first={cursor === null ? null : hostPath(host)} next={next} />
    </>
  );
}

/** Whether the two scores do not compare: other checks, or other rules. */
function isChanged({ summary }: ScanRecord, before: ScanRecord | undefined): boolean {
  return summary !== null && before !== undefined && before.summary !== null && !sameRules(summary, before.summary);
}

function Development({ scans }: Pick<HistoryProps, "scans">) {
  const words = useWords();
  const points = scans
    .slice(0, rowsPerPage)
    .map((scan, at) => ({ score: scan.summary?.score ?? null, changed: isChanged(scan, scans[at + 1]), at: scan.createdAt }))
    .reverse();
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const latest = last.score === null ? words.say("host.notMeasured") : words.number(last.score);
  const label = words.count("host.spark", points.length, { from: words.day(first.at), to: words.day(last.at), latest });
  return (
    <figure>
      <Sparkline points={points} label={label} />
      {points.some(({ changed }) => changed) && <figcaption class="muted">{words.say("host.changedNote")}</figcaption>}
    </figure>
  );
}

function HostScans({ scans }: Pick<HistoryProps, "scans">) {
  const words = useWords();
  const columns = [
    { label: words.say("host.columns.url") },
    { label: words.say("host.columns.score") },
    { label: words.say("host.columns.violated"), numeric: true },
    { label: words.say("host.columns.time") },
    { label: words.say("host.columns.compare") },
  ];
  return (
    <Table caption={words.say("host.table")} captionUnseen columns={columns}>
      <RowGroup>
        {scans.slice(0, rowsPerPage).map((scan, at) => (
          <Row
            key={scan.token}
            cells={[
              <ScanLink scan={scan} />,
              <Score scan={scan} />,
              words.number(scan.summary?.violated ?? 0),
              <Instant at={endOf(scan)} />,
              <Comparison scan={scan} before={scans[at + 1]} />,
            ]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}

function Comparison({ scan, before }: { readonly scan: ScanRecord; readonly before: ScanRecord | undefined }) {
  const { words } = useVisit();
  if (before === undefined) return null;
  const label = words.say("host.compareOf", { time: words.moment(endOf(scan)) });
  return (
    <>
      <a href={`/scans/${scan.token}/compare?with=${before.token}`} aria-label={label}>
        {words.say("host.compare")}
      </a>
      {isChanged(scan, before) && <span class="small muted"> {words.say("host.changed")}</span>}
    </>
  );
}
