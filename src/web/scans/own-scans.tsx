/** `/account/scans`: what somebody scanned, whatever became of it. */
import type { Account } from "../../store/accounts.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { accountPage } from "../account/account-frame.tsx";
import { withAccount } from "../account/sign-in/session-cookie.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Instant } from "../components/instant.tsx";
import { Pagination } from "../components/pagination.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit, useWords } from "../context.ts";
import { ScanAgain } from "../scanning/scan-again.tsx";
import type { PageHandler, Visit } from "../visit.ts";
import { cursorOf, listPath } from "./list-query.ts";
import { ScanLink, Score } from "./scans-table.tsx";

const path = "/account/scans";
const rowsPerPage = 50;

export const getOwnScans: PageHandler = (visit) => withAccount(visit, (account) => ownScansPage(visit, account));

function ownScansPage(visit: Visit, account: Account): Response {
  return accountPage(visit, {
    title: "ownScans.title",
    lead: visit.words.say("ownScans.lead"),
    actions: (
      <a class="button" href="/">
        {visit.words.say("home.start")}
      </a>
    ),
    children: <OwnScans account={account} />,
  });
}

function OwnScans({ account }: { readonly account: Account }) {
  const { words, settings, url } = useVisit();
  const cursor = cursorOf(url.searchParams);
  const { items, nextCursor } = settings.store.scans.listOfAccount(account.id, { limit: rowsPerPage, cursor });
  if (items.length === 0) return <Nothing past={cursor !== null} />;
  const columns = [
    { label: words.say("ownScans.columns.url") },
    { label: words.say("ownScans.columns.status") },
    { label: words.say("ownScans.columns.score") },
    { label: words.say("ownScans.columns.time") },
    { label: words.say("ownScans.columns.again"), unseen: true },
  ];
  return (
    <>
      <Table caption={words.say("ownScans.table")} captionUnseen columns={columns}>
        <RowGroup>
          {items.map((scan) => (
            <Row
              key={scan.token}
              cells={[
                <ScanLink scan={scan} />,
                words.say(`ownScans.status.${scan.status}`),
                <Score scan={scan} />,
                <Instant at={scan.createdAt} />,
                <Again scan={scan} />,
              ]}
            />
          ))}
        </RowGroup>
      </Table>
      <Pagination
        first={cursor === null ? null : listPath(path, {}, null)}
        next={nextCursor === null ? null : listPath(path, {}, nextCursor)}
      />
    </>
  );
}

/** One that is not over is under way already. */
function Again({ scan: { status, url } }: { readonly scan: ScanRecord }) {
  const words = useWords();
  if (status === "queued" || status === "running") return null;
  return (
    <ScanAgain url={url} kind="plain" compact label={words.say("ownScans.againOf", { url })}>
      {words.say("ownScans.again")}
    </ScanAgain>
  );
}

function Nothing({ past }: { readonly past: boolean }) {
  const words = useWords();
  return (
    <EmptyState title={words.say(past ? "ownScans.past.title" : "ownScans.empty.title")}>
      <p>{words.say(past ? "ownScans.past.what" : "ownScans.empty.what")}</p>
      <p class="actions">
        {past ? <a href={path}>{words.say("components.pages.first")}</a> : <a href="/">{words.say("ownScans.start")}</a>}
      </p>
    </EmptyState>
  );
}
