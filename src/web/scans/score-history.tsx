/** Scores of a host over time: a chart with one line per address, the choice of an address, and the change since a scan. */
import { scoreText } from "../../report/components/score-ring.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { type Rules, sameRules } from "../../text/comparison.ts";
import type { I18n } from "../../text/translator.ts";
import { ScoreChart, type ScoreSeries } from "../components/score-chart.tsx";
import { endOf, hostPath } from "./list-query.ts";

/** Lines of a chart. More lines would look alike. */
const linesMax = 5;
const signs = ["A", "B", "C", "D", "E"] as const;

/** Scans that one line joins: all of one address. All scans of a chart are from one location. */
interface ScanGroup {
  /** ASCII form. */
  readonly url: string;
  /** Newest first. */
  readonly scans: readonly ScanRecord[];
}

/** Groups in the order of their newest scans. */
function groupScans(scans: readonly ScanRecord[]): readonly ScanGroup[] {
  return [...Map.groupBy(scans, ({ url }) => url)].map(([url, group]) => ({ url, scans: group }));
}

/** True if the scores are not comparable: other checks or other rules. */
export function isJudgedOtherwise({ summary }: ScanRecord, before: ScanRecord | undefined): boolean {
  return summary !== null && before !== undefined && before.summary !== null && !sameRules(summary, before.summary);
}

/** Host and location of all scans. */
interface ScanSource {
  readonly host: string;
  readonly location: string;
}

interface ScoreHistoryProps {
  readonly source: ScanSource;
  /** Newest first. */
  readonly scans: readonly ScanRecord[];
  /** Address that the page is limited to; null for all. */
  readonly chosen: string | null;
  /** True if newer scans are left out. */
  readonly isPast?: boolean;
  /** Token of the scan that the page is about. */
  readonly current?: string;
}

/** Null without two scans to join. */
export function ScoreHistory({ source, scans, chosen, isPast = false, current }: ScoreHistoryProps) {
  const i18n = useI18n();
  const groups = groupScans(scans);
  const drawn = groups.slice(0, linesMax);
  const [newest, oldest] = [scans[0], scans.at(-1)];
  if (newest === undefined || oldest === undefined || scans.length < 2) return null;
  const series = drawn.map((group, at) => seriesOf(i18n, group, drawn.length === 1 ? null : (signs[at] ?? ""), current));
  const changed = rulesChangesOf(drawn.flatMap((group) => group.scans));
  const latest = latestText(i18n, newest);
  const about = isPast
    ? i18n.count("host.chart.older", scans.length, { from: i18n.date(endOf(oldest)), to: i18n.date(endOf(newest)), latest })
    : i18n.count("host.chart.label", scans.length, { since: sinceText(i18n, endOf(oldest), endOf(newest)), latest });
  return (
    <figure class="history">
      <ScoreChart series={series} changes={changed} label={about} />
      {(groups.length > 1 || chosen !== null) && <Legend source={source} groups={groups} chosen={chosen} />}
      <figcaption class="small muted">
        {about} {i18n.t("host.chart.zone")} {changed.length > 0 && i18n.t("host.changedNote")}
      </figcaption>
    </figure>
  );
}

/** Day of an earlier scan; its time as well if the newest is of the same day, in UTC. Both ISO 8601. */
function sinceText(i18n: I18n, at: string, newest: string): string {
  return i18n.date(at) === i18n.date(newest) ? i18n.dateTime(at) : i18n.date(at);
}

function latestText(i18n: I18n, { summary }: ScanRecord): string {
  return summary === null || summary.score === null ? i18n.t("host.notMeasured") : i18n.number(summary.score);
}

function seriesOf(i18n: I18n, { url, scans }: ScanGroup, sign: string | null, current: string | undefined): ScoreSeries {
  const points = scans.map((scan) => {
    const at = endOf(scan);
    const { score = null, rank = "unknown" } = scan.summary ?? {};
    return {
      atMs: Date.parse(at),
      score,
      href: `/scans/${scan.token}`,
      label: `${sign === null ? "" : `${sign}, `}${i18n.dateTime(at)}: ${scoreText(i18n, { score, rank })}`,
      current: scan.token === current,
    };
  });
  return { key: url, sign, points: points.reverse() };
}

/** Middle between two consecutive scans that were judged by other rules; in milliseconds since 1970. */
export function rulesChangesOf(scans: readonly ScanRecord[]): readonly number[] {
  const inOrder = scans.filter(({ summary }) => summary !== null).toSorted((one, other) => one.id - other.id);
  return inOrder.flatMap((scan, at) => {
    const before = inOrder[at - 1];
    return before !== undefined && isJudgedOtherwise(scan, before) ? [(Date.parse(endOf(before)) + Date.parse(endOf(scan))) / 2] : [];
  });
}

interface LegendProps {
  readonly source: ScanSource;
  readonly groups: readonly ScanGroup[];
  readonly chosen: string | null;
}

/** Key of the lines; each entry limits the page to its address. */
function Legend({ source, groups, chosen }: LegendProps) {
  const i18n = useI18n();
  const others = groups.slice(linesMax);
  return (
    <nav class="legend" aria-label={i18n.t("host.chart.addresses")}>
      <ul>
        {chosen !== null && (
          <li>
            <a href={hostPath(source.host, source)}>{i18n.t("host.chart.allAddresses")}</a>
          </li>
        )}
        {groups.slice(0, linesMax).map(({ url }, at) => (
          <li key={url}>
            {groups.length > 1 && <LineSample at={at} />}
            <AddressLink source={source} url={url} chosen={chosen} />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details class="whole">
          <summary>{i18n.count("host.chart.more", others.length)}</summary>
          <ul>
            {others.map(({ url }) => (
              <li key={url}>
                <AddressLink source={source} url={url} chosen={chosen} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}

function LineSample({ at }: { readonly at: number }) {
  return (
    <>
      <svg class="legend-line" viewBox="0 0 32 8" aria-hidden="true">
        <line class="chart-line" data-line={at} x1="0" x2="32" y1="4" y2="4" />
      </svg>
      <strong>{signs[at]}</strong>
    </>
  );
}

interface AddressLinkProps extends Pick<LegendProps, "source" | "chosen"> {
  readonly url: string;
}

function AddressLink({ source: { host, location }, url, chosen }: AddressLinkProps) {
  return (
    <a href={hostPath(host, { location, address: url })} aria-current={url === chosen ? "true" : undefined}>
      <HostUrl url={url} short />
    </a>
  );
}

/** `previous`: of the same URL. `at`: end of the newer scan, ISO 8601. Null if either scan has no score. */
export function scoreChange(
  i18n: I18n,
  { score, ...rules }: Rules & { readonly score: number | null },
  at: string,
  previous: Pick<ScanRecord, "summary" | "endedAt" | "createdAt">,
): string | null {
  const before = previous.summary;
  if (before === null || before.score === null || score === null) return null;
  const since = sinceText(i18n, endOf(previous), at);
  if (!sameRules(before, rules)) return i18n.t("report.score.otherRules", { score: before.score, since });
  const delta = score - before.score;
  if (delta === 0) return i18n.t("report.score.same", { since });
  return i18n.count(delta > 0 ? "report.score.up" : "report.score.down", Math.abs(delta), { since });
}
