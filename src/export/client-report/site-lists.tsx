/** Lists in the section of a site: open and accepted findings, changes, and addresses without a measurement. */

import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import { type CodedFinding, FindingTitle } from "../../report/findings.tsx";
import type { OpenFinding } from "../../store/site-runs.ts";
import { acceptedReasonCharsMax } from "../../store/sites.ts";
import { scanErrorMessage } from "../../text/render.ts";
import type { AcceptedOpenFinding, ReportedSite, SiteDetails } from "./collect.ts";
import { acceptedListedMax, changesListedMax, openListedMax } from "./listed-rows.ts";
import type { SiteChangeRow } from "./site-changes.ts";

interface ReportedProps {
  readonly reported: ReportedSite;
}

export function OpenList({ reported: { site, open } }: ReportedProps) {
  const i18n = useI18n();
  const title = i18n.t("sites.open.title");
  const urls = new Set([site.url, ...site.pages]);
  const addresses = ({ urls: known }: OpenFinding) => {
    const count = known.filter((url) => urls.has(url)).length;
    return i18n.t("sites.clientReport.open.of", { count: i18n.number(count), all: i18n.number(urls.size) });
  };
  return (
    <>
      <h3>{title}</h3>
      {open.length === 0 ? (
        <p>{i18n.t("sites.open.none")}</p>
      ) : (
        <DataTable
          caption={title}
          captionUnseen
          rows={open.slice(0, openListedMax)}
          columns={[
            { label: i18n.t("sites.open.finding"), cell: OpenTitle },
            { label: i18n.t("sites.open.since"), cell: ({ since }) => <Instant at={since} day /> },
            ...(urls.size === 1 ? [] : [{ label: i18n.t("sites.open.pages"), numeric: true, cell: addresses }]),
          ]}
        />
      )}
      <MoreFindings count={open.length - openListedMax} />
    </>
  );
}

function OpenTitle(finding: OpenFinding) {
  const i18n = useI18n();
  return (
    <>
      <ListedTitle {...finding} />
      {finding.unstable && <span class="muted small"> ({i18n.t("sites.clientReport.open.unstable")})</span>}
    </>
  );
}

/** The chips of a list are equally wide. */
function ListedTitle(finding: CodedFinding) {
  return (
    <span class="severity">
      <FindingTitle {...finding} />
    </span>
  );
}

/** Null without one. */
export function AcceptedList({ reported: { accepted } }: ReportedProps) {
  const i18n = useI18n();
  if (accepted.length === 0) return null;
  const title = i18n.t("sites.clientReport.accepted");
  return (
    <>
      <h3>{title}</h3>
      <p class="muted">{i18n.t("sites.clientReport.acceptances.mean")}</p>
      <DataTable
        caption={title}
        captionUnseen
        rows={accepted.slice(0, acceptedListedMax)}
        columns={[
          { label: i18n.t("sites.open.finding"), cell: AcceptedTitle },
          {
            label: i18n.t("sites.accepted.reason"),
            cell: ({ acceptance: { reason } }) => <UntrustedText charsMax={acceptedReasonCharsMax}>{reason}</UntrustedText>,
          },
          { label: i18n.t("sites.accepted.until"), cell: LastDay },
        ]}
      />
      <MoreFindings count={accepted.length - acceptedListedMax} />
    </>
  );
}

function AcceptedTitle({ finding }: AcceptedOpenFinding) {
  const i18n = useI18n();
  return (
    <>
      <ListedTitle {...finding} /> <span class="chip unknown outlined">{i18n.t("sites.clientReport.acceptances.mark")}</span>
    </>
  );
}

function LastDay({ acceptance: { until } }: AcceptedOpenFinding) {
  const i18n = useI18n();
  return until === null ? i18n.t("sites.accepted.forever") : <time dateTime={until}>{i18n.date(until)}</time>;
}

/** Null for none. */
function MoreFindings({ count }: { readonly count: number }) {
  const i18n = useI18n();
  return count <= 0 ? null : <p class="muted">{i18n.count("sites.clientReport.open.more", count)}</p>;
}

/** Null without one. */
export function UnmeasuredList({ unmeasured }: Pick<SiteDetails, "unmeasured">) {
  const { i18n, texts } = useDocument();
  if (unmeasured.length === 0) return null;
  const title = i18n.t("sites.clientReport.unmeasured.title");
  return (
    <>
      <h3>{title}</h3>
      <DataTable
        caption={title}
        captionUnseen
        rows={unmeasured}
        columns={[
          { label: i18n.t("sites.clientReport.unmeasured.address"), cell: ({ url }) => <HostUrl url={url} short /> },
          { label: i18n.t("sites.open.since"), cell: ({ since }) => <Instant at={since} day /> },
          {
            label: i18n.t("sites.clientReport.unmeasured.reason"),
            cell: ({ errorCode, url }) =>
              errorCode === null ? i18n.t("sites.clientReport.unmeasured.noScore") : scanErrorMessage(errorCode, url, i18n.locale, texts),
          },
        ]}
      />
    </>
  );
}

const changeStyles = {
  opened: "poor",
  unaccepted: "poor",
  unstable: "warn",
  resolved: "good",
  unreachable: "poor",
  recovered: "good",
} as const satisfies Record<SiteChangeRow["kind"], string>;

export function ChangeList({ changes: { rows, complete, hasSilent } }: Pick<SiteDetails, "changes">) {
  const i18n = useI18n();
  const title = i18n.t("sites.clientReport.changes.title");
  const more = rows.length - changesListedMax;
  return (
    <>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p>{i18n.t("sites.clientReport.changes.none")}</p>
      ) : (
        <DataTable
          caption={title}
          captionUnseen
          rows={rows.slice(0, changesListedMax)}
          columns={[
            { label: i18n.t("sites.clientReport.changes.what"), cell: ChangedTitle },
            { label: i18n.t("sites.clientReport.changes.kind"), cell: ChangeKind },
            { label: i18n.t("sites.clientReport.changes.day"), cell: ({ at }) => <Instant at={at} day /> },
          ]}
        />
      )}
      {more > 0 && <p class="muted">{i18n.count("sites.clientReport.changes.more", more)}</p>}
      {!complete && <p class="muted">{i18n.t("sites.clientReport.changes.older")}</p>}
      {hasSilent && <p class="muted">{i18n.t("sites.clientReport.changes.silent")}</p>}
    </>
  );
}

function ChangeKind({ kind }: SiteChangeRow) {
  return <span class={`chip ${changeStyles[kind]}`}>{useI18n().t(`sites.clientReport.changes.${kind}`)}</span>;
}

function ChangedTitle(row: SiteChangeRow) {
  const i18n = useI18n();
  if ("finding" in row) return <ListedTitle {...row.finding} />;
  return <>{i18n.t(`sites.events.site.${row.kind}`, { since: i18n.date(row.since) })}</>;
}
