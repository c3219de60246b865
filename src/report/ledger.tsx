/** Ledger: every check with its state and what was seen, folded by area. */
import type { ComponentChildren } from "preact";
import { type LedgerRow, type ResultBasis, type StoredResult, standing } from "../judge/result.ts";
import { chargesOf, countShownStates, type ShownState, shownStateOf } from "../text/ledger-rows.ts";
import { toneOf } from "../text/score-tone.ts";
import type { I18n } from "../text/translator.ts";
import { StateLabel } from "./components/labels.tsx";
import { ReportSection } from "./components/layout.tsx";
import { CheckLink, Sentence } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";
import { whyNotChecked } from "./evidence/blocks.tsx";
import { areaName, type Report, type ReportArea, reportAreas, type ShownRow } from "./report.ts";

/** Element id of the section. */
const ledgerId = "ledger";

interface LedgerProps {
  readonly report: Report;
  /** Rows outside the filter are rendered hidden, so that the script can show them. */
  readonly isShown?: (row: ShownRow) => boolean;
  /** Opens the areas that have rows. */
  readonly open?: boolean;
  /** Filter above the areas. */
  readonly children?: ComponentChildren;
}

export function LedgerSection({ report, isShown = () => true, open = false, children }: LedgerProps) {
  const { i18n, idOf } = useDocument();
  const byArea = Map.groupBy(report.rows, ({ area }) => area);
  return (
    <ReportSection class="ledger" headingId={ledgerId}>
      <h2 id={idOf(ledgerId)}>{i18n.t("report.ledger.heading")}</h2>
      <p class="muted">{i18n.t("report.ledger.lead")}</p>
      {children}
      <div data-ledger>
        {reportAreas.map((area) => (
          <AreaRows key={area} area={area} rows={byArea.get(area) ?? []} isShown={isShown} open={open} result={report.result} />
        ))}
      </div>
    </ReportSection>
  );
}

/** Link to the rows without a verdict; a page then shows only these rows. */
export function NotCheckedLink({ children }: { readonly children: ComponentChildren }) {
  const { live, idOf } = useDocument();
  return <a href={`${live ? "?state=notChecked" : ""}#${idOf(ledgerId)}`}>{children}</a>;
}

/** Element id of the rows of an area. */
function areaId(area: ReportArea): string {
  return `area-${area}`;
}

/** A bar for each area: share of its checks that passed, of those with a verdict, in the colour that such a score has. Each links to the rows. */
export function AreaBars({ report }: { readonly report: Report }) {
  const { i18n, alone, idOf } = useDocument();
  const byArea = Map.groupBy(report.rows, ({ area }) => area);
  const bars = reportAreas.flatMap((area) => {
    const { passed, violated } = countShownStates((byArea.get(area) ?? []).map(({ row }) => row));
    const ran = passed + violated;
    return ran === 0 ? [] : [{ area, passed, ran, percent: Math.round((100 * passed) / ran) }];
  });
  const list = (
    <ul class="area-bars">
      {bars.map(({ area, passed, ran, percent }) => (
        <li key={area}>
          <a href={`#${idOf(areaId(area))}`}>
            {areaName(i18n, area)} <span>{i18n.t("report.ledger.passedOf", { passed, ran })}</span>
            <svg class={toneOf(standing(percent).rank)} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={percent} height="1" />
            </svg>
          </a>
        </li>
      ))}
    </ul>
  );
  return alone ? <nav aria-label={i18n.t("report.ledger.areas")}>{list}</nav> : list;
}

interface AreaRowsProps {
  readonly area: ReportArea;
  readonly rows: readonly ShownRow[];
  readonly isShown: (row: ShownRow) => boolean;
  readonly open: boolean;
  readonly result: StoredResult;
}

/** Rows of an area below their counts. */
function AreaRows({ area, rows, isShown, open, result }: AreaRowsProps) {
  const { i18n, idOf } = useDocument();
  if (rows.length === 0) return null;
  return (
    <details id={idOf(areaId(area))} data-area={area} hidden={!rows.some(isShown)} open={open && rows.some(isShown)}>
      <summary>
        <h3>{areaName(i18n, area)}</h3>: {countsText(rows, i18n)}
      </summary>
      <ul>
        {foldedRows(rows, result.basis, i18n).map(({ because, rows: [first, ...others] }) =>
          others.length === 0 ? (
            <CheckRow key={first.row.key} shown={first} because={because} hidden={!isShown(first)} result={result} />
          ) : (
            <ReasonRow key={first.row.key} rows={[first, ...others]} because={because} hidden={!isShown(first)} />
          ),
        )}
      </ul>
    </details>
  );
}

/** Rows of one state that have one reason, or a single row. */
interface FoldedRows {
  /** Why there is no verdict; null for a verdict. */
  readonly because: string | null;
  readonly rows: readonly [ShownRow, ...ShownRow[]];
}

/** Folds rows without a verdict by state and reason, at the place of the first; rows with a verdict stay alone. */
function foldedRows(rows: readonly ShownRow[], basis: ResultBasis | undefined, i18n: I18n): readonly FoldedRows[] {
  const folded = new Map<string, FoldedRows>();
  for (const shown of rows) {
    const { key, state, stillChanging } = shown.row;
    const because = becauseOf(shown, basis, i18n);
    const group = because === null || stillChanging ? key : `${state} ${because}`;
    const before = folded.get(group);
    folded.set(group, { because, rows: before === undefined ? [shown] : [...before.rows, shown] });
  }
  return [...folded.values()];
}

/** Checks that one reason left without a verdict: their names, and the reason once. */
function ReasonRow({ rows, because, hidden }: FoldedRows & { readonly hidden: boolean }) {
  const { idOf } = useDocument();
  return (
    <li data-state={shownStateOf(rows[0].row)} hidden={hidden}>
      <StateLabel state={shownStateOf(rows[0].row)} />
      <ul>
        {rows.map(({ row, label }) => (
          <li key={row.key} id={idOf(row.key)}>
            <CheckLink checkKey={row.key}>{label}</CheckLink>
          </li>
        ))}
      </ul>
      <p>{because}</p>
    </li>
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

interface CheckRowProps extends Pick<FoldedRows, "because"> {
  readonly shown: ShownRow;
  readonly hidden: boolean;
  readonly result: StoredResult;
}

function CheckRow({ shown: { row, label, findings }, because, hidden, result }: CheckRowProps) {
  const { i18n, idOf } = useDocument();
  const state = shownStateOf(row);
  const points = pointsText(row, result, i18n);
  return (
    <li id={idOf(row.key)} data-state={state} hidden={hidden}>
      <StateLabel state={state} />
      <CheckLink checkKey={row.key}>{label}</CheckLink>
      {points !== null && <span class="cost">{points}</span>}
      {findings.map(({ anchor, texts }) => (
        <p key={anchor}>
          <Sentence text={texts.detail} /> <a href={`#${idOf(anchor)}`}>{i18n.t("report.ledger.finding")}</a>
        </p>
      ))}
      {because !== null && <p>{because}</p>}
      {row.stillChanging && <p class="muted">{i18n.t("report.ledger.stillChanging")}</p>}
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
