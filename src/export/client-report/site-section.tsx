/** Section of one site in the client report: its score, and whatever keeps the score from being up to date. */
import { localLocation } from "../../parse/location.ts";
import { DaysLeft, Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ScoreRing, scoreText } from "../../report/components/score-ring.tsx";
import { HostUrl, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import type { Site, SiteReading } from "../../store/sites.ts";
import { scanErrorMessage } from "../../text/render.ts";
import type { ReportedSite, SiteDetails } from "./collect.ts";
import { siteHeadingId, siteTableId } from "./element-ids.ts";
import { listedRows } from "./listed-rows.ts";
import { ScoreChangeText } from "./score-change-text.tsx";
import { AcceptedList, ChangeList, OpenList, UnmeasuredList } from "./site-lists.tsx";

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

/** Null for a site that is measured as planned. */
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
