/** Scans of the account: its hosts as cards on the home page, and `/account/scans` with all scans in every state. */
import { Instant, LocationMark } from "../../report/components/labels.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostName, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import { LinkButton } from "../components/forms.tsx";
import { Pagination } from "../components/navigation.tsx";
import { outcomesOf } from "../components/outcome.tsx";
import { Sparkline } from "../components/score-chart.tsx";
import { EmptyState, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import { accountPage } from "../private-page.tsx";
import { ScanAgain } from "./form.tsx";
import { ScanLink, Score } from "./list.tsx";
import { cursorOf, endOf, hostPath, listPath, pageNumberOf, scanHost } from "./list-query.ts";
import { scoreChange } from "./score-history.tsx";

const path = "/account/scans";
const rowsPerPage = 50;

export const getOwnScans: GetFor<"accounts"> = (visit, account) => {
  return accountPage(visit, {
    title: "ownScans.title",
    lead: visit.i18n.t("ownScans.lead"),
    outcomes: outcomesOf(path, ["cancelled"], () => "ownScans.cancelled"),
    actions: <LinkButton href="/" text="home.start" />,
    children: <OwnScans account={account} />,
  });
};

function OwnScans({ account }: { readonly account: Account }) {
  const { i18n, settings, url } = useVisit();
  const cursor = cursorOf(url.searchParams);
  const { items, nextCursor } = settings.store.scans.listOfAccount(account.id, { limit: rowsPerPage, cursor });
  if (items.length === 0) return <Nothing past={cursor !== null} />;
  return (
    <>
      <TextTable
        caption="ownScans.table"
        rows={items}
        columns={{
          "ownScans.columns.url": (scan) => <ScanLink scan={scan} />,
          "ownScans.columns.status": ({ status }) => i18n.t(`ownScans.status.${status}`),
          "ownScans.columns.score": (scan) => <Score scan={scan} />,
          "ownScans.columns.time": ({ createdAt }) => <Instant at={createdAt} />,
          "ownScans.columns.again": { unseen: true, cell: (scan) => <RescanButton scan={scan} /> },
        }}
      />
      <Pagination cursor={cursor} next={nextCursor} pathOf={(at) => listPath(path, {}, at)} />
    </>
  );
}

/** Null for an unfinished scan, which is already under way. */
function RescanButton({ scan }: { readonly scan: ScanRecord }) {
  const i18n = useI18n();
  const { status, url } = scan;
  if (status === "queued" || status === "running") return null;
  return <ScanAgain scan={scan} kind="plain" compact label={i18n.t("ownScans.againOf", { url })} submit="ownScans.again" />;
}

function Nothing({ past }: { readonly past: boolean }) {
  const i18n = useI18n();
  return (
    <EmptyState
      title={i18n.t(past ? "ownScans.past.title" : "ownScans.empty.title")}
      text={i18n.t(past ? "ownScans.past.what" : "ownScans.empty.what")}
    >
      <p class="actions">{past ? <a href={path}>{i18n.t("components.pages.first")}</a> : <a href="/">{i18n.t("ownScans.start")}</a>}</p>
    </EmptyState>
  );
}

const cardsPerPage = 12;
/** Newest scans of the account in which hosts are looked for. Older ones are in its list of scans. */
const ownScansReadMax = 1_000;
/** Newest scans of a host that are read for its card, of all addresses. */
const hostScansReadMax = 24;
/** Points of a sparkline. */
const pointsMax = 12;

interface OwnHostCards {
  readonly cards: readonly HostCardProps[];
  readonly hasMore: boolean;
}

/** Cards of a page, counted from 1. */
function ownHostCards(store: Pick<Store, "scans" | "publicScans">, accountId: number, page: number): OwnHostCards {
  const from = (page - 1) * cardsPerPage;
  const newest = store.scans.newestPerHost(accountId, { hostsMax: from + cardsPerPage + 1, scansMax: ownScansReadMax });
  const cards = newest.slice(from, from + cardsPerPage).map((own) => {
    const host = scanHost(own);
    const location = scanLocationOf(own);
    const { items } = store.publicScans.list({ host, exactly: true, location, limit: hostScansReadMax, cursor: null });
    const address = items.some(({ url }) => url === own.url) ? own.url : items[0]?.url;
    const scans = items.filter(({ url }) => url === address).slice(0, pointsMax);
    return { host, location, scans, pending: own.status === "finished" ? null : own };
  });
  return { cards, hasMore: newest.length > from + cardsPerPage };
}

export function OwnHosts({ account }: { readonly account: Account }) {
  const { i18n, settings, url } = useVisit();
  const page = pageNumberOf(url.searchParams);
  const { cards, hasMore } = ownHostCards(settings.store, account.id, page);
  return (
    <PageSection id="own-hosts" title="home.hosts.title">
      {cards.length === 0 ? (
        <NoHosts past={page > 1} />
      ) : (
        <ul class="cards">
          {cards.map((card) => (
            <HostCard key={`${card.host} ${card.location}`} {...card} />
          ))}
        </ul>
      )}
      <Pagination
        cursor={page === 1 ? null : page}
        next={hasMore ? page + 1 : null}
        pathOf={(number) => (number === null ? "/" : `/?page=${number}`)}
      />
      <p>
        <a href="/account/scans">{i18n.t("home.hosts.allScans")}</a>
      </p>
    </PageSection>
  );
}

function NoHosts({ past }: { readonly past: boolean }) {
  const i18n = useI18n();
  return (
    <EmptyState
      title={i18n.t(past ? "scans.past.title" : "home.hosts.empty.title")}
      text={i18n.t(past ? "home.hosts.past" : "home.hosts.empty.what")}
    />
  );
}

const pathCharsMax = 40;

interface HostCardProps {
  /** ASCII; an IPv6 address without brackets. */
  readonly host: string;
  /** Location of all these scans. */
  readonly location: string;
  /** Finished scans of one address of the host, newest first. */
  readonly scans: readonly ScanRecord[];
  /** Newer scan without a result: waiting, running or failed. */
  readonly pending: ScanRecord | null;
}

/** Item of a list `cards`. */
function HostCard({ host, location, scans, pending }: HostCardProps) {
  const i18n = useI18n();
  const [newest] = scans;
  const shown = newest ?? pending;
  return (
    <li class="host-card">
      <h3>{shown === null ? <HostName host={host} /> : <HostLink host={host} scan={shown} />}</h3>
      <LocationMark location={location} />
      {newest !== undefined && <Course scans={scans} newest={newest} />}
      {pending !== null && (
        <p class="small">
          <a href={`/scans/${pending.token}`}>{i18n.t(`home.hosts.pending.${pendingText(pending)}`)}</a> <Instant at={endOf(pending)} />
        </p>
      )}
      {newest !== undefined && (
        <p class="small muted">
          <Instant at={endOf(newest)} />{" "}
          <a href={hostPath(host, { location })} aria-label={i18n.t("home.hosts.historyOf", { host })}>
            {i18n.t("home.hosts.history")}
          </a>
        </p>
      )}
    </li>
  );
}

/** Link to the newest report, with the path where it is not the root. */
function HostLink({ host, scan: { token, url } }: { readonly host: string; readonly scan: ScanRecord }) {
  const { pathname } = new URL(url);
  return (
    <>
      <a href={`/scans/${token}`}>
        <HostName host={host} />
      </a>
      {pathname !== "/" && (
        <span class="small muted">
          {" "}
          <UntrustedText charsMax={pathCharsMax}>{pathname}</UntrustedText>
        </span>
      )}
    </>
  );
}

function Course({ scans, newest }: { readonly scans: readonly ScanRecord[]; readonly newest: ScanRecord }) {
  const i18n = useI18n();
  const { summary } = newest;
  const before = scans[1];
  const change = summary === null || before === undefined ? null : scoreChange(i18n, summary, endOf(newest), before);
  return (
    <>
      <p class="course">
        <SmallScore score={summary?.score ?? null} />
        <Sparkline scores={scans.map((scan) => scan.summary?.score ?? null).reverse()} />
      </p>
      {change !== null && <p class="small">{change}</p>}
    </>
  );
}

function pendingText({ status }: ScanRecord): "failed" | "running" {
  return status === "failed" ? "failed" : "running";
}
