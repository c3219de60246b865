/** JUnit XML: a suite for each URL, a test case for each check. */
import type { ExportSettings, ExportWriter } from "./export.ts";
import {
  type ExportedFinding,
  type ExportedReport,
  type ExportedRow,
  exportedReport,
  exportText,
  markText,
  severityText,
} from "./exported-report.ts";
import { plainLine } from "./safe-text.ts";

/** Name of the only test case of a URL that could not be measured. */
const scanCase = "scan";

type Outcome = "passed" | "failure" | "error" | "skipped";

interface TestCase {
  readonly name: string;
  readonly outcome: Outcome;
  /** Message on one line. */
  readonly message: string;
  /** Type of a failure or error. */
  readonly type: string;
  readonly text: string;
}

interface Suite {
  readonly report: ExportedReport;
  /** Unique in the file, so that each test case is. */
  readonly className: string;
  readonly cases: readonly TestCase[];
}

export const writeJunit: ExportWriter = (scans, settings) => {
  const seen = new Map<string, number>();
  const suites = scans.map((scan): Suite => {
    const report = exportedReport(scan, settings);
    // The history of a test case has scans of one location only.
    const name = report.location === null ? report.url : `${report.url} (${report.location})`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { report, className: count === 1 ? name : `${name} #${count}`, cases: casesOf(report, settings) };
  });
  const all = suites.flatMap(({ cases }) => cases);
  const seconds = suites.reduce((sum, { report }) => sum + (report.tookSeconds ?? 0), 0);
  const head = element("testsuites", { name: "assay", ...counts(all), time: seconds.toFixed(3) });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${head}>\n${suites.map(suiteXml).join("")}</testsuites>\n`;
};

function casesOf(report: ExportedReport, settings: ExportSettings): readonly TestCase[] {
  if (report.failure !== null) {
    const message = plainLine(report.failure);
    return [{ name: scanCase, outcome: "error", message, type: "not-measured", text: report.failure }];
  }
  return report.rows.filter(({ state }) => state !== "notApplicable").map((row) => caseOf(row, settings));
}

/** Notes are not failures. A violation that the policy lets pass is skipped: a passed test case would say that it is gone. */
function caseOf(row: ExportedRow, settings: ExportSettings): TestCase {
  const { key, state, label, because, findings } = row;
  const named = { name: key, type: "" };
  if (state === "notChecked") {
    const message = plainLine(`${label}: ${exportText(settings, "exports/notChecked", { because: because ?? "unknown" })}`);
    return { ...named, outcome: settings.strict ? "error" : "skipped", type: "not-checked", message, text: row.reason };
  }
  const text = findings.map((finding) => findingText(finding, settings)).join("\n\n");
  if (state === "passed" || row.isNote) return { ...named, outcome: "passed", message: "", text };
  const counted = findings.filter(countsAgainst);
  if (findings.length > 0 && counted.length === 0) {
    const marks = findings.map((finding) => `${finding.title}: ${markText(finding, settings)}`);
    return { ...named, outcome: "skipped", message: plainLine(marks.join("; ")), text };
  }
  const [worst] = counted;
  const message = plainLine(`${label}: ${counted.map(({ title }) => title).join("; ")}`);
  return { ...named, outcome: "failure", type: worst?.severity ?? "violated", message, text };
}

/** Whether the finding counts: not accepted, and new where a baseline was given. */
function countsAgainst({ accepted, inBaseline, isNote }: ExportedFinding): boolean {
  return accepted === null && (inBaseline === null || inBaseline === false) && !isNote;
}

/** The words of the report in a terminal. */
function findingText(finding: ExportedFinding, settings: ExportSettings): string {
  const { severity, title, code, detail, riskStatement, remediation, effort } = finding;
  const mark = markText(finding, settings);
  return [
    `${severityText(severity, settings)}  ${title}`,
    code,
    ...(mark === null ? [] : [mark]),
    detail,
    exportText(settings, "report/risk", { text: riskStatement }),
    exportText(settings, "report/remediation", { text: remediation }),
    exportText(settings, "report/effort", { effort: exportText(settings, `report/efforts/${effort}`) }),
  ].join("\n");
}

function suiteXml({ report, className, cases }: Suite): string {
  const { url, endedAt, tookSeconds } = report;
  const time = (tookSeconds ?? 0).toFixed(3);
  // Time without offset, because the schema of most readers demands it.
  const timestamp = endedAt.replace(/(\.\d+)?Z$/, "");
  const head = element("testsuite", { name: className, ...counts(cases), time, timestamp, hostname: URL.parse(url)?.hostname ?? "" });
  return `  <${head}>\n${cases.map((each) => caseXml(className, each)).join("")}  </testsuite>\n`;
}

function caseXml(className: string, { name, outcome, message, type, text }: TestCase): string {
  const head = element("testcase", { classname: className, name });
  if (outcome === "passed" && text === "") return `    <${head}/>\n`;
  const tag = outcome === "passed" ? "system-out" : outcome;
  const attributes = outcome === "passed" ? {} : { message, ...(outcome !== "skipped" && { type }) };
  return `    <${head}>\n      <${element(tag, attributes)}>${escapedText(text)}</${tag}>\n    </testcase>\n`;
}

function counts(cases: readonly TestCase[]) {
  const count = (outcome: Outcome) => cases.filter((each) => each.outcome === outcome).length;
  return { tests: cases.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
}

/** Name and attributes of a tag. */
function element(name: string, attributes: Readonly<Record<string, string | number>>): string {
  return [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapedAttribute(String(value))}"`)].join(" ");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;" };

/** Escapes text, including the end of a CDATA section, which no text may contain (XML 1.0 section 2.4). */
function escapedText(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign);
}

/** Readers replace literal line breaks and tabs of attributes by spaces (XML 1.0 section 3.3.3). */
function escapedAttribute(text: string): string {
  return text.replaceAll(/[&<>"\n\t]/g, (sign) => entities[sign] ?? sign);
}
