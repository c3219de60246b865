/** Ledger: every check with its state and what was seen, folded by area. */
import type { LedgerRow, ResultBasis, StoredResult } from "../../judge/result.ts";
import { chargesOf } from "../../text/charges.ts";
import { countShownStates, type ShownState, shownStateOf } from "../../text/row-state.ts";
import { StateLabel } from "../components/state-label.tsx";
import { Sentence, UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { I18n } from "../i18n.ts";
import { whyNotChecked } from "./evidence/reading-texts.ts";
import { areaName, checkOf, type Report, type ReportArea, reportAreas, type ShownRow } from "./report.ts";
import { type LedgerFilter, matchesFilter, StateFilter } from "./state-filter.tsx";

interface LedgerProps {
  readonly report: Report;
  /** Rows outside the filter are rendered hidden, so that the script can show them. */
  readonly filter: LedgerFilter;
}

export function Ledger({ report, filter }: LedgerProps) {
  const i18n = useI18n();
  const byArea = Map.groupBy(report.rows, ({ area }) => area);
  return (
    <section class="ledger" aria-labelledby="ledger">
      <h2 id="ledger">{i18n.t("report.ledger.heading")}</h2>
      <p class="muted">{i18n.t("report.ledger.lead")}</p>
      <StateFilter report={report} filter={filter} />
      <p data-ledger-empty hidden={report.rows.some((row) => matchesFilter(row, filter))}>
        {i18n.t("report.filter.nothing")}
      </p>
      <div data-ledger>
        {reportAreas.map((area) => (
          <AreaRows key={area} area={area} rows={byArea.get(area) ?? []} filter={filter} result={report.result} />
        ))}
      </div>
    </section>
  );
}

interface AreaRowsProps {
  readonly area: ReportArea;
  readonly rows: readonly ShownRow[];
  readonly filter: LedgerFilter;
  readonly result: StoredResult;
}

/** Rows of an area below their counts; open if a filter is chosen. */
function AreaRows({ area, rows, filter, result }: AreaRowsProps) {
  const i18n = useI18n();
  if (rows.length === 0) return null;
  const isShown = (shown: ShownRow) => matchesFilter(shown, filter);
  const isFiltered = filter.state !== null || filter.area !== null;
  return (
    <details data-area={area} hidden={!rows.some(isShown)} open={isFiltered && rows.some(isShown)}>
      <summary>
        <h3>{areaName(i18n, area)}</h3>: {countsText(rows, i18n)}
      </summary>
      <ul>
        {rows.map((shown) => (
          <CheckRow key={shown.row.key} shown={shown} hidden={!isShown(shown)} result={result} />
        ))}
      </ul>
    </details>
  );
}

/** `2 passed, 6 failed` */
function countsText(rows: readonly ShownRow[], i18n: I18n): string {
  const counts = Object.entries(countShownStates(rows.map(({ row }) => row))) as [ShownState, number][];
  return counts
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${i18n.number(count)} ${i18n.state(state)}`)
    .join(", ");
}

interface CheckRowProps {
  readonly shown: ShownRow;
  readonly hidden: boolean;
  readonly result: StoredResult;
}

function CheckRow({ shown, hidden, result }: CheckRowProps) {
  const visit = useVisit();
  const { row, label, findings } = shown;
  const state = shownStateOf(row);
  const because = becauseOf(shown, result.basis, visit.i18n);
  const points = pointsText(row, result, visit.i18n);
  return (
    <li id={row.key} data-state={state} hidden={hidden}>
      <StateLabel state={state} />
      {checkOf(visit, row.key) === undefined ? <UntrustedText>{row.key}</UntrustedText> : <a href={`/checks/${row.key}`}>{label}</a>}
      {points !== null && <span class="cost">{points}</span>}
      {findings.map(({ anchor, texts }) => (
        <p key={anchor}>
          <Sentence text={texts.detail} /> <a href={`#${anchor}`}>{visit.i18n.t("report.ledger.finding")}</a>
        </p>
      ))}
      {because !== null && <p>{because}</p>}
    </li>
  );
}

/** Why a row has no verdict; null for a verdict, whose findings say what was seen. */
function becauseOf({ row, whenNotApplicable }: ShownRow, basis: ResultBasis | undefined, i18n: I18n): string | null {
  if (row.state === "notChecked") return whyNotChecked(i18n, row.notCheckedBecause, basis);
  return row.state === "notApplicable" ? whenNotApplicable : null;
}

/** Points that a violated row takes. Results of older versions store what it could have earned, or nothing. */
function pointsText(row: LedgerRow, result: StoredResult, i18n: I18n): string | null {
  if (shownStateOf(row) !== "violated") return null;
  const points = chargesOf(result) === null ? row.weight : (row.charged ?? 0);
  return points === undefined ? null : i18n.count("report.points", points);
}
