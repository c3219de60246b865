/** Table of all sites of a client. */
import { DaysLeft, Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { ReportedSite } from "./collect.ts";
import { siteHeadingId, siteTableId } from "./element-ids.ts";
import { ScoreChangeText } from "./score-change-text.tsx";
import { SiteMarks } from "./site-marks.tsx";

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
          { label: i18n.t("sites.columns.name"), cell: SiteName },
          { label: i18n.t("sites.columns.score"), cell: ({ site }) => <SmallScore score={site.reading?.score ?? null} /> },
          { label: i18n.t("sites.clientReport.change.column"), cell: ChangeCell },
          { label: i18n.t("sites.columns.open"), numeric: true, cell: OpenCell },
          { label: i18n.t("sites.columns.certificate"), cell: CertificateCell },
          { label: i18n.t("sites.clientReport.measured"), cell: LastMeasured },
        ]}
      />
    </section>
  );
}

function SiteName({ site, details }: ReportedSite) {
  const name = <UntrustedText>{site.name}</UntrustedText>;
  return (
    <>
      {details === null ? name : <a href={`#${siteHeadingId(site)}`}>{name}</a>} <SiteMarks site={site} />
      <span class="small site-url">
        <HostUrl url={site.url} short />
      </span>
    </>
  );
}

function ChangeCell({ site, earlier }: ReportedSite) {
  return earlier === null || site.reading === null ? <Unknown /> : <ScoreChangeText earlier={earlier} />;
}

function OpenCell({ site, open }: ReportedSite) {
  const i18n = useI18n();
  return site.reading === null ? <Unknown /> : i18n.number(open.length);
}

function CertificateCell({ certificateDays }: ReportedSite) {
  return certificateDays === null ? <Unknown /> : <DaysLeft days={certificateDays} />;
}

function LastMeasured({ site: { reading } }: ReportedSite) {
  const i18n = useI18n();
  return reading === null ? <span class="muted">{i18n.t("sites.site.notYet")}</span> : <Instant at={reading.at} day />;
}

function Unknown() {
  return <span class="muted">{useI18n().t("sites.clientReport.unknown")}</span>;
}
