/** `/scans`: finished scans, filtered by host and band, newest first. */
import { type Band, bands, ranksOf } from "../../judge/rank.ts";
import { useI18n } from "../../report/context.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Pagination } from "../components/pagination.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { hostFromText, hostPath, scanPath } from "./host-name.ts";
import { cursorOf, listPath } from "./list-query.ts";
import { ScansTable } from "./scans-table.tsx";

const path = "/scans";
const rowsPerPage = 50;
/** Longer than any host: a whole URL may be pasted. */
const typedCharsMax = 2_048;

interface ListQuery {
  /** As typed; "" means every host. */
  readonly typed: string;
  /** Undefined means every host; null means invalid input. */
  readonly host: string | null | undefined;
  readonly band: Band | undefined;
  readonly cursor: number | null;
}

function listQueryOf({ url: { searchParams } }: Visit): ListQuery {
  const typed = (searchParams.get("host") ?? "").slice(0, typedCharsMax).trim();
  return {
    typed,
    host: typed === "" ? undefined : hostFromText(typed),
    band: bands.find((band) => band === searchParams.get("band")),
    cursor: cursorOf(searchParams),
  };
}

export function getPublicList(visit: Visit): Response {
  const { i18n, settings } = visit;
  const query = listQueryOf(visit);
  const title = i18n.t(`visibility.${settings.readers}.scans`);
  return page(visit, {
    title,
    noIndex: !settings.reports.indexed,
    children: (
      <>
        <PageHead title={title} lead={i18n.t("scans.lead")}>
          <a class="button" href="/">
            {i18n.t("home.start")}
          </a>
        </PageHead>
        <Search query={query} />
        {query.host !== null && <Results query={query} host={query.host} />}
      </>
    ),
  });
}

function Search({ query: { typed, host, band } }: { readonly query: ListQuery }) {
  const i18n = useI18n();
  const options = bands.map((each) => ({
    value: each as string,
    text: ranksOf(each)
      .map((rank) => i18n.rank(rank))
      .join(", "),
  }));
  return (
    <search>
      <form method="get" action={path} class="inline">
        <Field
          name="host"
          type="search"
          label={i18n.t("scans.search")}
          hint={i18n.t("scans.searchHint")}
          error={host === null ? i18n.t("scans.noHost") : undefined}
          value={typed}
          required={false}
          maxLength={typedCharsMax}
          verbatim
        />
        <SelectField
          name="band"
          label={i18n.t("scans.band")}
          options={[{ value: "", text: i18n.t("scans.allBands") }, ...options]}
          value={band ?? ""}
        />
        <SubmitButton kind="plain">{i18n.t("scans.submit")}</SubmitButton>
      </form>
    </search>
  );
}

function Results({ query: { typed, band, cursor }, host }: { readonly query: ListQuery; readonly host: string | undefined }) {
  const { i18n, settings } = useVisit();
  const { items, nextCursor } = settings.store.publicScans.list({ host, band, cursor, limit: rowsPerPage });
  if (items.length === 0) return <Nothing host={host} filtered={host !== undefined || band !== undefined} past={cursor !== null} />;
  const filters = { host: typed, band: band ?? "" };
  return (
    <>
      {host !== undefined && (
        <p>
          <a href={hostPath(host)}>{i18n.t("scans.history", { host })}</a>
        </p>
      )}
      <ScansTable caption={i18n.t(`visibility.${settings.readers}.scans`)} scans={items} />
      {nextCursor === null && <p class="muted">{i18n.t("scans.end")}</p>}
      <Pagination
        first={cursor === null ? null : listPath(path, filters, null)}
        next={nextCursor === null ? null : listPath(path, filters, nextCursor)}
      />
    </>
  );
}

/** Empty state: no scans at all, none that match, or none after the last page. */
function Nothing({ host, filtered, past }: { readonly host: string | undefined; readonly filtered: boolean; readonly past: boolean }) {
  const i18n = useI18n();
  const reason = past ? "past" : filtered ? "noMatch" : "empty";
  return (
    <EmptyState title={i18n.t(`scans.${reason}.title`)}>
      <p>{i18n.t(`scans.${reason}.what`)}</p>
      <p class="actions">
        {reason === "noMatch" && host !== undefined && <a href={scanPath(host)}>{i18n.t("host.scanIt", { host })}</a>}
        {reason === "empty" ? <a href="/">{i18n.t("scans.startOne")}</a> : <a href={path}>{i18n.t("scans.reset")}</a>}
      </p>
    </EmptyState>
  );
}
