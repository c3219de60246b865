/** `/account/scans`: all scans of the account in every state. */

import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { accountPage } from "../account/account-frame.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Pagination } from "../components/pagination.tsx";
import { useVisit } from "../context.ts";
import type { GetFor } from "../guards.ts";
import { doneText } from "../response.ts";
import { ScanAgain } from "./form.tsx";
import { cursorOf, listPath } from "./list-query.ts";
import { ScanLink, Score } from "./scans-table.tsx";

const path = "/account/scans";
const rowsPerPage = 50;

export const getOwnScans: GetFor<"accounts"> = (visit, account) => {
  return accountPage(visit, {
    title: "ownScans.title",
    lead: visit.i18n.t("ownScans.lead"),
    done: doneText(visit, ["cancelled"], () => "ownScans.cancelled"),
    actions: (
      <a class="button" href="/">
        {visit.i18n.t("home.start")}
      </a>
    ),
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
      <DataTable
        caption={i18n.t("ownScans.table")}
        captionUnseen
        rows={items}
        columns={[
          { label: i18n.t("ownScans.columns.url"), cell: (scan) => <ScanLink scan={scan} /> },
          { label: i18n.t("ownScans.columns.status"), cell: ({ status }) => i18n.t(`ownScans.status.${status}`) },
          { label: i18n.t("ownScans.columns.score"), cell: (scan) => <Score scan={scan} /> },
          { label: i18n.t("ownScans.columns.time"), cell: ({ createdAt }) => <Instant at={createdAt} /> },
          { label: i18n.t("ownScans.columns.again"), unseen: true, cell: (scan) => <RescanButton scan={scan} /> },
        ]}
      />
      <Pagination
        first={cursor === null ? null : listPath(path, {}, null)}
        next={nextCursor === null ? null : listPath(path, {}, nextCursor)}
      />
    </>
  );
}

/** Null for an unfinished scan, which is already under way. */
function RescanButton({ scan }: { readonly scan: ScanRecord }) {
  const i18n = useI18n();
  const { status, url } = scan;
  if (status === "queued" || status === "running") return null;
  return (
    <ScanAgain scan={scan} kind="plain" compact label={i18n.t("ownScans.againOf", { url })}>
      {i18n.t("ownScans.again")}
    </ScanAgain>
  );
}

function Nothing({ past }: { readonly past: boolean }) {
  const i18n = useI18n();
  return (
    <EmptyState title={i18n.t(past ? "ownScans.past.title" : "ownScans.empty.title")}>
      <p>{i18n.t(past ? "ownScans.past.what" : "ownScans.empty.what")}</p>
      <p class="actions">{past ? <a href={path}>{i18n.t("components.pages.first")}</a> : <a href="/">{i18n.t("ownScans.start")}</a>}</p>
    </EmptyState>
  );
}
