/** Section of one site in the client report: score, findings, changes, and what keeps the score from being up to date. */

import { localLocation } from "../../parse/location.ts";
import { DaysLeft, Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ScoreRing, scoreText } from "../../report/components/score-ring.tsx";
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import { type CodedFinding, FindingTitle } from "../../report/findings.tsx";
import type { OpenFinding } from "../../store/site-runs.ts";
import { acceptedReasonCharsMax, type Site, type SiteReading } from "../../store/sites.ts";
import { scanErrorMessage } from "../../text/render.ts";
import {
  type AcceptedOpenFinding,
  acceptedListedMax,
  changesListedMax,
  type EarlierScore,
  listedRows,
  openListedMax,
  type ReportedSite,
  type SiteChangeRow,
  type SiteDetails,
} from "./collect.ts";

/** Element id of the table's heading. */
export const siteTableId = "sites";

/** Element id of a section's heading. */
export function siteHeadingId({ id }: Pick<Site, "id">): string {
  return `site-${id}`;
}

export function ScoreChangeText({ earlier: { at, delta } }: { readonly earlier: EarlierScore }) {
  const i18n = useI18n();
  // A date is not divided at the end of a line.
  const since = i18n.date(at).replaceAll(" ", "\u00a0");
  if (delta === null) return <span class="muted">{i18n.t("sites.clientReport.change.otherRules", { since })}</span>;
  if (delta === 0) return <>{i18n.t("sites.clientReport.change.same", { since })}</>;
  const text = delta > 0 ? "sites.clientReport.change.up" : "sites.clientReport.change.down";
  return <span class={delta > 0 ? "good" : "poor"}>{i18n.t(text, { points: i18n.number(Math.abs(delta)), since })}</span>;
}

/** Rows of a section that is printed on one page, and not divided. */
const keptRowsMax = 12;

interface SectionProps {
  readonly reported: ReportedSite;
  readonly details: SiteDetails;
}

export function SiteSection({ reported, details }: SectionProps) {
  const i18n = useI18n();
  const { site } = reported;
  const { reading } = site;
  return (
    <article
      class={listedRows(reported, details) <= keptRowsMax ? "client-site short" : "client-site"}
      aria-labelledby={siteHeadingId(site)}
    >
      <header>
        <h2 id={siteHeadingId(site)}>
          <UntrustedText>{site.name}</UntrustedText>
        </h2>
        <p>
          <HostUrl url={site.url} short />
        </p>
        <SiteState site={site} because={details.changes.unreachableBecause} />
        {reading !== null && <SiteFacts reported={reported} reading={reading} />}
      </header>
      {reading !== null && (
        <>
          <OpenList reported={reported} />
          <AcceptedList reported={reported} />
          <UnmeasuredList unmeasured={details.unmeasured} />
          <ChangeList changes={details.changes} />
        </>
      )}
      <p class="screen-only">
        <a href={`#${siteTableId}`}>{i18n.t("sites.clientReport.back")}</a>
      </p>
    </article>
  );
}

/** Warnings about the site; null if it is measured as planned. */
function SiteState({ site, because }: { readonly site: Site; readonly because: string | null }) {
  const { i18n, texts } = useDocument();
  const { reading, failingSince, paused } = site;
  return (
    <>
      {failingSince !== null && (
        <Notice kind="poor">
          <p>
            {i18n.t(reading === null ? "sites.clientReport.state.unreachable" : "sites.site.failing", {
              since: i18n.dateTime(failingSince),
            })}
          </p>
          {because !== null && <p>{scanErrorMessage(because, site.url, i18n.locale, texts)}</p>}
        </Notice>
      )}
      {failingSince === null && reading === null && (
        <Notice>
          <p>{i18n.t(site.lastRunAt === null ? "sites.clientReport.state.notScanned" : "sites.open.notYet")}</p>
        </Notice>
      )}
      {paused && (
        <Notice kind="warn">
          <p>{i18n.t("sites.clientReport.state.paused")}</p>
        </Notice>
      )}
    </>
  );
}

function SiteFacts({ reported, reading }: { readonly reported: ReportedSite; readonly reading: SiteReading }) {
  const i18n = useI18n();
  const { site, open, accepted, certificateDays, earlier } = reported;
  return (
    <div class="verdict">
      <ScoreRing score={reading.score} band={reading.band} rank={reading.rank} />
      <div>
        <dl class="facts">
          <dt>{i18n.t("sites.columns.score")}</dt>
          <dd>{scoreText(i18n, reading)}</dd>
          <dt>{i18n.t("sites.clientReport.change.column")}</dt>
          <dd>{earlier === null ? i18n.t("sites.clientReport.unknown") : <ScoreChangeText earlier={earlier} />}</dd>
          <dt>{i18n.t("sites.columns.open")}</dt>
          <dd>{i18n.number(open.length)}</dd>
          {accepted.length > 0 && (
            <>
              <dt>{i18n.t("sites.clientReport.accepted")}</dt>
              <dd>{i18n.number(accepted.length)}</dd>
            </>
          )}
          <dt>{i18n.t("sites.columns.certificate")}</dt>
          <dd>
            <Certificate days={certificateDays} expiresAt={reading.certificateExpiresAt} />
          </dd>
          <dt>{i18n.t("sites.clientReport.measured")}</dt>
          <dd>
            <Instant at={reading.at} />
          </dd>
          {site.pages.length > 0 && (
            <>
              <dt>{i18n.t("sites.clientReport.addresses")}</dt>
              <dd>{i18n.number(site.pages.length + 1)}</dd>
            </>
          )}
          {site.location !== localLocation && (
            <>
              <dt>{i18n.t("location.label")}</dt>
              <dd>{site.location}</dd>
            </>
          )}
          <dt>{i18n.t("sites.site.facts.since")}</dt>
          <dd>
            <Instant at={site.createdAt} day />
          </dd>
        </dl>
      </div>
    </div>
  );
}

function Certificate({ days, expiresAt }: { readonly days: number | null; readonly expiresAt: string | null }) {
  const i18n = useI18n();
  if (days === null || expiresAt === null) return <>{i18n.t("sites.certificate.unread")}</>;
  return (
    <>
      <DaysLeft days={days} />, <Instant at={expiresAt} day />
    </>
  );
}

interface ReportedProps {
  readonly reported: ReportedSite;
}

function OpenList({ reported: { site, open } }: ReportedProps) {
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

/** Accepted findings; null without one. */
function AcceptedList({ reported: { accepted } }: ReportedProps) {
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

/** Number of findings beyond the list; null for zero. */
function MoreFindings({ count }: { readonly count: number }) {
  const i18n = useI18n();
  return count <= 0 ? null : <p class="muted">{i18n.count("sites.clientReport.open.more", count)}</p>;
}

/** Addresses without a measurement; null without one. */
function UnmeasuredList({ unmeasured }: Pick<SiteDetails, "unmeasured">) {
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

function ChangeList({ changes: { rows, complete, hasSilent } }: Pick<SiteDetails, "changes">) {
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
