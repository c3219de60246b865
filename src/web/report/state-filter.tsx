/** Ledger filters by state and area, with counts. Plain links, so that they work without script. */
import { type ShownState, shownStateOf, shownStates } from "../../text/row-state.ts";
import { StateLabel } from "../components/state-label.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { Visit } from "../visit.ts";
import { areaName, type Report, type ReportArea, reportAreas, type ShownRow } from "./report.ts";

/** Filter of the ledger; null means all. */
export interface LedgerFilter {
  readonly state: ShownState | null;
  readonly area: ReportArea | null;
}

/** Reads `?state=` and `?area=`; ignores unknown values. */
export function ledgerFilterOf({ url: { searchParams } }: Visit): LedgerFilter {
  return {
    state: shownStates.find((state) => state === searchParams.get("state")) ?? null,
    area: reportAreas.find((area) => area === searchParams.get("area")) ?? null,
  };
}

export function matchesFilter({ row, area }: ShownRow, filter: LedgerFilter): boolean {
  return (filter.state === null || shownStateOf(row) === filter.state) && (filter.area === null || area === filter.area);
}

interface FilterProps {
  readonly report: Report;
  readonly filter: LedgerFilter;
}

export function StateFilter({ report, filter, place }: FilterProps & { readonly place: "coverage" | "ledger" }) {
  const i18n = useI18n();
  const { scan, summary, counts } = report;
  // Most catalogs and old results have no notes.
  const shown = shownStates.filter((state) => state !== "note" || counts.note > 0 || filter.state === "note");
  return (
    <nav aria-label={i18n.t(`report.filter.${place}`)}>
      <ul class="filters">
        {shown.map((state) => (
          <li key={state}>
            <a href={ledgerPath(scan.token, { ...filter, state })} data-filter-state={state} {...currentIf(filter.state === state)}>
              <span class="count">{i18n.number(counts[state])}</span>
              <StateLabel state={state} />
            </a>
          </li>
        ))}
        <li>
          <a href={ledgerPath(scan.token, { ...filter, state: null })} data-filter-state="" {...currentIf(filter.state === null)}>
            <span class="count">{i18n.number(summary.total)}</span>
            <span class="word">{i18n.t("report.filter.all")}</span>
          </a>
        </li>
      </ul>
      {place === "coverage" && <p class="muted">{i18n.count("components.score.coverage", summary.total, { ran: summary.ran })}</p>}
    </nav>
  );
}

export function AreaFilter({ report, filter }: FilterProps) {
  const { i18n } = useVisit();
  const present = new Set(report.rows.map(({ area }) => area));
  const shown = [null, ...reportAreas.filter((area) => present.has(area))];
  return (
    <nav aria-label={i18n.t("report.filter.areas")}>
      <ul class="jumps">
        {shown.map((area) => (
          <li key={area}>
            <a href={ledgerPath(report.scan.token, { ...filter, area })} data-filter-area={area ?? ""} {...currentIf(filter.area === area)}>
              {area === null ? i18n.t("report.filter.allAreas") : areaName(i18n, area)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ledgerPath(token: string, { state, area }: LedgerFilter): string {
  const query = new URLSearchParams({ ...(state === null ? {} : { state }), ...(area === null ? {} : { area }) });
  return `/scans/${token}${query.size === 0 ? "" : `?${query}`}#ledger`;
}

function currentIf(chosen: boolean) {
  return chosen ? ({ "aria-current": "true" } as const) : {};
}
