/** What a client reads first: a verdict in one sentence, the scores of 30 days, what should happen next, and what got better. */
import type { ComponentChildren } from "preact";
import { dayMs } from "../../base/units.ts";
import { standing } from "../../judge/result.ts";
import { DataTable } from "../../report/components/layout.tsx";
import { SmallScore } from "../../report/components/score-ring.tsx";
import { plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument, useI18n } from "../../report/context.ts";
import type { OpenFinding } from "../../store/site-runs.ts";
import type { Site } from "../../store/sites.ts";
import { changesDays, needOf, periodStart, type ReportedClient, type ReportedSite, type ScoreDay, type SiteChangeRow } from "./collect.ts";
import { FindingWords, groupedByWords, isSerious, sentenceCharsMax, useWords, wordsOf } from "./words.tsx";

/** Rows that leave the summary on one printed page. */
const chartsMax = 4;
const nextMax = 3;
const betterMax = 3;
const namesMax = 3;

type Sites = Pick<ReportedClient, "sites">;

/** One sentence on the sites that need most; a second one on those without a score. */
export function ClientVerdict({ sites }: Sites) {
  const i18n = useI18n();
  const measured = sites.filter(({ site }) => site.reading !== null);
  const without = sites.length - measured.length;
  const needs = Map.groupBy(measured, (each) => needOf(each) ?? "fine");
  const need = (["urgent", "improve"] as const).find((each) => needs.has(each)) ?? "fine";
  const named = needs.get(need) ?? [];
  const all = i18n.number(measured.length);
  const sentence = () => {
    if (measured.length === 0) return i18n.t("sites.clientReport.verdict.none");
    return i18n.count(`sites.clientReport.verdict.${need}`, named.length, { all });
  };
  return (
    <div class={`client-verdict ${measured.length === 0 ? "unknown" : verdictBands[need]}`}>
      <p>
        <strong>{sentence()}</strong> {need !== "fine" && <Names sites={named.map(({ site }) => site)} />}
      </p>
      {without > 0 && measured.length > 0 && <p>{i18n.count("sites.clientReport.verdict.without", without)}</p>}
    </div>
  );
}

const verdictBands = { urgent: "poor", improve: "warn", fine: "good" } as const;

/** The first names, and how many others there are. */
function Names({ sites }: { readonly sites: readonly Site[] }) {
  const i18n = useI18n();
  const others = sites.length - namesMax;
  return (
    <>
      {sites.slice(0, namesMax).map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <UntrustedText>{name}</UntrustedText>
        </span>
      ))}
      {others > 0 && ` ${i18n.count("sites.clientReport.others", others)}`}
    </>
  );
}

/** Scores, next steps and improvements. */
export function ClientSummary(report: ReportedClient) {
  return (
    <>
      <ScoreCharts {...report} />
      <Next {...report} />
      <Better {...report} />
    </>
  );
}

interface PartProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Part({ id, title, children }: PartProps) {
  return (
    <section class="client-part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function ScoreCharts({ sites, now }: ReportedClient) {
  const i18n = useI18n();
  const drawn = sites.flatMap(({ site, details }) => (details === null || details.days.length === 0 ? [] : [{ site, days: details.days }]));
  if (drawn.length === 0) return null;
  const shown = drawn.slice(0, chartsMax);
  return (
    <Part id="scores" title={i18n.t("sites.clientReport.chart.title")}>
      <ul class="plain score-days">
        {shown.map(({ site, days }) => (
          <li key={site.id}>
            <span>
              <UntrustedText>{site.name}</UntrustedText>
            </span>
            <DayBars days={days} label={daysLabel(site, days)} />
            <SmallScore score={site.reading?.score ?? null} />
          </li>
        ))}
        <li class="small muted">
          <span />
          <span class="day-axis">
            <span>{i18n.date(periodStart(now).toISOString())}</span>
            <span>{i18n.date(now.toISOString())}</span>
          </span>
          <span />
        </li>
      </ul>
      <p class="small muted">
        {i18n.t("sites.clientReport.chart.mean")}{" "}
        {shown.some(({ days }) => days.some(({ otherRules }) => otherRules)) && `${i18n.t("sites.clientReport.chart.rules")} `}
        {drawn.length > shown.length && i18n.count("sites.clientReport.chart.more", drawn.length - shown.length)}
      </p>
    </Part>
  );

  function daysLabel({ name, reading }: Site, days: readonly ScoreDay[]): string {
    const scores = days.map(({ day, score }) => {
      const date = i18n.date(new Date(periodStart(now).getTime() + day * dayMs).toISOString());
      return i18n.t("sites.clientReport.chart.day", { date, score: i18n.number(score) });
    });
    const last = reading === null ? [] : [i18n.t("sites.clientReport.chart.now", { score: i18n.number(reading.score) })];
    return [plainUntrustedText(name), ...scores, ...last].join("; ");
  }
}

/** In units of the drawing, which is stretched to the width of its column. */
const bar = { width: 8, gap: 2, height: 28, none: 1 };

/** A bar for each day that was measured. Nothing is drawn between them, since nothing is known. */
function DayBars({ days, label }: { readonly days: readonly ScoreDay[]; readonly label: string }) {
  const step = bar.width + bar.gap;
  const byDay = new Map(days.map((each) => [each.day, each]));
  return (
    <svg viewBox={`0 0 ${(changesDays + 1) * step} ${bar.height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {Array.from({ length: changesDays + 1 }, (_none, day) => {
        const known = byDay.get(day);
        const x = day * step + bar.gap / 2;
        if (known === undefined)
          return <rect key={day} class="day-none" x={x} y={bar.height - bar.none} width={bar.width} height={bar.none} />;
        const height = Math.max((known.score / 100) * bar.height, 2 * bar.none);
        return (
          <g key={day}>
            {known.otherRules && <line class="day-rules" x1={x - bar.gap / 2} x2={x - bar.gap / 2} y1="0" y2={bar.height} />}
            <rect class={`day ${standing(known.score).band}`} x={x} y={bar.height - height} width={bar.width} height={height} />
          </g>
        );
      })}
    </svg>
  );
}

interface OnSite {
  readonly site: Site;
}

function Better({ sites }: Sites) {
  const document = useDocument();
  const words = useWords();
  const { i18n } = document;
  if (sites.every(({ site }) => site.reading === null)) return null;
  const rows = sites.flatMap(({ site, details }) => (details?.changes.better ?? []).map((row) => ({ site, row })));
  const resolved = rows.flatMap(({ site, row }) => ("finding" in row ? [{ site, row }] : []));
  const recovered = rows.filter(({ row }) => row.kind === "recovered");
  const groups: readonly (readonly (OnSite & { readonly row: SiteChangeRow })[])[] = [
    ...(recovered.length > 0 ? [recovered] : []),
    ...groupedByWords(resolved, ({ row }) => row.finding, words, document),
  ];
  const open = sites.some((each) => each.open.length > 0);
  return (
    <Part id="better" title={i18n.t("sites.clientReport.better.title")}>
      {groups.length === 0 ? (
        <p>{i18n.t(open ? "sites.clientReport.better.none" : "sites.clientReport.better.nothingOpen")}</p>
      ) : (
        <>
          <DataTable
            caption={i18n.t("sites.clientReport.better.title")}
            captionUnseen
            rows={groups.slice(0, betterMax)}
            columns={[
              { label: i18n.t("sites.clientReport.better.what"), cell: BetterWords },
              { label: i18n.t("sites.clientReport.site"), cell: (group) => <Names sites={distinct(group)} /> },
            ]}
          />
          {groups.length > betterMax && <p class="muted">{i18n.count("sites.clientReport.better.more", groups.length - betterMax)}</p>}
        </>
      )}
    </Part>
  );
}

/** Without the severity, as it is no longer there. */
function BetterWords([first]: readonly (OnSite & { readonly row: SiteChangeRow })[]) {
  const document = useDocument();
  const words = useWords();
  const { i18n } = document;
  const finding = first !== undefined && "finding" in first.row ? first.row.finding : null;
  return (
    <span class="severity">
      <span class="chip good">{i18n.t(`sites.clientReport.changes.${finding === null ? "recovered" : "resolved"}`)}</span>{" "}
      <span>
        {finding === null ? (
          i18n.t("sites.clientReport.better.recovered")
        ) : (
          <UntrustedText charsMax={sentenceCharsMax}>{wordsOf(finding, words, document)}</UntrustedText>
        )}
      </span>
    </span>
  );
}

function distinct(rows: readonly OnSite[]): readonly Site[] {
  return [...new Map(rows.map(({ site }) => [site.id, site])).values()];
}

function Next({ sites, now }: ReportedClient) {
  const document = useDocument();
  const words = useWords();
  const { i18n } = document;
  const open = sites.flatMap(({ site, open: findings }) => findings.map((finding) => ({ site, finding })));
  const serious = open.filter(({ finding }) => isSerious(finding));
  const groups = groupedByWords(serious.length > 0 ? serious : open, ({ finding }) => finding, words, document);
  const lost = sites.flatMap(({ site, unreachable }) => (unreachable ? [site] : []));
  const left = open.length - groups.slice(0, nextMax).flat().length;
  return (
    <Part id="next" title={i18n.t("sites.clientReport.next.title")}>
      {lost.length > 0 && (
        <p>
          <strong>{i18n.count("sites.clientReport.next.unreachable", lost.length)}</strong> <Names sites={lost} />
        </p>
      )}
      {groups.length === 0 ? (
        sites.some(({ site }) => site.reading !== null) && <p>{i18n.t("sites.clientReport.next.none")}</p>
      ) : (
        <DataTable
          caption={i18n.t("sites.clientReport.next.title")}
          captionUnseen
          rows={groups.slice(0, nextMax)}
          columns={[
            {
              label: i18n.t("sites.clientReport.next.what"),
              cell: ([{ finding }]: readonly [OnOpen, ...OnOpen[]]) => <FindingWords {...finding} />,
            },
            { label: i18n.t("sites.clientReport.site"), cell: (group) => <Names sites={distinct(group)} /> },
          ]}
        />
      )}
      <p class="muted">
        {left > 0 && `${i18n.count("sites.clientReport.next.more", left)} `}
        <NextScan sites={sites} now={now} />
      </p>
    </Part>
  );
}

interface OnOpen extends OnSite {
  readonly finding: OpenFinding;
}

function NextScan({ sites, now }: ReportedScan) {
  const i18n = useI18n();
  const [first] = sites
    .flatMap(({ site }) => (site.nextRunAt === null ? [] : [site.nextRunAt]))
    .filter((at) => at > now.toISOString())
    .sort();
  if (first !== undefined) return i18n.t("sites.clientReport.next.scan", { day: i18n.date(first) });
  return sites.every(({ site }) => site.paused) ? i18n.t("sites.clientReport.next.noScan") : null;
}

type ReportedScan = Pick<ReportedClient, "now"> & { readonly sites: readonly Pick<ReportedSite, "site">[] };
