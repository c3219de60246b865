/** Markdown for the summary of a job: verdict, table of findings, folded details and ledger. Hostile texts stay texts. */
import type { ExportSettings, ExportWriter } from "./export.ts";
import { type ExportedFinding, type ExportedReport, exportedReport, exportText, markText, severityText } from "./exported-report.ts";
import { codeSpan, escapedMarkdown, fenced } from "./safe-text.ts";

/** Limit of GitHub for the summary of one step, in bytes of UTF-8. */
const summaryBytesMax = 1_048_576;
/** Space for the sentence about what was cut. */
const cutBytes = 1_000;

/** A part of the file, with the rank by which it is kept if not all parts fit. */
interface Part {
  readonly rank: number;
  readonly text: string;
}

export const writeMd: ExportWriter = (scans, settings) => {
  const parts = scans.flatMap((scan) => partsOf(exportedReport(scan, settings), settings));
  const kept = new Set<Part>();
  let bytes = cutBytes;
  for (const part of parts.toSorted((one, other) => one.rank - other.rank)) {
    const size = Buffer.byteLength(part.text);
    if (bytes + size > summaryBytesMax) continue;
    kept.add(part);
    bytes += size;
  }
  const text = parts.filter((part) => kept.has(part)).map((part) => part.text);
  const left = parts.length - kept.size;
  return [
    ...text,
    ...(left === 0 ? [] : [`${escapedMarkdown(exportText(settings, "exports/summaryCut", { left, total: parts.length }))}\n`]),
  ].join("\n");
};

function partsOf(report: ExportedReport, settings: ExportSettings): readonly Part[] {
  const { findings, rows } = report;
  const parts = [headPart(report, settings)];
  if (findings.length > 0)
    parts.push({ rank: 1, text: findingsTable(findings, settings) }, { rank: 2, text: detailsOf(findings, settings) });
  if (rows.length > 0) parts.push({ rank: 3, text: ledgerOf(report, settings) });
  return parts;
}

function headPart({ url, location, failure, security, findings, rows }: ExportedReport, settings: ExportSettings): Part {
  const say = (path: string, values?: Readonly<Record<string, string | number>>) => escapedMarkdown(exportText(settings, path, values));
  const { score, rank, checkSummary } = security ?? { score: null, rank: "unknown", checkSummary: null };
  const verdict =
    failure === null
      ? say("report/score", { score: score ?? "-", rank: exportText(settings, `report/ranks/${rank}`) })
      : escapedMarkdown(failure);
  const notes = rows.filter(({ isNote }) => isNote).length;
  const accepted = findings.filter((finding) => finding.accepted !== null).length;
  const known = findings.filter(({ inBaseline }) => inBaseline === true).length;
  const lines = [
    `## ${codeSpan(url)}`,
    `**${verdict}**`,
    ...(location === null ? [] : [say("pages/location/of", { location })]),
    ...(checkSummary === null ? [] : [say("report/summary", { ...checkSummary, violated: checkSummary.violated - notes })]),
    ...(notes === 0 ? [] : [say("report/summaryNotes", { notes })]),
    ...(accepted + known === 0 ? [] : [say("exports/marks", { accepted, known })]),
    ...(findings.length === 0 && failure === null ? [say("report/noFindings")] : []),
  ];
  return { rank: 0, text: `${lines.join("\n\n")}\n` };
}

function findingsTable(findings: readonly ExportedFinding[], settings: ExportSettings): string {
  const head = ["severity", "finding", "effort", "mark"].map((name) => escapedMarkdown(exportText(settings, `exports/columns/${name}`)));
  const rows = findings.map((finding) => [
    escapedMarkdown(severityText(finding.severity, settings)),
    `${escapedMarkdown(finding.title)}<br>${codeSpan(finding.code)}`,
    escapedMarkdown(exportText(settings, `report/efforts/${finding.effort}`)),
    escapedMarkdown(markText(finding, settings) ?? ""),
  ]);
  return table([head, ...rows]);
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("");
}

function folded(summary: string, text: string): string {
  return `<details><summary>${summary}</summary>\n\n${text}\n</details>\n`;
}

function detailsOf(findings: readonly ExportedFinding[], settings: ExportSettings): string {
  const blocks = findings.map(({ title, code, detail, riskStatement, remediation }) => {
    const [advice = "", ...lines] = remediation.split("\n");
    const toPaste = lines.filter((line) => line !== "");
    return [
      `**${escapedMarkdown(title)}** ${codeSpan(code)}`,
      escapedMarkdown(detail),
      escapedMarkdown(exportText(settings, "report/risk", { text: riskStatement })),
      escapedMarkdown(exportText(settings, "report/remediation", { text: advice })),
      ...(toPaste.length === 0 ? [] : [fenced(toPaste.join("\n"))]),
    ].join("\n\n");
  });
  return folded(escapedMarkdown(exportText(settings, "exports/details")), `${blocks.join("\n\n")}\n`);
}

function ledgerOf({ rows }: ExportedReport, settings: ExportSettings): string {
  const head = ["check", "state"].map((name) => escapedMarkdown(exportText(settings, `exports/columns/${name}`)));
  const lines = rows.map(({ key, label, state, isNote, because }) => {
    const word = escapedMarkdown(exportText(settings, `pages/words/states/${isNote ? "note" : state}`));
    return [`${escapedMarkdown(label)}<br>${codeSpan(key)}`, because === null ? word : `${word} (${escapedMarkdown(because)})`];
  });
  return folded(escapedMarkdown(exportText(settings, "exports/ledger")), table([head, ...lines]));
}
