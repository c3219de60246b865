/** Client report as one HTML file: figures, a table of all watched sites of a client, a section for each. */
import { createElement } from "preact";
import { bands, standing } from "../../judge/result.ts";
import type { Brand } from "../../report/brand.tsx";
import { DaysLeft, Instant, Unconfirmed } from "../../report/components/labels.tsx";
import { DataTable, FactRow } from "../../report/components/layout.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl, plainUntrustedText, Sentence, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import { type Site, wholeDaysUntil } from "../../store/sites.ts";
import { quoted } from "../../text/display.ts";
import type { ExportSettings } from "../export.ts";
import { FileHead, fileDocument, htmlText } from "../html.tsx";
import { shortened } from "../safe-text.ts";
import { ClientSummary, ClientVerdict } from "./client-summary.tsx";
import {
  type ClientReportStore,
  type CountedSite,
  collectClient,
  figuresOf,
  periodStart,
  type ReportedClient,
  type ReportedSite,
} from "./collect.ts";
import { ScoreChangeText, SiteSection, siteHeadingId, siteTableId, useUnmeasuredReason } from "./site-section.tsx";
import { type ClientWords, WordsContext } from "./words.tsx";

/** Characters of a client in the document title, which tabs and bookmarks cut anyway. */
const titleClientCharsMax = 30;
/** Characters of a client at the top of printed pages, beside the date. */
const headerClientCharsMax = 60;
/** Element id of a heading. */
const unmeasuredId = "without-score";

export interface ClientReportSettings extends Pick<ExportSettings, "locale" | "texts" | "checks" | "version" | "origin"> {
  readonly store: ClientReportStore;
  /** Account that watches the sites. */
  readonly owner: Pick<Account, "id">;
  /** Client, as the sites name it. */
  readonly client: string;
  /** Custom brand; null shows assay's own. */
  readonly brand: Brand | null;
  readonly words: ClientWords;
  readonly now: Date;
}

/** Text of the file; null if the owner watches no site of the client. */
export function clientReportFile(settings: ClientReportSettings): string | null {
  const { store, owner, client, locale, checks, version, brand, words, now } = settings;
  const report = collectClient({ store, ownerId: owner.id, client, checks, locale, now });
  if (report === null) return null;
  const document = fileDocument(settings);
  const { i18n } = document;
  const day = i18n.date(now.toISOString());
  const name = plainUntrustedText(client);
  return htmlText({
    document,
    title: i18n.t("sites.clientReport.title", { client: shortened(name, titleClientCharsMax) }),
    printHeader: `${shortened(name, headerClientCharsMax)}, ${day}`,
    saved: i18n.t("sites.clientReport.saved", { day }),
    version,
    brand,
    children: createElement(WordsContext.Provider, { value: words, children: createElement(ClientReport, report) }),
  });
}

function ClientReport(report: ReportedClient) {
  const i18n = useI18n();
  const { client, now, sites } = report;
  const measured = sites.filter(({ site }) => site.reading !== null);
  return (
    <>
      <FileHead
        title={<Sentence text={i18n.t("sites.clientReport.title", { client: quoted(client) })} />}
        lead={i18n.count("sites.clientPage.lead", sites.length, { day: i18n.date(now.toISOString()) })}
      >
        <p class="muted">
          {i18n.t("sites.clientReport.period", { from: i18n.date(periodStart(now).toISOString()), to: i18n.date(now.toISOString()) })}
        </p>
        <ClientVerdict sites={sites} />
      </FileHead>
      <ClientSummary {...report} />
      <ClientFigures sites={sites.map(({ site, open, accepted }) => ({ site, open: open.length, accepted: accepted.length }))} now={now} />
      {measured.length > 0 && <SiteTable sites={measured} />}
      <UnmeasuredSites {...report} />
      {measured.map((reported) =>
        reported.details === null ? null : <SiteSection key={reported.site.id} reported={reported} details={reported.details} />,
      )}
    </>
  );
}

interface FiguresProps {
  readonly sites: readonly (CountedSite & { readonly accepted?: number })[];
  readonly now: Date;
}

export function ClientFigures({ sites, now }: FiguresProps) {
  const i18n = useI18n();
  const { score, open, certificateExpiresAt } = figuresOf(sites);
  const accepted = sites.reduce((sum, one) => sum + (one.site.reading === null ? 0 : (one.accepted ?? 0)), 0);
  return (
    <dl class="facts">
      <FactRow name={i18n.t("sites.clientPage.bands")}>
        <Bands sites={sites} />
      </FactRow>
      {score !== null && <FactRow name={i18n.t("sites.clientPage.lowest")}>{i18n.number(score)}</FactRow>}
      {open !== null && <FactRow name={i18n.t("sites.columns.open")}>{i18n.number(open)}</FactRow>}
      {accepted > 0 && <FactRow name={i18n.t("sites.clientReport.accepted")}>{i18n.number(accepted)}</FactRow>}
      {certificateExpiresAt !== null && <NextCertificate expiresAt={certificateExpiresAt} now={now} />}
    </dl>
  );
}

function Bands({ sites }: Pick<FiguresProps, "sites">) {
  const i18n = useI18n();
  const byBand = Map.groupBy(sites, ({ site }) => standing(site.reading?.score ?? null).band);
  return (
    <>
      {bands.map((band) => {
        const count = byBand.get(band)?.length ?? 0;
        return count === 0 ? null : (
          <span key={band}>
            <span class={`chip ${band}`}>{`${i18n.number(count)} ${i18n.t(`sites.bands.${band}`)}`}</span>{" "}
          </span>
        );
      })}
    </>
  );
}

function NextCertificate({ expiresAt, now }: { readonly expiresAt: string; readonly now: Date }) {
  const i18n = useI18n();
  const days = wholeDaysUntil(expiresAt, now);
  return (
    <FactRow name={i18n.t("sites.clientPage.certificate")}>
      <Instant at={expiresAt} day />
      {days < 0 && (
        <>
          , <DaysLeft days={days} />
        </>
      )}
    </FactRow>
  );
}

export function SiteTable({ sites }: { readonly sites: readonly ReportedSite[] }) {
  const i18n = useI18n();
  const detailed = sites.filter(({ details }) => details !== null).length;
  return (
    <section class="client-sites" aria-labelledby={siteTableId}>
      <h2 id={siteTableId}>{i18n.t("sites.clientReport.overview")}</h2>
      <p class="muted">
        {i18n.t("sites.clientReport.order")} {i18n.t("sites.clientReport.change.mean")}
        {detailed < sites.length && ` ${i18n.count("sites.clientReport.cut", detailed)}`}
      </p>
      <DataTable
        caption={i18n.t("sites.clientReport.overview")}
        captionUnseen
        rows={sites}
        columns={[
          { label: i18n.t("sites.clientReport.site"), cell: SiteName },
          { label: i18n.t("sites.columns.score"), cell: ({ site }) => <SmallScore score={site.reading?.score ?? null} /> },
          {
            label: i18n.t("sites.clientReport.change.column"),
            cell: ({ site, earlier }) => (earlier === null || site.reading === null ? <Unknown /> : <ScoreChangeText earlier={earlier} />),
          },
          {
            label: i18n.t("sites.columns.open"),
            numeric: true,
            cell: ({ site: { reading }, open }) =>
              reading === null ? (
                <Unknown />
              ) : (
                <>
                  {i18n.number(open.length)} <Unconfirmed count={reading.unconfirmed} />
                </>
              ),
          },
          {
            label: i18n.t("sites.columns.certificate"),
            cell: ({ certificateDays: days }) => (days === null ? <Unknown /> : <DaysLeft days={days} />),
          },
          {
            label: i18n.t("sites.clientReport.measured"),
            cell: ({ site: { reading } }) =>
              reading === null ? <span class="muted">{i18n.t("sites.site.notYet")}</span> : <Instant at={reading.at} day />,
          },
        ]}
      />
    </section>
  );
}

/** Sites without a score, with what keeps them from having one. */
function UnmeasuredSites({ sites, now }: ReportedClient) {
  const i18n = useI18n();
  const rows = sites.filter(({ site }) => site.reading === null);
  if (rows.length === 0) return null;
  const title = i18n.t("sites.clientReport.withoutScore.title");
  return (
    <section aria-labelledby={unmeasuredId}>
      <h2 id={unmeasuredId}>{title}</h2>
      <DataTable
        caption={title}
        captionUnseen
        rows={rows}
        columns={[
          { label: i18n.t("sites.clientReport.site"), cell: (row) => <SiteName {...row} details={null} /> },
          { label: i18n.t("sites.clientReport.unmeasured.reason"), cell: (row) => <WithoutScore {...row} now={now} /> },
        ]}
      />
    </section>
  );
}

function WithoutScore({ site, details, now }: ReportedSite & Pick<ReportedClient, "now">) {
  const i18n = useI18n();
  const because = useUnmeasuredReason(site, details?.changes.unreachable ?? null);
  if (site.failingSince !== null) {
    const since = i18n.t("sites.clientReport.state.unreachable", { since: i18n.dateTime(site.failingSince) });
    return <>{because === null ? since : `${since} ${because}`}</>;
  }
  const planned = site.nextRunAt !== null && site.nextRunAt > now.toISOString();
  return (
    <>
      {i18n.t(site.lastRunAt === null ? "sites.clientReport.state.notScanned" : "sites.open.notYet")}{" "}
      {planned && i18n.t("sites.clientReport.withoutScore.planned", { at: i18n.date(site.nextRunAt ?? "") })}
    </>
  );
}

function SiteName({ site, details }: ReportedSite) {
  const name = <UntrustedText>{site.name}</UntrustedText>;
  return (
    <>
      {details === null ? name : <a href={`#${siteHeadingId(site)}`}>{name}</a>} <ClientSiteMarks {...site} />
      <span class="small site-url">
        <HostUrl url={site.url} short />
      </span>
    </>
  );
}

function Unknown() {
  return <span class="muted">{useI18n().t("sites.clientReport.unknown")}</span>;
}

export function ClientSiteMarks({ paused, failingSince }: Pick<Site, "paused" | "failingSince">) {
  const i18n = useI18n();
  return (
    <>
      {failingSince !== null && <span class="chip poor">{i18n.t("sites.marks.failing")}</span>}{" "}
      {paused && <span class="chip unknown outlined">{i18n.t("sites.marks.paused")}</span>}
    </>
  );
}
