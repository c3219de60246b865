/** Findings of a report page: with lines for a chosen server and a filter, in order or grouped by area. */

import type { ComponentProps } from "preact";
import { efforts, severities } from "../../../check/check.ts";
import { Sentence } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import { AllLines, allLinesId, FindingRows, FindingsSection, type TickedLines } from "../../../report/findings.tsx";
import { areaName, type Report, reportAreas, type ShownFinding } from "../../../report/report.ts";
import { unmarked } from "../../../text/display.ts";
import { isTestedForReal, serverLabel, serverNames } from "../../../text/servers/server-lines.ts";
import type { I18n } from "../../../text/translator.ts";
import { SubmitButton } from "../../components/forms.tsx";
import { useVisit } from "../../context.ts";
import type { SharedVisit } from "../../visit.ts";
import { ledgerParams } from "./ledger.tsx";

/** Shorter lists need no filter. */
const filteredFindingsMin = 6;

interface OfReport {
  readonly report: Report;
}

type FindingAction = Required<Pick<ComponentProps<typeof FindingRows>, "action">>;

interface FindingsProps extends OfReport, FindingAction {
  /** Null for all lines; undefined where nothing can be ticked. */
  readonly ticked: TickedLines | null | undefined;
}

/** Rows outside the filter are rendered hidden, so that the script can show them. */
export function Findings({ report, action, ticked }: FindingsProps) {
  const { findings } = report;
  const filter = findingFilterOf(useVisit());
  const isShown = (finding: ShownFinding) => matchesFindingFilter(finding, filter);
  return (
    <FindingsSection report={report}>
      {findings.length > 0 && (
        <>
          <ServerChoice report={report} />
          <AllLines
            report={report}
            ticked={ticked ?? null}
            ticks={(repairable) => ticked !== undefined && <TicksForm repairable={repairable} chosen={ticked?.codes ?? null} />}
          />
        </>
      )}
      {findings.length >= filteredFindingsMin && (
        <FindingFilterForm report={report} filter={filter} shown={findings.filter(isShown).length} />
      )}
      {filter.byArea ? (
        <ByArea report={report} isShown={isShown} allOpen={filter.allOpen} action={action} />
      ) : (
        <FindingRows report={report} findings={findings} isShown={isShown} allOpen={filter.allOpen} action={action} />
      )}
    </FindingsSection>
  );
}

interface ByAreaProps extends OfReport, FindingAction {
  readonly isShown: (finding: ShownFinding) => boolean;
  readonly allOpen: boolean;
}

function ByArea({ report, ...rows }: ByAreaProps) {
  const i18n = useI18n();
  const byArea = Map.groupBy(report.findings, ({ area }) => area);
  return (
    <>
      {reportAreas.map((area) => {
        const ofArea = byArea.get(area) ?? [];
        if (ofArea.length === 0) return null;
        return (
          <div key={area} data-finding-group hidden={!ofArea.some(rows.isShown)}>
            <h3>{areaName(i18n, area)}</h3>
            <FindingRows report={report} findings={ofArea} heading="h4" {...rows} />
          </div>
        );
      })}
    </>
  );
}

// Filter, search and grouping: a GET form, so that it works without script.

const searchCharsMax = 100;

/** Query parameters. `area` belongs to the ledger. */
const params = { severity: "severity", area: "in", effort: "effort", search: "q", group: "group", open: "open" } as const;
/** Those with a fixed choice of values. */
export const findingChoiceParams: readonly string[] = Object.values(params).filter((name) => name !== params.search);

/** A property of findings of which the reader chooses one value. */
interface Choice {
  readonly name: "severity" | "area" | "effort";
  readonly values: readonly string[];
  readonly valueIn: (shown: ShownFinding) => string;
  readonly labelOf: (shown: ShownFinding, i18n: I18n) => string;
}

const choices: readonly Choice[] = [
  {
    name: "severity",
    values: severities,
    valueIn: ({ finding }) => finding.severity,
    labelOf: ({ finding }, i18n) => i18n.severity(finding.severity),
  },
  { name: "area", values: reportAreas, valueIn: ({ area }) => area, labelOf: ({ area }, i18n) => areaName(i18n, area) },
  {
    name: "effort",
    values: efforts,
    valueIn: ({ finding }) => finding.effort,
    labelOf: ({ finding }, i18n) => i18n.effort(finding.effort),
  },
];

interface FindingFilter {
  /** Chosen values; a choice without one means all. */
  readonly chosen: ReadonlyMap<Choice["name"], string>;
  /** Empty without a search. */
  readonly search: string;
  /** Groups the rows by area; otherwise one list. */
  readonly byArea: boolean;
  /** Opens every row, for readers without script. */
  readonly allOpen: boolean;
}

/** Reads the query; ignores unknown values. */
function findingFilterOf({ url: { searchParams } }: SharedVisit): FindingFilter {
  const chosen = choices.map(({ name, values }) => [name, values.find((value) => value === searchParams.get(params[name]))] as const);
  return {
    chosen: new Map(chosen.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    search: (searchParams.get(params.search) ?? "").trim().slice(0, searchCharsMax),
    byArea: searchParams.get(params.group) === "area",
    allOpen: searchParams.get(params.open) === "all",
  };
}

function matchesFindingFilter(shown: ShownFinding, { chosen, search }: FindingFilter): boolean {
  const { title, detail, riskStatement, remediation } = shown.texts;
  const text = unmarked([title, detail, riskStatement, remediation, shown.lines ?? "", shown.finding.code].join("\n")).toLowerCase();
  const isChosen = choices.every(({ name, valueIn }) => !chosen.has(name) || chosen.get(name) === valueIn(shown));
  return isChosen && text.includes(search.toLowerCase());
}

interface FilterFormProps extends OfReport {
  readonly filter: FindingFilter;
  /** Rows that match. */
  readonly shown: number;
}

function FindingFilterForm({ report, filter, shown }: FilterFormProps) {
  const { i18n, url } = useVisit();
  const { findings } = report;
  const path = url.pathname;
  return (
    <form class="finding-filter" action={`${path}#findings`} data-finding-filter>
      <label>
        {i18n.t("report.findings.filter.search")}
        <input type="search" name={params.search} value={filter.search} maxLength={searchCharsMax} />
      </label>
      {choices.map((choice) => (
        <ChoiceField key={choice.name} choice={choice} findings={findings} chosen={filter.chosen.get(choice.name)} />
      ))}
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

interface ChoiceFieldProps {
  readonly choice: Choice;
  readonly findings: readonly ShownFinding[];
  readonly chosen: string | undefined;
}

/** Only values that occur, with their counts. */
function ChoiceField({ choice: { name, values, valueIn, labelOf }, findings, chosen }: ChoiceFieldProps) {
  const { i18n } = useVisit();
  const byValue = Map.groupBy(findings, valueIn);
  return (
    <label>
      {i18n.t(`report.findings.filter.${name}`)}
      <select name={params[name]}>
        <option value="">{i18n.t("report.findings.filter.all")}</option>
        {values.map((value) => {
          const [first, ...others] = byValue.get(value) ?? [];
          return first === undefined ? null : (
            <option key={value} value={value} selected={value === chosen}>
              {`${labelOf(first, i18n)} (${others.length + 1})`}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** Path of the page with this filter. */
function pathOf(path: string, { chosen, search, byArea, allOpen }: FindingFilter): string {
  const values = [
    ...choices.map(({ name }) => [params[name], chosen.get(name) ?? ""]),
    [params.search, search],
    [params.group, byArea ? "area" : ""],
    [params.open, allOpen ? "all" : ""],
  ];
  const query = new URLSearchParams(values.filter(([, value]) => value !== ""));
  return `${path}${query.size === 0 ? "" : `?${query}`}#findings`;
}

function shownText(i18n: I18n, shown: string, total: number): string {
  return i18n.t("report.findings.filter.shown", { shown, total: i18n.number(total) });
}

// Choice of the server that a report shows lines for.

/** Anchor of the choice, which the form returns to. */
export const serverChoiceId = "server";
export const serverParam = "server";
/** Parameters of the page that the form keeps. */
const keptParams = [...findingChoiceParams, ...ledgerParams];
/** Longer values were typed into the address. */
const keptValueCharsMax = 200;

/** A GET form, so that it works without script. Nothing is sent on change: arrow keys would reload the page (WCAG 2.2, 3.2.2). Other parameters are kept. */
function ServerChoice({ report: { server } }: OfReport) {
  const { i18n, url } = useVisit();
  const kept = [...url.searchParams].filter(([name, value]) => keptParams.includes(name) && value.length <= keptValueCharsMax);
  return (
    <form class="server-choice" id={serverChoiceId} action={`${url.pathname}#${serverChoiceId}`}>
      {kept.map(([name, value], at) => (
        <input key={at} type="hidden" name={name} value={value} />
      ))}
      <label>
        {i18n.t("report.server.label")}
        <select name={serverParam}>
          {serverNames.map((name) => (
            <option key={name} value={name} selected={name === server.name}>
              {serverLabel(name)}
            </option>
          ))}
          <option value="explain" selected={server.name === "explain"}>
            {i18n.t("report.server.explain")}
          </option>
        </select>
      </label>
      <SubmitButton kind="plain" text="report.server.choose" />
      {server.guessed && <span class="small muted">{i18n.t("report.server.guessed")}</span>}
      {server.name !== "explain" && !isTestedForReal(server.name) && (
        <span class="small muted">{i18n.t("report.server.testedByForm")}</span>
      )}
    </form>
  );
}

// Findings whose lines are wanted: a GET form, so that it works without script, which sends it at each change.

/** Several boxes share the name, which validators accept with brackets only. */
export const tickParam = "fix[]";
/** There for a form without a tick, which asks for no lines. */
export const ticksSentParam = "ticked";

interface TicksProps {
  readonly repairable: readonly ShownFinding[];
  /** Codes that are ticked; null for all. */
  readonly chosen: readonly string[] | null;
}

function TicksForm({ repairable, chosen }: TicksProps) {
  const { i18n, url } = useVisit();
  const byCode = [...new Map(repairable.map((shown) => [shown.finding.code, shown])).values()];
  return (
    <form class="ticks" action={`${url.pathname}#${allLinesId}`} data-ticks>
      <fieldset>
        <legend>{i18n.t("report.server.ticks")}</legend>
        {byCode.map(({ finding: { code }, texts }) => (
          <label key={code} class="choice">
            <input type="checkbox" name={tickParam} value={code} checked={chosen?.includes(code) ?? true} />
            <span>
              <Sentence text={texts.title} />
            </span>
          </label>
        ))}
      </fieldset>
      <input type="hidden" name={ticksSentParam} value="" />
      <SubmitButton kind="plain" compact text="report.server.tick" />
    </form>
  );
}
