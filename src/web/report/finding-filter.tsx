/** Filter, search and grouping of the findings. A GET form, so that it works without script. */
import { type Effort, efforts, type Severity, severities } from "../../check/check.ts";
import { areaName, type Report, type ReportArea, reportAreas, type ShownFinding } from "../../report/report.ts";
import { unmarked } from "../../text/display.ts";
import type { I18n } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import type { SharedVisit } from "../visit.ts";

const searchCharsMax = 100;

/** Null and empty mean all. */
export interface FindingFilter {
  readonly severity: Severity | null;
  readonly area: ReportArea | null;
  readonly effort: Effort | null;
  readonly search: string;
  /** Groups the rows by area; otherwise one list. */
  readonly byArea: boolean;
  /** Opens every row, for readers without script. */
  readonly allOpen: boolean;
}

/** Query parameters. `area` belongs to the ledger. */
const params = { severity: "severity", area: "in", effort: "effort", search: "q", group: "group", open: "open" } as const;
/** Those with a fixed choice of values. */
export const findingChoiceParams: readonly string[] = Object.values(params).filter((name) => name !== params.search);

/** Reads the query; ignores unknown values. */
export function findingFilterOf({ url: { searchParams } }: SharedVisit): FindingFilter {
  return {
    severity: severities.find((severity) => severity === searchParams.get(params.severity)) ?? null,
    area: reportAreas.find((area) => area === searchParams.get(params.area)) ?? null,
    effort: efforts.find((effort) => effort === searchParams.get(params.effort)) ?? null,
    search: (searchParams.get(params.search) ?? "").trim().slice(0, searchCharsMax),
    byArea: searchParams.get(params.group) === "area",
    allOpen: searchParams.get(params.open) === "all",
  };
}

export function matchesFindingFilter({ finding, area, texts, lines }: ShownFinding, filter: FindingFilter): boolean {
  const { title, detail, riskStatement, remediation } = texts;
  const text = unmarked([title, detail, riskStatement, remediation, lines ?? "", finding.code].join("\n")).toLowerCase();
  return (
    (filter.severity === null || finding.severity === filter.severity) &&
    (filter.area === null || area === filter.area) &&
    (filter.effort === null || finding.effort === filter.effort) &&
    text.includes(filter.search.toLowerCase())
  );
}

interface FilterFormProps {
  readonly report: Report;
  readonly filter: FindingFilter;
  /** Rows that match. */
  readonly shown: number;
}

export function FindingFilterForm({ report, filter, shown }: FilterFormProps) {
  const { i18n, url } = useVisit();
  const { findings } = report;
  const path = url.pathname;
  const all = i18n.t("report.findings.filter.all");
  return (
    <form class="finding-filter" action={`${path}#findings`} data-finding-filter>
      <label>
        {i18n.t("report.findings.filter.search")}
        <input type="search" name={params.search} value={filter.search} maxLength={searchCharsMax} />
      </label>
      <Choice
        name={params.severity}
        label={i18n.t("report.findings.filter.severity")}
        chosen={filter.severity}
        options={optionsOf(
          severities,
          findings,
          ({ finding }) => finding.severity,
          (severity) => i18n.severity(severity),
        )}
        all={all}
      />
      <Choice
        name={params.area}
        label={i18n.t("report.findings.filter.area")}
        chosen={filter.area}
        options={optionsOf(
          reportAreas,
          findings,
          ({ area }) => area,
          (area) => areaName(i18n, area),
        )}
        all={all}
      />
      <Choice
        name={params.effort}
        label={i18n.t("report.findings.filter.effort")}
        chosen={filter.effort}
        options={optionsOf(
          efforts,
          findings,
          ({ finding }) => finding.effort,
          (effort) => i18n.effort(effort),
        )}
        all={all}
      />
      {filter.byArea && <input type="hidden" name={params.group} value="area" />}
      {filter.allOpen && <input type="hidden" name={params.open} value="all" />}
      <button type="submit" class="plain" data-finding-apply>
        {i18n.t("report.findings.filter.apply")}
      </button>
      <p class="small" role="status" data-finding-count data-text={shownText(i18n, "{shown}", findings.length)}>
        {shown < findings.length && shownText(i18n, i18n.number(shown), findings.length)}
      </p>
      <p class="small">
        <a href={pathOf(path, { ...filter, byArea: !filter.byArea })}>
          {i18n.t(filter.byArea ? "report.findings.filter.inOrder" : "report.findings.filter.byArea")}
        </a>
        {" \u00b7 "}
        <a href={pathOf(path, { ...filter, allOpen: true })} data-expand data-collapse-text={i18n.t("report.findings.filter.collapse")}>
          {i18n.t("report.findings.filter.expand")}
        </a>
      </p>
    </form>
  );
}

/** Path of the page with this filter. */
function pathOf(path: string, { severity, area, effort, search, byArea, allOpen }: FindingFilter): string {
  const values: readonly (readonly [string, string | null])[] = [
    [params.severity, severity],
    [params.area, area],
    [params.effort, effort],
    [params.search, search],
    [params.group, byArea ? "area" : null],
    [params.open, allOpen ? "all" : null],
  ];
  const query = new URLSearchParams(values.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value]])));
  return `${path}${query.size === 0 ? "" : `?${query}`}#findings`;
}

function shownText(i18n: I18n, shown: string, total: number): string {
  return i18n.t("report.findings.filter.shown", { shown, total: i18n.number(total) });
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Only values that occur, with their counts. */
function optionsOf<V extends string>(
  values: readonly V[],
  findings: readonly ShownFinding[],
  keyOf: (shown: ShownFinding) => V,
  labelOf: (value: V) => string,
): readonly Option[] {
  const byValue = Map.groupBy(findings, keyOf);
  return values.flatMap((value) => {
    const { length } = byValue.get(value) ?? [];
    return length === 0 ? [] : [{ value, label: `${labelOf(value)} (${length})` }];
  });
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly chosen: string | null;
  readonly options: readonly Option[];
  readonly all: string;
}

function Choice({ name, label, chosen, options, all }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{all}</option>
        {options.map(({ value, label: text }) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
