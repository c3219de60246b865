/** Ledger of a report page with its filter by state. */

import { StateLabel } from "../../../report/components/labels.tsx";
import { LedgerSection } from "../../../report/ledger.tsx";
import { type Report, type ReportArea, reportAreas, type ShownRow } from "../../../report/report.ts";
import { type ShownState, shownStateOf, shownStates } from "../../../text/ledger-rows.ts";
import { useVisit } from "../../context.ts";
import type { SharedVisit } from "../../visit.ts";

/** Areas are open if a filter is chosen. */
export function Ledger({ report }: { readonly report: Report }) {
  const visit = useVisit();
  const filter = ledgerFilterOf(visit);
  return (
    <LedgerSection report={report} isShown={(shown) => matchesFilter(shown, filter)} open={filter.state !== null || filter.area !== null}>
      <StateFilter report={report} filter={filter} />
      <p data-ledger-empty hidden={report.rows.some((row) => matchesFilter(row, filter))}>
        {visit.i18n.t("report.filter.nothing")}
      </p>
    </LedgerSection>
  );
}

/** Filter of the ledger; null means all. */
interface LedgerFilter {
  readonly state: ShownState | null;
  readonly area: ReportArea | null;
}

export const ledgerParams: readonly string[] = ["state", "area"];

/** Reads `?state=` and `?area=`, which links from other pages may carry; ignores unknown values. */
function ledgerFilterOf({ url: { searchParams } }: SharedVisit): LedgerFilter {
  return {
    state: shownStates.find((state) => state === searchParams.get("state")) ?? null,
    area: reportAreas.find((area) => area === searchParams.get("area")) ?? null,
  };
}

function matchesFilter({ row, area }: ShownRow, filter: LedgerFilter): boolean {
  return (filter.state === null || shownStateOf(row) === filter.state) && (filter.area === null || area === filter.area);
}

/** States with their counts. Plain links, so that they work without script. */
function StateFilter({ report, filter }: { readonly report: Report; readonly filter: LedgerFilter }) {
  const { i18n, url } = useVisit();
  const { summary, counts } = report;
  // Most catalogs and old results have no notes.
  const shown = shownStates.filter((state) => state !== "note" || counts.note > 0 || filter.state === "note");
  return (
    <nav aria-label={i18n.t("report.filter.ledger")}>
      <ul class="filters">
        {shown.map((state) => (
          <li key={state}>
            <a href={ledgerPath(url, state)} data-filter-state={state} {...currentIf(filter.state === state)}>
              <span class="count">{i18n.number(counts[state])}</span>
              <StateLabel state={state} />
            </a>
          </li>
        ))}
        <li>
          <a href={ledgerPath(url, null)} data-filter-state="" {...currentIf(filter.state === null)}>
            <span class="count">{i18n.number(summary.total)}</span>
            <span class="word">{i18n.t("report.filter.all")}</span>
          </a>
        </li>
      </ul>
    </nav>
  );
}

function ledgerPath({ pathname }: Pick<URL, "pathname">, state: ShownState | null): string {
  return `${pathname}${state === null ? "" : `?state=${state}`}#ledger`;
}

function currentIf(chosen: boolean) {
  return chosen ? ({ "aria-current": "true" } as const) : {};
}
