/** Ledger of a report page with its filter. */

import { useI18n } from "../../report/context.ts";
import { LedgerSection } from "../../report/ledger.tsx";
import type { Report } from "../../report/report.ts";
import { type LedgerFilter, matchesFilter, StateFilter } from "./state-filter.tsx";

interface LedgerProps {
  readonly report: Report;
  readonly filter: LedgerFilter;
}

/** Areas are open if a filter is chosen. */
export function Ledger({ report, filter }: LedgerProps) {
  const i18n = useI18n();
  return (
    <LedgerSection report={report} isShown={(shown) => matchesFilter(shown, filter)} open={filter.state !== null || filter.area !== null}>
      <StateFilter report={report} filter={filter} />
      <p data-ledger-empty hidden={report.rows.some((row) => matchesFilter(row, filter))}>
        {i18n.t("report.filter.nothing")}
      </p>
    </LedgerSection>
  );
}
