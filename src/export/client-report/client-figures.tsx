/** Figures of all sites of a client together. */
import { bands, standing } from "../../judge/result.ts";
import { DaysLeft, Instant } from "../../report/components/labels.tsx";
import { useI18n } from "../../report/context.ts";
import { wholeDaysUntil } from "../../store/sites.ts";
import { type CountedSite, figuresOf } from "./figures.ts";

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
      <dt>{i18n.t("sites.clientPage.bands")}</dt>
      <dd>
        <Bands sites={sites} />
      </dd>
      {score !== null && open !== null && (
        <>
          <dt>{i18n.t("sites.clientPage.lowest")}</dt>
          <dd>{i18n.number(score)}</dd>
          <dt>{i18n.t("sites.columns.open")}</dt>
          <dd>{i18n.number(open)}</dd>
        </>
      )}
      {accepted > 0 && (
        <>
          <dt>{i18n.t("sites.clientReport.accepted")}</dt>
          <dd>{i18n.number(accepted)}</dd>
        </>
      )}
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
    <>
      <dt>{i18n.t("sites.clientPage.certificate")}</dt>
      <dd>
        <Instant at={expiresAt} day />
        {days < 0 && (
          <>
            {", "}
            <DaysLeft days={days} />
          </>
        )}
      </dd>
    </>
  );
}
