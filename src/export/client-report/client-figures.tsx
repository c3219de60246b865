/** Figures of all sites of a client together. */
import { bands, standing } from "../../judge/rank.ts";
import { DaysLeft } from "../../report/components/days-left.tsx";
import { Instant } from "../../report/components/instant.tsx";
import { useI18n } from "../../report/context.ts";
import { certificateDaysOf, type Site } from "../../store/sites.ts";

interface FiguresProps {
  readonly sites: readonly {
    readonly site: Site;
    /** Open findings that are not accepted; nothing is counted before the first measured run. */
    readonly open: number;
    readonly accepted?: number;
  }[];
  readonly now: Date;
}

export function ClientFigures({ sites, now }: FiguresProps) {
  const i18n = useI18n();
  const measured = sites.filter(({ site }) => site.reading !== null);
  const sumOf = (count: (site: FiguresProps["sites"][number]) => number) => measured.reduce((sum, one) => sum + count(one), 0);
  const scores = measured.flatMap(({ site }) => site.reading?.score ?? []);
  const accepted = sumOf((one) => one.accepted ?? 0);
  return (
    <dl class="facts">
      <dt>{i18n.t("sites.clientPage.bands")}</dt>
      <dd>
        <Bands sites={sites} />
      </dd>
      {scores.length > 0 && (
        <>
          <dt>{i18n.t("sites.clientPage.lowest")}</dt>
          <dd>{i18n.number(Math.min(...scores))}</dd>
          <dt>{i18n.t("sites.columns.open")}</dt>
          <dd>{i18n.number(sumOf(({ open }) => open))}</dd>
        </>
      )}
      {accepted > 0 && (
        <>
          <dt>{i18n.t("sites.clientReport.accepted")}</dt>
          <dd>{i18n.number(accepted)}</dd>
        </>
      )}
      <NextCertificate sites={sites} now={now} />
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

/** Null if no certificate was read. */
function NextCertificate({ sites, now }: FiguresProps) {
  const i18n = useI18n();
  const known = sites.flatMap(({ site }) => {
    const [expiresAt, days] = [site.reading?.certificateExpiresAt ?? null, certificateDaysOf(site, now)];
    return expiresAt === null || days === null ? [] : [{ expiresAt, days }];
  });
  const [soonest] = known.toSorted((one, other) => one.days - other.days);
  return soonest === undefined ? null : (
    <>
      <dt>{i18n.t("sites.clientPage.certificate")}</dt>
      <dd>
        <Instant at={soonest.expiresAt} day />
        {soonest.days < 0 && (
          <>
            {", "}
            <DaysLeft days={soonest.days} />
          </>
        )}
      </dd>
    </>
  );
}
