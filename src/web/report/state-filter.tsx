/** Ledger filters by state and area, with counts. Plain links, so that they work without script. */
import { type State, states } from "../../check/check.ts";
import { StateLabel } from "../components/state-label.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { Visit } from "../visit.ts";
import { areaName, type Report, type ReportArea, reportAreas, type ShownRow } from "./report.ts";

/** Filter of the ledger; null means all. */
export interface LedgerWish {
  readonly state: State | null;
  readonly area: ReportArea | null;
}

/** Reads `?state=` and `?area=`; ignores unknown values. */
export function ledgerWish({ url: { searchParams } }: Visit): LedgerWish {
  return {
    state: states.find((state) => state === searchParams.get("state")) ?? null,
    area: reportAreas.find((area) => area === searchParams.get("area")) ?? null,
  };
}

export function isWanted({ row, area }: ShownRow, wish: LedgerWish): boolean {
  return (wish.state === null || row.state === wish.state) && (wish.area === null || area === wish.area);
}

interface FilterProps {
  readonly report: Report;
  readonly wish: LedgerWish;
}

export function StateFilter({ report, wish, place }: FilterProps & { readonly place: "coverage" | "ledger" }) {
  const i18n = useI18n();
  const { scan, summary } = report;
  return (
    <nav aria-label={i18n.t(`report.filter.${place}`)}>
      <ul class="filters">
        {states.map((state) => (
          <li key={state}>
            <a href={ledgerPath(scan.token, { ...wish, state })} data-filter-state={state} {...currentIf(wish.state === state)}>
              <span class="count">{i18n.number(summary[state])}</span>
              <StateLabel state={state} />
            </a>
          </li>
        ))}
        <li>
          <a href={ledgerPath(scan.token, { ...wish, state: null })} data-filter-state="" {...currentIf(wish.state === null)}>
            <span class="count">{i18n.number(summary.total)}</span>
            <span class="word">{i18n.t("report.filter.all")}</span>
          </a>
        </li>
      </ul>
      {place === "coverage" && <p class="muted">{i18n.count("components.score.coverage", summary.total, { ran: summary.ran })}</p>}
    </nav>
  );
}

export function AreaFilter({ report, wish }: FilterProps) {
  const { i18n } = useVisit();
  const there = new Set(report.rows.map(({ area }) => area));
  const shown = [null, ...reportAreas.filter((area) => there.has(area))];
  return (
    <nav aria-label={i18n.t("report.filter.areas")}>
      <ul class="jumps">
        {shown.map((area) => (
          <li key={area}>
            <a href={ledgerPath(report.scan.token, { ...wish, area })} data-filter-area={area ?? ""} {...currentIf(wish.area === area)}>
              {area === null ? i18n.t("report.filter.allAreas") : areaName(i18n, area)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ledgerPath(token: string, { state, area }: LedgerWish): string {
  const query = new URLSearchParams({ ...(state === null ? {} : { state }), ...(area === null ? {} : { area }) });
  return `/scans/${token}${query.size === 0 ? "" : `?${query}`}#ledger`;
}

function currentIf(chosen: boolean) {
  return chosen ? ({ "aria-current": "true" } as const) : {};
}
