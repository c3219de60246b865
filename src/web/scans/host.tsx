/** `/hosts/{host}`: scans of a host from one location, with their scores over time; `?location=` names it, `?address=` limits them to one URL. */
import { localLocation } from "../../parse/location.ts";
import { Instant } from "../../report/components/labels.tsx";
import { HostName } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { LinkButton } from "../components/forms.tsx";
import { Pagination, Tabs } from "../components/navigation.tsx";
import { EmptyState, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { locationText } from "./form.tsx";
import { ScanLink, Score } from "./list.tsx";
import { cursorOf, endOf, hostFromSegment, hostPath, locationOf, matchingScans, scanPath } from "./list-query.ts";
import { isJudgedOtherwise, ScoreHistory } from "./score-history.tsx";

const rowsPerPage = 100;
/** Scans of the host that are read for a page of one address. The rest is on the pages after it. */
const readForAddressMax = 500;

type HostScans = ReturnType<typeof scansOfHost>;

interface HostQuery {
  readonly host: string;
  readonly location: string;
  /** URL that the page is limited to; null for all. */
  readonly address: string | null;
  readonly cursor: number | null;
}

/** @throws PageError 404 for an invalid host; null means invalid percent-encoding. */
export function getHost(visit: Visit, segment: string | null): Response {
  const host = hostFromSegment(segment ?? "");
  if (host === null) throw notFound();
  const { i18n, settings, url } = visit;
  const { searchParams } = url;
  const locations = settings.store.publicScans.locationsOfHost(host);
  const location = locationOf(searchParams) ?? locations[0] ?? localLocation;
  const query: HostQuery = { host, location, address: searchParams.get("address") || null, cursor: cursorOf(searchParams) };
  const scans = scansOfHost(visit, query);
  const isEmpty = scans.shown.length === 0;
  const isUnknown = isEmpty && query.cursor === null && scans.next === null;
  return page(visit, {
    title: i18n.t("host.title", { host }),
    status: isUnknown ? 404 : 200,
    noIndex: isUnknown || query.address !== null || !settings.config["report.index"],
    head: {
      title: <HostName host={host} />,
      lead: isEmpty ? undefined : leadOf(i18n, query, scans),
      breadcrumbs: [{ href: "/scans", text: i18n.t(`visibility.${settings.config.readers}.scans`) }],
      children: <LinkButton href={scanPath(host, location)} text={({ i18n }) => i18n.t("host.scanIt", { host })} />,
    },
    children: (
      <>
        {locationTabs(i18n, query, locations)}
        {isEmpty ? <Nothing query={query} next={scans.next} /> : <History query={query} scans={scans} />}
      </>
    ),
  });
}

/** Null if all scans are from the server itself, as most are. */
function locationTabs(i18n: Visit["i18n"], { host, location: chosen }: HostQuery, locations: readonly string[]) {
  if ([...locations, chosen].every((location) => location === localLocation)) return null;
  const links = locations.map((location) => ({
    href: hostPath(host, { location }),
    text: locationText(i18n, location),
    isCurrent: location === chosen,
  }));
  return <Tabs label={i18n.t("location.label")} links={links} />;
}

function scansOfHost({ settings: { store } }: Visit, { host, location, address, cursor }: HostQuery) {
  const readMax = address === null ? rowsPerPage + 1 : readForAddressMax;
  return matchingScans(
    (request) => store.publicScans.list({ host, exactly: true, location, ...request }),
    ({ url }) => address === null || url === address,
    { cursor, rows: rowsPerPage, readMax },
  );
}

function leadOf(i18n: Visit["i18n"], { address, cursor }: HostQuery, { shown, next }: HostScans): string {
  if (address !== null) return i18n.t("host.leadAddress");
  if (cursor !== null) return i18n.t("host.leadOlder");
  if (next !== null) return i18n.t("host.leadMore", { count: rowsPerPage });
  return i18n.count("host.lead", shown.length);
}

function Nothing({ query, next }: { readonly query: HostQuery; readonly next: number | null }) {
  const i18n = useI18n();
  const { host, location, address, cursor } = query;
  if (cursor === null && address === null) {
    const reason = location === localLocation ? "none" : "noneFromThere";
    return <EmptyState title={i18n.t(`host.${reason}.title`, { host, location })} text={i18n.t(`host.${reason}.what`)} />;
  }
  // The address may be among the scans that were not read.
  if (next !== null && address !== null)
    return (
      <EmptyState title={i18n.t("host.notAmong", { count: i18n.number(readForAddressMax) })}>
        <Pagination cursor={cursor} next={next} pathOf={(at) => hostPath(host, { location, address }, at)} />
      </EmptyState>
    );
  return (
    <EmptyState title={i18n.t(cursor === null ? "host.unknownAddress" : "scans.past.title")}>
      {cursor !== null && <p>{i18n.t("scans.past.what")}</p>}
      <p class="actions">
        <a href={hostPath(host, { location })}>{i18n.t("host.all", { host })}</a>
      </p>
    </EmptyState>
  );
}

interface HistoryProps {
  readonly query: HostQuery;
  readonly scans: HostScans;
}

function History({ query: { host, location, address, cursor }, scans: { shown, before, next } }: HistoryProps) {
  const i18n = useI18n();
  const pathOf = (id: number | null) => hostPath(host, { location, address: address ?? "" }, id);
  const isOnly = shown.length === 1 && cursor === null && next === null && address === null;
  return (
    <>
      {isOnly ? (
        <p>{i18n.t("host.single")}</p>
      ) : (
        <ScoreHistory source={{ host, location }} scans={shown} chosen={address} isPast={cursor !== null} />
      )}
      <HostTable scans={shown} before={before} />
      <p class="muted">{i18n.t("host.exactly")}</p>
      <Pagination cursor={cursor} next={next} pathOf={pathOf} />
    </>
  );
}

function HostTable({ scans, before }: { readonly scans: readonly ScanRecord[]; readonly before: ScanRecord | undefined }) {
  const i18n = useI18n();
  const known = before === undefined ? scans : [...scans, before];
  const beforeOf = (scan: ScanRecord, at: number) => known.slice(at + 1).find(({ url }) => url === scan.url);
  return (
    <TextTable
      caption="host.table"
      rows={scans}
      columns={{
        "host.columns.url": (scan) => <ScanLink scan={scan} showLocation={false} />,
        "host.columns.score": (scan) => <Score scan={scan} />,
        "host.columns.violated": { numeric: true, cell: ({ summary }) => i18n.number(summary?.violated ?? 0) },
        "host.columns.time": (scan) => <Instant at={endOf(scan)} />,
        "host.columns.compare": (scan, at) => <Comparison scan={scan} before={beforeOf(scan, at)} />,
      }}
    />
  );
}

/** Comparison with the scan before of the same address. Null if the page does not know one. */
function Comparison({ scan, before }: { readonly scan: ScanRecord; readonly before: ScanRecord | undefined }) {
  const { i18n } = useVisit();
  if (before === undefined) return null;
  const label = i18n.t("host.compareOf", { time: i18n.dateTime(endOf(scan)) });
  return (
    <>
      <a href={`/scans/${scan.token}/compare?with=${before.token}`} aria-label={label}>
        {i18n.t("host.compare")}
      </a>
      {isJudgedOtherwise(scan, before) && <span class="small muted"> {i18n.t("host.changed")}</span>}
    </>
  );
}
