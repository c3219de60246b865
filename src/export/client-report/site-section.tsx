/** Section of one site in the client report: score, findings, changes, and what keeps the score from being up to date. */

import { localLocation } from "../../parse/location.ts";
import { DaysLeft, Instant, Unconfirmed } from "../../report/components/labels.tsx";
import { DataTable, type DataTableProps, FactRow } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ScoreRing, scoreText } from "../../report/components/score-ring.tsx";
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import type { OpenFinding } from "../../store/site-runs.ts";
import { acceptedReasonCharsMax, addressesOf, type Site, type SiteReading } from "../../store/sites.ts";
import { scanErrorMessage, unmeasuredReason } from "../../text/render.ts";
import type { CountPath } from "../../text/translator.ts";
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
import { FindingWords, groupedByWords, isSerious, useWords } from "./words.tsx";

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

/** In plain words without the changes: the summary says what got better, and the open findings since when they are. */
export function SiteSection({ reported, details }: SectionProps) {
  const i18n = useI18n();
  const plain = useWords() === "plain";
  const { site } = reported;
  const { reading } = site;
  return (
    <article
      class={listedRows(reported, plain ? { ...details, changes: null } : details) <= keptRowsMax ? "client-site short" : "client-site"}
      aria-labelledby={siteHeadingId(site)}
    >
      <header>
        <h2 id={siteHeadingId(site)}>
          <UntrustedText>{site.name}</UntrustedText>
        </h2>
        <p>
          <HostUrl url={site.url} short />
        </p>
        <SiteState site={site} unreachable={details.changes.unreachable} />
        {reading !== null && <SiteFacts reported={reported} reading={reading} />}
      </header>
      <OpenList reported={reported} />
      <AcceptedList reported={reported} />
      <UnmeasuredList unmeasured={details.unmeasured} />
      {!plain && <ChangeList changes={details.changes} />}
      <p class="screen-only">
        <a href={`#${siteTableId}`}>{i18n.t("sites.clientReport.back")}</a>
      </p>
    </article>
  );
}

/** Why no run measures the site; null if that is not known. */
export function useUnmeasuredReason({ url }: Pick<Site, "url">, unreachable: SiteDetails["changes"]["unreachable"]): string | null {
  const { i18n, texts } = useDocument();
  return unreachable && unmeasuredReason(unreachable, url, i18n.locale, texts);
}

/** Warnings about a site with a score; null if it is measured as planned. */
function SiteState({ site, unreachable }: { readonly site: Site } & Pick<SiteDetails["changes"], "unreachable">) {
  const i18n = useI18n();
  const because = useUnmeasuredReason(site, unreachable);
  const { failingSince, paused } = site;
  return (
    <>
      {failingSince !== null && (
        <Notice kind="poor">
          <p>{i18n.t("sites.site.failing", { since: i18n.dateTime(failingSince) })}</p>
          {because !== null && <p>{because}</p>}
        </Notice>
      )}
      {paused && <Notice kind="warn" text={i18n.t("sites.clientReport.state.paused")} />}
    </>
  );
}

function SiteFacts({ reported, reading }: { readonly reported: ReportedSite; readonly reading: SiteReading }) {
  const i18n = useI18n();
  const { site, open, accepted, certificateDays, earlier } = reported;
  return (
    <div class="verdict">
      <ScoreRing score={reading.score} rank={reading.rank} />
      <div>
        <dl class="facts">
          <FactRow name={i18n.t("sites.columns.score")}>{scoreText(i18n, reading)}</FactRow>
          <FactRow name={i18n.t("sites.clientReport.change.column")}>
            {earlier === null ? i18n.t("sites.clientReport.unknown") : <ScoreChangeText earlier={earlier} />}
          </FactRow>
          <FactRow name={i18n.t("sites.columns.open")}>
            {i18n.number(open.length)} <Unconfirmed count={reading.unconfirmed} />
          </FactRow>
          {accepted.length > 0 && <FactRow name={i18n.t("sites.clientReport.accepted")}>{i18n.number(accepted.length)}</FactRow>}
          <FactRow name={i18n.t("sites.columns.certificate")}>
            <Certificate days={certificateDays} expiresAt={reading.certificateExpiresAt} />
          </FactRow>
          <FactRow name={i18n.t("sites.clientReport.measured")}>
            <Instant at={reading.at} />
          </FactRow>
          {site.pages.length > 0 && <FactRow name={i18n.t("sites.clientReport.addresses")}>{i18n.number(site.pages.length + 1)}</FactRow>}
          {site.location !== localLocation && <FactRow name={i18n.t("location.label")}>{site.location}</FactRow>}
          <FactRow name={i18n.t("sites.site.facts.since")}>
            <Instant at={site.createdAt} day />
          </FactRow>
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

interface ListProps<R> extends Pick<DataTableProps<R>, "rows" | "columns"> {
  readonly title: string;
  readonly lead?: string;
  /** Sentence in place of an empty table; null shows nothing, not even the title. */
  readonly none: string | null;
  /** Most rows of the table. */
  readonly rowsMax?: number;
  /** Counts the rows beyond the table. */
  readonly more?: CountPath;
}

/** A list below its title, and how many rows it leaves out. */
function TitledTable<R>({ title, lead, none, rows, rowsMax = rows.length, more, columns }: ListProps<R>) {
  const i18n = useI18n();
  const omitted = rows.length - rowsMax;
  if (rows.length === 0 && none === null) return null;
  return (
    <>
      <h3>{title}</h3>
      {lead !== undefined && <p class="muted">{lead}</p>}
      {rows.length === 0 ? <p>{none}</p> : <DataTable caption={title} captionUnseen rows={rows.slice(0, rowsMax)} columns={columns} />}
      {more !== undefined && omitted > 0 && <p class="muted">{i18n.count(more, omitted)}</p>}
    </>
  );
}

function OpenList(props: Pick<SectionProps, "reported">) {
  return useWords() === "plain" ? <PlainOpenList {...props} /> : <TechnicalOpenList {...props} />;
}

/** One line for all findings with one consequence. Small ones are counted. */
function PlainOpenList({ reported: { open } }: Pick<SectionProps, "reported">) {
  const document = useDocument();
  const { i18n } = document;
  const serious = open.filter(isSerious);
  const small = open.length - serious.length;
  const groups = groupedByWords(serious, (finding) => finding, "plain", document);
  const noneText = open.length === 0 ? "sites.open.none" : "sites.clientReport.open.noneSerious";
  return (
    <>
      <TitledTable
        title={i18n.t("sites.open.title")}
        none={i18n.t(noneText)}
        rows={groups}
        rowsMax={openListedMax}
        more="sites.clientReport.open.more"
        columns={[
          { label: i18n.t("sites.open.finding"), cell: ([first]) => <OpenTitle {...first} /> },
          {
            label: i18n.t("sites.open.since"),
            cell: (group) => <Instant at={group.map(({ since }) => since).toSorted()[0] ?? group[0].since} day />,
          },
        ]}
      />
      {small > 0 && <p class="muted">{i18n.count("sites.clientReport.open.small", small)}</p>}
    </>
  );
}

function TechnicalOpenList({ reported: { site, open } }: Pick<SectionProps, "reported">) {
  const i18n = useI18n();
  const urls = new Set(addressesOf(site));
  const addresses = ({ urls: known }: OpenFinding) => {
    const count = known.filter((url) => urls.has(url)).length;
    return i18n.t("sites.clientReport.open.of", { count: i18n.number(count), all: i18n.number(urls.size) });
  };
  return (
    <TitledTable
      title={i18n.t("sites.open.title")}
      none={i18n.t("sites.open.none")}
      rows={open}
      rowsMax={openListedMax}
      more="sites.clientReport.open.more"
      columns={[
        { label: i18n.t("sites.open.finding"), cell: OpenTitle },
        { label: i18n.t("sites.open.since"), cell: ({ since }) => <Instant at={since} day /> },
        ...(urls.size === 1 ? [] : [{ label: i18n.t("sites.open.pages"), numeric: true, cell: addresses }]),
      ]}
    />
  );
}

function OpenTitle(finding: OpenFinding) {
  const i18n = useI18n();
  return (
    <>
      <FindingWords {...finding} />
      {finding.unstable && <span class="muted small"> ({i18n.t("sites.clientReport.open.unstable")})</span>}
    </>
  );
}

function AcceptedList({ reported: { accepted } }: Pick<SectionProps, "reported">) {
  const i18n = useI18n();
  return (
    <TitledTable
      title={i18n.t("sites.clientReport.accepted")}
      lead={i18n.t("sites.clientReport.acceptances.mean")}
      none={null}
      rows={accepted}
      rowsMax={acceptedListedMax}
      more="sites.clientReport.open.more"
      columns={[
        { label: i18n.t("sites.open.finding"), cell: AcceptedTitle },
        {
          label: i18n.t("sites.accepted.reason"),
          cell: ({ acceptance: { reason } }) => <UntrustedText charsMax={acceptedReasonCharsMax}>{reason}</UntrustedText>,
        },
        {
          label: i18n.t("sites.accepted.until"),
          cell: ({ acceptance: { until } }) =>
            until === null ? i18n.t("sites.accepted.forever") : <time dateTime={until}>{i18n.date(until)}</time>,
        },
      ]}
    />
  );
}

function AcceptedTitle({ finding }: AcceptedOpenFinding) {
  const i18n = useI18n();
  return (
    <>
      <FindingWords {...finding} /> <span class="chip unknown outlined">{i18n.t("sites.clientReport.acceptances.mark")}</span>
    </>
  );
}

/** Addresses without a measurement. */
function UnmeasuredList({ unmeasured }: Pick<SiteDetails, "unmeasured">) {
  const { i18n, texts } = useDocument();
  return (
    <TitledTable
      title={i18n.t("sites.clientReport.unmeasured.title")}
      none={null}
      rows={unmeasured}
      columns={[
        { label: i18n.t("sites.clientReport.unmeasured.address"), cell: ({ url }) => <HostUrl url={url} short /> },
        { label: i18n.t("sites.open.since"), cell: ({ since }) => <Instant at={since} day /> },
        {
          label: i18n.t("sites.clientReport.unmeasured.reason"),
          cell: ({ errorCode, url }) => {
            if (errorCode === null) return i18n.t("sites.clientReport.unmeasured.noScore");
            return scanErrorMessage(errorCode, url, i18n.locale, texts);
          },
        },
      ]}
    />
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
  return (
    <>
      <TitledTable
        title={i18n.t("sites.clientReport.changes.title")}
        none={i18n.t("sites.clientReport.changes.none")}
        rows={rows}
        rowsMax={changesListedMax}
        more="sites.clientReport.changes.more"
        columns={[
          { label: i18n.t("sites.clientReport.changes.what"), cell: ChangedTitle },
          {
            label: i18n.t("sites.clientReport.changes.kind"),
            cell: ({ kind }) => <span class={`chip ${changeStyles[kind]}`}>{i18n.t(`sites.clientReport.changes.${kind}`)}</span>,
          },
          { label: i18n.t("sites.clientReport.changes.day"), cell: ({ at }) => <Instant at={at} day /> },
        ]}
      />
      {!complete && <p class="muted">{i18n.t("sites.clientReport.changes.older")}</p>}
      {hasSilent && <p class="muted">{i18n.t("sites.clientReport.changes.silent")}</p>}
    </>
  );
}

function ChangedTitle(row: SiteChangeRow) {
  const i18n = useI18n();
  if ("finding" in row) return <FindingWords {...row.finding} />;
  return <>{i18n.t(`sites.events.site.${row.kind}`, { since: i18n.date(row.since) })}</>;
}
