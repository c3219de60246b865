/** Hosts that the visitor has scanned, as cards. */

import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { Store } from "../../store/store.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Pagination } from "../components/pagination.tsx";
import { useVisit } from "../context.ts";
import { HostCard, type HostCardProps } from "./host-card.tsx";
import { scanHost } from "./host-name.ts";
import { pageNumberOf } from "./list-query.ts";

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
    <section aria-labelledby="own-hosts">
      <h2 id="own-hosts">{i18n.t("home.hosts.title")}</h2>
      {cards.length === 0 ? (
        <NoHosts past={page > 1} />
      ) : (
        <ul class="cards">
          {cards.map((card) => (
            <HostCard key={`${card.host} ${card.location}`} {...card} />
          ))}
        </ul>
      )}
      <Pagination first={page === 1 ? null : "/"} next={hasMore ? `/?page=${page + 1}` : null} />
      <p>
        <a href="/account/scans">{i18n.t("home.hosts.allScans")}</a>
      </p>
    </section>
  );
}

function NoHosts({ past }: { readonly past: boolean }) {
  const i18n = useI18n();
  return (
    <EmptyState title={i18n.t(past ? "scans.past.title" : "home.hosts.empty.title")}>
      <p>{i18n.t(past ? "home.hosts.past" : "home.hosts.empty.what")}</p>
    </EmptyState>
  );
}
