/** Change of the score since an earlier scan, as one sentence. */
import type { ScanRecord } from "../../store/scans.ts";
import { type Rules, sameRules } from "../../text/comparison.ts";
import type { I18n } from "../../text/translator.ts";
import { endOf } from "./scan-end.ts";

/** `previous`: of the same URL. Null if either scan has no score. */
export function scoreChange(
  i18n: I18n,
  { score, ...rules }: Rules & { readonly score: number | null },
  previous: Pick<ScanRecord, "summary" | "endedAt" | "createdAt">,
): string | null {
  const before = previous.summary;
  if (before === null || before.score === null || score === null) return null;
  const since = i18n.date(endOf(previous));
  if (!sameRules(before, rules)) return i18n.t("report.score.otherRules", { score: before.score, since });
  const delta = score - before.score;
  if (delta === 0) return i18n.t("report.score.same", { since });
  return i18n.count(delta > 0 ? "report.score.up" : "report.score.down", Math.abs(delta), { since });
}
