/** Overview above the list of watched sites: ranks, certificates and states. Each figure is a link that sets its filter, or takes it back. */
import { type Rank, ranks } from "../../judge/result.ts";
import { toneOf } from "../../text/score-tone.ts";
import { useVisit } from "../context.ts";
import { ownerPath, type SiteAccess } from "./site-access.ts";
import {
  certificateGroupDays,
  certificateGroups,
  certificateLineDays,
  type Facet,
  type FacetCounts,
  paramsOf,
  type SiteQuery,
  siteMarks,
  weekChanges,
} from "./site-query.ts";

interface OverviewProps {
  readonly counts: FacetCounts;
  readonly query: SiteQuery;
  readonly access: SiteAccess;
}

export function SitesOverview(props: OverviewProps) {
  const { i18n } = useVisit();
  return (
    <section class="overview" aria-label={i18n.t("sites.overview.title")} data-part="overview">
      <RankFigures {...props} />
      <CertificateLine {...props} />
      <StateFigures {...props} />
    </section>
  );
}

/** Figure of a filter: a link where it has sites. */
function useFigures({ counts, query, access }: OverviewProps) {
  return (facet: Facet, value: string) => {
    const isChosen = query[facet] === value;
    const params = paramsOf({ ...query, [facet]: isChosen ? null : value, page: 1 } as SiteQuery);
    return { isChosen, count: counts[facet].get(value) ?? 0, href: ownerPath("/sites", access, params), id: `${facet}-${value}` };
  };
}

type Figure = ReturnType<ReturnType<typeof useFigures>>;

interface FigureLinkProps {
  readonly figure: Figure;
  readonly text: string;
  /** Colour. */
  readonly kind?: string | undefined;
  readonly tone?: number;
}

function FigureLink({ figure: { isChosen, count, href, id }, text, kind = "", tone }: FigureLinkProps) {
  const { i18n } = useVisit();
  const content = (
    <>
      <strong>{i18n.number(count)}</strong> {text}
    </>
  );
  if (count === 0 && !isChosen) return <span class="figure muted">{content}</span>;
  return (
    <a id={id} class={isChosen ? "figure" : `figure ${kind}`} href={href} data-tone={tone} aria-current={isChosen ? "true" : undefined}>
      {content}
    </a>
  );
}

/** Colour of a rank, and its place among the ranks of this colour, which differ in opacity. */
function colourOf(rank: Rank) {
  const colour = toneOf(rank);
  return { colour, tone: ranks.filter((one) => toneOf(one) === colour).indexOf(rank) };
}

function RankFigures(props: OverviewProps) {
  const { i18n } = useVisit();
  const figureOf = useFigures(props);
  const figures = ranks.map((rank) => ({ rank, ...colourOf(rank), figure: figureOf("band", rank) }));
  const all = figures.reduce((sum, { figure }) => sum + figure.count, 0);
  let x = 0;
  return (
    <div>
      <h2>{i18n.t("sites.overview.ranks")}</h2>
      <svg class="rank-bar" viewBox={`0 0 ${Math.max(1, all)} 1`} preserveAspectRatio="none" aria-hidden="true">
        {figures
          .filter(({ figure }) => figure.count > 0)
          .map(({ rank, colour, tone, figure: { count } }) => {
            x += count;
            return <rect key={rank} class={colour} data-tone={tone} x={x - count} width={count} height="1" />;
          })}
      </svg>
      <ul class="figures">
        {figures.map(({ rank, colour, tone, figure }) => (
          <li key={rank}>
            <FigureLink
              figure={figure}
              text={rank === "unknown" ? i18n.t("sites.bands.unknown") : i18n.rank(rank)}
              kind={`swatch ${colour}`}
              tone={tone}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Radius of the largest and the smallest dot. */
const dot = { largest: 10, least: 3 } as const;

function CertificateLine(props: OverviewProps) {
  const { i18n } = useVisit();
  const figureOf = useFigures(props);
  const groups = certificateGroups.map((from) => ({ from, figure: figureOf("certificate", from) }));
  const most = Math.max(1, ...groups.map(({ figure }) => figure.count));
  return (
    <div>
      <h2>{i18n.t("sites.overview.certificates", { days: i18n.number(certificateLineDays) })}</h2>
      <ol class="days-line">
        {groups.map(({ from, figure }) => (
          <li key={from}>
            <CertificateGroup from={Number(from)} figure={figure} share={figure.count / most} />
          </li>
        ))}
      </ol>
      <FigureLink figure={figureOf("certificate", "expired")} text={i18n.t("sites.overview.expired")} kind="poor" />
    </div>
  );
}

/** Days to the end from which the dots of a group are marked, as in the rows. */
function dayKind(from: number): string {
  return from < certificateGroupDays ? "poor" : from < 30 ? "warn" : "unknown";
}

function CertificateGroup({ from, figure, share }: { readonly from: number; readonly figure: Figure; readonly share: number }) {
  const { i18n } = useVisit();
  const { count, isChosen, href, id } = figure;
  const days = { from: i18n.number(from), to: i18n.number(from + certificateGroupDays - 1) };
  const content = (
    <>
      <strong>{count === 0 ? "" : i18n.number(count)}</strong>
      <svg class={dayKind(from)} viewBox="0 0 24 24" aria-hidden="true">
        {count > 0 && <circle cx="12" cy="12" r={dot.least + Math.round((dot.largest - dot.least) * Math.sqrt(share))} />}
      </svg>
    </>
  );
  return (
    <>
      {count === 0 && !isChosen ? (
        <span class="day-group">{content}</span>
      ) : (
        <a id={id} class="day-group" href={href} aria-current={isChosen ? "true" : undefined}>
          {content}
          <span class="unseen">{i18n.t("sites.overview.days", days)}</span>
        </a>
      )}
      <span class="day" aria-hidden="true">
        {days.from}
      </span>
    </>
  );
}

const stateKinds = { running: "", waiting: "", paused: "", failing: "poor", unconfirmed: "warn" } as const;
const changeKinds = { worse: "poor", better: "good" } as const;

function StateFigures(props: OverviewProps) {
  const { i18n } = useVisit();
  const figureOf = useFigures(props);
  return (
    <div>
      <h2>{i18n.t("sites.overview.now")}</h2>
      <ul class="figures">
        {weekChanges.map((change) => (
          <li key={change}>
            <FigureLink figure={figureOf("change", change)} text={i18n.t(`sites.changes.${change}`)} kind={changeKinds[change]} />
          </li>
        ))}
        {siteMarks.map((mark) => (
          <li key={mark}>
            <FigureLink figure={figureOf("mark", mark)} text={i18n.t(`sites.marks.${mark}`)} kind={stateKinds[mark]} />
          </li>
        ))}
      </ul>
    </div>
  );
}
