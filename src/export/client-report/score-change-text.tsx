/** Change of a score since about a month ago, in few words. */
import { useI18n } from "../../report/context.ts";
import type { EarlierScore } from "./earlier-score.ts";

export function ScoreChangeText({ earlier: { at, delta } }: { readonly earlier: EarlierScore }) {
  const i18n = useI18n();
  // A date is not divided at the end of a line.
  const since = i18n.date(at).replaceAll(" ", "\u00a0");
  if (delta === null) return <span class="muted">{i18n.t("sites.clientReport.change.otherRules", { since })}</span>;
  if (delta === 0) return <>{i18n.t("sites.clientReport.change.same", { since })}</>;
  const text = delta > 0 ? "sites.clientReport.change.up" : "sites.clientReport.change.down";
  return <span class={delta > 0 ? "good" : "poor"}>{i18n.t(text, { points: i18n.number(Math.abs(delta)), since })}</span>;
}
