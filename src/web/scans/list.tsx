/** `/scans`: finished scans, filtered by host, band and location, newest first. */
import { type Band, bands, ranksOf } from "../../judge/result.ts";
import { Instant, LocationMark } from "../../report/components/labels.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl, WholeUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { TextPath } from "../../text/translator.ts";
import { type FormDescription, FormFields, LinkButton, SearchForm } from "../components/forms.tsx";
import { Pagination } from "../components/navigation.tsx";
import { EmptyState, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { locationFilterOptions } from "./form.tsx";
import { cursorOf, endOf, hostFromText, hostPath, listPath, locationOf, matchingScans, scanPath } from "./list-query.ts";

const path = "/scans";
const rowsPerPage = 50;
/** Scans that are read for a page of one location. The rest is on the pages after it. */
const readForLocationMax = 500;
/** Longer than any host: a whole URL may be pasted. */
const typedCharsMax = 2_048;

interface ListQuery {
  /** As typed; "" means every host. */
  readonly typed: string;
  /** Undefined means every host; null means invalid input. */
  readonly host: string | null | undefined;
  readonly band: Band | undefined;
  /** Null means every location. */
  readonly location: string | null;
  readonly cursor: number | null;
}

function listQueryOf({ url: { searchParams } }: Visit): ListQuery {
  const typed = (searchParams.get("host") ?? "").slice(0, typedCharsMax).trim();
  return {
    typed,
    host: typed === "" ? undefined : hostFromText(typed),
    band: bands.find((band) => band === searchParams.get("band")),
    location: locationOf(searchParams),
    cursor: cursorOf(searchParams),
  };
}

export function getPublicList(visit: Visit): Response {
  const { i18n, settings } = visit;
  const query = listQueryOf(visit);
  return page(visit, {
    title: i18n.t(`visibility.${settings.config.readers}.scans`),
    noIndex: !settings.config["report.index"],
    head: {
      lead: i18n.t("scans.lead"),
      children: <LinkButton href="/" text="home.start" />,
    },
    children: (
      <>
        <Search query={query} />
        {query.host !== null && <Results query={query} host={query.host} />}
      </>
    ),
  });
}

const searchFields = {
  host: {
    control: "search",
    label: "scans.search",
    hint: "scans.searchHint",
    required: false,
    maxLength: typedCharsMax,
    verbatim: true,
  },
  band: {
    control: "select",
    label: "scans.band",
    options: ({ i18n }) => [
      { value: "", text: i18n.t("scans.allBands") },
      ...bands.map((band) => ({
        value: band,
        text: ranksOf(band)
          .map((rank) => i18n.rank(rank))
          .join(", "),
      })),
    ],
  },
  location: { control: "select", label: "location.label", options: locationFilterOptions },
} satisfies FormDescription;

function Search({ query: { typed, host, band, location } }: { readonly query: ListQuery }) {
  const i18n = useI18n();
  return (
    <SearchForm action={path} submit="scans.submit">
      <FormFields
        form={searchFields}
        values={{ host: typed, band, location: location ?? undefined }}
        errors={host === null ? new Map([["host", i18n.t("scans.noHost")]]) : null}
      />
    </SearchForm>
  );
}

interface ResultsProps {
  readonly query: ListQuery;
  readonly host: string | undefined;
}

function Results({ query, host }: ResultsProps) {
  const { i18n, settings } = useVisit();
  const { location, cursor } = query;
  const { shown, next } = matchingScans(
    (request) => settings.store.publicScans.list({ host, band: query.band, ...request }),
    (scan) => location === null || scanLocationOf(scan) === location,
    { cursor, rows: rowsPerPage, readMax: location === null ? rowsPerPage : readForLocationMax },
  );
  if (shown.length === 0 && next === null) return <Nothing query={query} host={host} />;
  return (
    <>
      {host !== undefined && (
        <p>
          <a href={hostPath(host, { location: location ?? undefined })}>{i18n.t("scans.history", { host })}</a>
        </p>
      )}
      {shown.length === 0 ? (
        <EmptyState title={i18n.t("scans.notAmong", { count: i18n.number(readForLocationMax) })} />
      ) : (
        <ScansTable caption={`visibility.${settings.config.readers}.scans`} scans={shown} />
      )}
      {next === null && <p class="muted">{i18n.t("scans.end")}</p>}
      <Pagination cursor={cursor} next={next} pathOf={(at) => pagePath(query, at)} />
    </>
  );
}

function pagePath({ typed, band, location }: ListQuery, cursor: number | null): string {
  return listPath(path, { host: typed, band: band ?? "", location: location ?? "" }, cursor);
}

/** Empty state: no scans at all, none that match, or none after the last page. */
function Nothing({ query: { band, location, cursor }, host }: ResultsProps) {
  const i18n = useI18n();
  const isFiltered = host !== undefined || band !== undefined || location !== null;
  const reason = cursor !== null ? "past" : isFiltered ? "noMatch" : "empty";
  return (
    <EmptyState title={i18n.t(`scans.${reason}.title`)} text={i18n.t(`scans.${reason}.what`)}>
      <p class="actions">
        {reason === "noMatch" && host !== undefined && <a href={scanPath(host)}>{i18n.t("host.scanIt", { host })}</a>}
        {reason === "empty" ? <a href="/">{i18n.t("scans.startOne")}</a> : <a href={path}>{i18n.t("scans.reset")}</a>}
      </p>
    </EmptyState>
  );
}

interface ScansTableProps {
  /** Same as the heading above. */
  readonly caption: TextPath;
  readonly scans: readonly ScanRecord[];
}

export function ScansTable({ caption, scans }: ScansTableProps) {
  return (
    <TextTable
      caption={caption}
      rows={scans}
      columns={{
        "scans.columns.url": (scan) => <ScanLink scan={scan} showToken />,
        "scans.columns.score": (scan) => <Score scan={scan} />,
        "scans.columns.time": (scan) => <Instant at={endOf(scan)} />,
      }}
    />
  );
}

interface ScanLinkProps {
  readonly scan: ScanRecord;
  /** Shows the token below the URL. */
  readonly showToken?: boolean;
  /** Default true: names the location of scans by workers elsewhere. */
  readonly showLocation?: boolean;
}

/** Link without the query, which is noise in a list, and may hold secrets. */
export function ScanLink({ scan, showToken = false, showLocation = true }: ScanLinkProps) {
  const i18n = useI18n();
  const { token, url } = scan;
  const { origin, pathname } = new URL(url);
  const shown = `${origin}${pathname}`;
  return (
    <>
      <a href={`/scans/${token}`}>
        <HostUrl url={shown} short />
      </a>
      {showToken && (
        <code class="break">
          <span class="unseen">{i18n.t("scans.token")} </span>
          {token}
        </code>
      )}
      {showLocation && <LocationMark location={scanLocationOf(scan)} />}
      <WholeUrl url={shown} />
    </>
  );
}

export function Score({ scan: { summary } }: Pick<ScanLinkProps, "scan">) {
  return summary === null ? null : <SmallScore score={summary.score} />;
}
