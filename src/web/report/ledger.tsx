/** Ledger table: every check with state, reason, points and findings, grouped by area. */
import type { ResultBasis, StoredResult } from "../../judge/result.ts";
import { chargesOf } from "../../text/charges.ts";
import { countShownStates, type ShownState, shownStateOf } from "../../text/row-state.ts";
import { StateLabel } from "../components/state-label.tsx";
import { type Column, Row, RowGroup, Table } from "../components/table.tsx";
import { Sentence, UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n, useVisit } from "../context.ts";
import type { I18n } from "../i18n.ts";
import { whyNotChecked } from "./evidence/reading-texts.ts";
import { pointsOf } from "./points.ts";
import { areaName, checkOf, type Report, type ReportArea, reportAreas, type ShownRow } from "./report.ts";
import { AreaFilter, type LedgerFilter, matchesFilter, StateFilter } from "./state-filter.tsx";

interface LedgerProps {
  readonly report: Report;
  /** Rows outside the filter are rendered hidden, so that the script can show them. */
  readonly filter: LedgerFilter;
}

export function Ledger({ report, filter }: LedgerProps) {
  const i18n = useI18n();
  const points = pointsColumn(report.result);
  const columns: readonly Column[] = [
    { label: i18n.t("report.ledger.state") },
    { label: i18n.t("report.ledger.check"), header: true },
    { label: i18n.t("report.ledger.reason") },
    ...(points === null ? [] : [{ label: i18n.t(points.label), numeric: true }]),
    { label: i18n.t("report.ledger.finding") },
  ];
  const byArea = Map.groupBy(report.rows, ({ area }) => area);
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger">{i18n.t("report.ledger.heading")}</h2>
      <p class="muted">{i18n.t("report.ledger.lead")}</p>
      <StateFilter report={report} filter={filter} place="ledger" />
      <AreaFilter report={report} filter={filter} />
      <p data-ledger-empty hidden={report.rows.some((row) => matchesFilter(row, filter))}>
        {i18n.t("report.filter.nothing")}
      </p>
      <div data-ledger>
        <Table caption={i18n.t("report.ledger.heading")} captionUnseen columns={columns}>
          {reportAreas.map((area) => (
            <AreaRows key={area} area={area} rows={byArea.get(area) ?? []} filter={filter} points={points} basis={report.result.basis} />
          ))}
        </Table>
      </div>
    </section>
  );
}

interface AreaRowsProps {
  readonly area: ReportArea;
  readonly rows: readonly ShownRow[];
  readonly filter: LedgerFilter;
  readonly points: PointsColumn | null;
  readonly basis: ResultBasis | undefined;
}

function AreaRows({ area, rows, filter, points, basis }: AreaRowsProps) {
  const visit = useVisit();
  const { i18n } = visit;
  if (rows.length === 0) return null;
  const isHidden = (shown: ShownRow) => !matchesFilter(shown, filter);
  return (
    <RowGroup area={area} hidden={rows.every(isHidden)} label={<AreaHead area={area} rows={rows} />}>
      {rows.map((shown) => (
        <Row
          key={shown.row.key}
          id={shown.row.key}
          state={shownStateOf(shown.row)}
          hidden={isHidden(shown)}
          cells={[
            <StateLabel key="state" state={shownStateOf(shown.row)} />,
            <CheckName key="check" shown={shown} known={checkOf(visit, shown.row.key) !== undefined} />,
            <span key="reason" class="small">
              {reasonOf(shown, basis, i18n)}
            </span>,
            ...(points === null ? [] : [points.cell(shown, i18n)]),
            shown.findings.length === 0 ? null : <FindingLinks key="findings" shown={shown} />,
          ]}
        />
      ))}
    </RowGroup>
  );
}

function AreaHead({ area, rows }: Pick<AreaRowsProps, "area" | "rows">) {
  const i18n = useI18n();
  const counts = Object.entries(countShownStates(rows.map(({ row }) => row))) as [ShownState, number][];
  return (
    <>
      {areaName(i18n, area)}
      {": "}
      <span class="muted">
        {counts
          .filter(([, count]) => count > 0)
          .map(([state, count]) => `${i18n.number(count)} ${i18n.state(state)}`)
          .join(", ")}
      </span>
    </>
  );
}

function CheckName({ shown: { row, label }, known }: { readonly shown: ShownRow; readonly known: boolean }) {
  return known ? <a href={`/checks/${row.key}`}>{label}</a> : <UntrustedText>{row.key}</UntrustedText>;
}

/** Reason for the check's existence, or for its state if it gave no verdict. */
function reasonOf({ row, reason, whenNotApplicable }: ShownRow, basis: ResultBasis | undefined, i18n: I18n): string {
  switch (row.state) {
    case "notChecked":
      return whyNotChecked(i18n, row.notCheckedBecause, basis);
    case "notApplicable":
      return whenNotApplicable ?? reason;
    default:
      return reason;
  }
}

interface PointsColumn {
  readonly label: "report.ledger.charged" | "report.ledger.points";
  readonly cell: (shown: ShownRow, i18n: I18n) => string;
}

/** Null for results of older versions, which store no weights. */
function pointsColumn(result: StoredResult): PointsColumn | null {
  if (chargesOf(result) !== null) return { label: "report.ledger.charged", cell: chargedCell };
  return pointsOf(result) === null ? null : { label: "report.ledger.points", cell: earnedCell };
}

/** Points that the row takes; a note and a check that did not run take none. */
function chargedCell({ row }: ShownRow, i18n: I18n): string {
  switch (shownStateOf(row)) {
    case "passed":
      return i18n.number(0);
    case "violated":
      return i18n.number(row.charged ?? 0);
    default:
      return i18n.t("report.ledger.notCounted");
  }
}

/** Earned and possible points by the rules of algorithm version 2; a check that did not run has none. */
function earnedCell({ row: { state, weight = 0 } }: ShownRow, i18n: I18n): string {
  switch (state) {
    case "passed":
      return i18n.t("report.ledger.earned", { earned: weight, weight });
    case "violated":
      return i18n.t("report.ledger.earned", { earned: 0, weight });
    default:
      return i18n.t("report.ledger.notCounted");
  }
}

function FindingLinks({ shown: { findings } }: { readonly shown: ShownRow }) {
  const [first, ...others] = findings;
  if (first === undefined) return null;
  if (others.length === 0) return <FindingLink shown={first} />;
  return (
    <ul class="plain">
      {findings.map((shown) => (
        <li key={shown.anchor}>
          <FindingLink shown={shown} />
        </li>
      ))}
    </ul>
  );
}

function FindingLink({ shown: { anchor, texts } }: { readonly shown: ShownRow["findings"][number] }) {
  return (
    <a href={`#${anchor}`}>
      <Sentence text={texts.title} />
    </a>
  );
}
