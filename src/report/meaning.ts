/** One sentence on what a score means for the visitors of a site. It says no more than the checks that ran. */
import { standing } from "../judge/result.ts";
import { chargesOf, isHeldBack } from "../text/ledger-rows.ts";
import type { CheckSummary } from "../text/render.ts";
import type { TextPath } from "../text/translator.ts";
import { passedPercent, pointsOf } from "./points.ts";
import type { Report } from "./report.ts";

/** Share of checks that did not run from which a report says so first. */
const manyNotChecked = 0.2;

export function areManyNotChecked({ notChecked, total }: Pick<CheckSummary, "notChecked" | "total">): boolean {
  return notChecked >= total * manyNotChecked;
}

export function meaningOf({ result, findings, summary }: Pick<Report, "result" | "findings" | "summary">): TextPath {
  const { score, band, rank } = result;
  const unlimited = unlimitedScore(result);
  // The sentence of a rank counts what is missing. That does not fit if only a limit leads to the rank.
  if (score !== null && rank !== "critical" && standing(unlimited).rank !== rank) {
    if (findings.some(({ scoreCap }) => scoreCap === score)) return "report.verdict.capped";
    if (isHeldBack(result)) return "report.verdict.held";
  }
  return band === "good" && areManyNotChecked(summary) ? "report.verdict.partly" : `report.verdict.means.${rank}`;
}

/** Score by points alone, 0 to 100; null without points. */
function unlimitedScore(result: Report["result"]): number | null {
  const charges = chargesOf(result);
  if (charges !== null) return charges.remaining;
  const points = pointsOf(result);
  return points === null ? result.score : passedPercent(points);
}
