/** Table of all pages of a call, the worst first: failed pages, then those without a score, then by score and findings. */
import type { FullReport } from "../text/render.ts";
import type { ReportStyle } from "./report-text.ts";
import { stripControls, table } from "./terminal.ts";

interface PageRow {
  readonly url: string;
  /** Null unless measured. */
  readonly score: number | null;
  readonly failed: boolean;
  readonly verdict: string;
  readonly critical: number;
  readonly high: number;
}

export function pageTable(reports: readonly FullReport<unknown, unknown>[], { locale, texts }: ReportStyle): string {
  const text = (path: string) => texts.translate(locale, ["report", ...path.split("/")]) ?? path;
  const rows = reports.map((report) => rowOf(report, text)).toSorted(byNeed);
  const head = ["score", "rank", "critical", "high", "url"].map((column) => text(`pages/${column}`));
  const cells = rows.map(({ url, score, failed, verdict, critical, high }) => [
    String(score ?? "-"),
    verdict,
    failed ? "-" : String(critical),
    failed ? "-" : String(high),
    stripControls(url),
  ]);
  const title = texts.translate(locale, ["report", "pages", "count"], { count: rows.length }) ?? "";
  return `${title}\n\n${table([head, ...cells])}`;
}

function rowOf({ url, security, scanErrorMessage }: FullReport<unknown, unknown>, text: (path: string) => string): PageRow {
  const failed = scanErrorMessage !== null || security === null;
  const score = security?.measured === true ? security.score : null;
  const verdict = failed ? text("pages/failed") : score === null ? text("pages/notMeasured") : text(`ranks/${security?.rank}`);
  const countOf = (wanted: string) => security?.findings.filter(({ severity }) => severity === wanted).length ?? 0;
  return { url, score, failed, verdict, critical: countOf("critical"), high: countOf("high") };
}

/** Pages without a verdict come first, because nothing is known about them. */
function byNeed(one: PageRow, other: PageRow): number {
  return (
    Number(other.failed) - Number(one.failed) ||
    (one.score ?? -1) - (other.score ?? -1) ||
    other.critical - one.critical ||
    other.high - one.high ||
    (one.url < other.url ? -1 : Number(one.url > other.url))
  );
}
