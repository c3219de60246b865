/** Figures of all sites of a client together. */
import { bands, standing } from "../../judge/rank.ts";
import { Instant } from "../../report/components/instant.tsx";
import { useI18n } from "../../report/context.ts";
import type { Site } from "../../store/sites.ts";

interface FiguresProps {
  readonly sites: readonly {
    readonly site: Pick<Site, "reading">;
    /** Open findings that are not accepted; nothing is counted before the first measured run. */
    readonly open: number;
    readonly accepted?: number;
  }[];
}

export function ClientFigures({ sites }: FiguresProps) {
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
      <NextCertificate sites={sites} />
    </dl>
  );
}

function Bands({ sites }: FiguresProps) {
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
function NextCertificate({ sites }: FiguresProps) {
  const i18n = useI18n();
  const [soonest] = sites.flatMap(({ site }) => site.reading?.certificateExpiresAt ?? []).sort();
  return soonest === undefined ? null : (
    <>
      <dt>{i18n.t("sites.clientPage.certificate")}</dt>
      <dd>
        <Instant at={soonest} day />
      </dd>
    </>
  );
}
