/** Labels of a site that is not measured as planned. */
import { useI18n } from "../../report/context.ts";
import type { Site } from "../../store/sites.ts";

export function SiteMarks({ site: { paused, failingSince } }: { readonly site: Site }) {
  const i18n = useI18n();
  return (
    <>
      {failingSince !== null && <span class="chip poor">{i18n.t("sites.marks.failing")}</span>}{" "}
      {paused && <span class="chip unknown outlined">{i18n.t("sites.marks.paused")}</span>}
    </>
  );
}
