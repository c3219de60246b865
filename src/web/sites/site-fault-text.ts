/** Faults of the fields of a watched site in words. */
import type { SiteFault, SiteFaults } from "../../sites/site-fields.ts";
import type { I18n } from "../../text/translator.ts";

/** The time zone of a schedule has a field of its own. */
type SiteFaultField = SiteFault["field"] | "zone";

/** Fault of one entry names the entry. */
export function siteFaultText(i18n: I18n, { field, code, max, entry, fault }: SiteFault): string {
  const text = wordsOf();
  return entry === undefined ? text : i18n.t("sites.faults.entry", { entry: i18n.number(entry), text });

  function wordsOf(): string {
    if (code === "url-invalid" && fault !== undefined) return i18n.t(`home.faults.${fault}`);
    if (code === "required" && field === "url") return i18n.t("home.faults.empty");
    if (code === "required" && field === "reason") return i18n.t("sites.faults.noReason");
    return i18n.t(`sites.faults.${code}`, { max: i18n.number(max ?? 0) });
  }
}

/** Texts by field, at most the first three of each. */
export function faultTexts(i18n: I18n, faults: readonly SiteFault[]): ReadonlyMap<SiteFaultField, string> {
  const shownMax = 3;
  const byField = Map.groupBy(faults, ({ field, code }): SiteFaultField => (code === "zone-unknown" ? "zone" : field));
  return new Map(
    [...byField].map(([field, ofField]) => [
      field,
      ofField
        .slice(0, shownMax)
        .map((fault) => siteFaultText(i18n, fault))
        .join(" "),
    ]),
  );
}

export function isFaulty(parsed: object | SiteFaults): parsed is SiteFaults {
  return "faults" in parsed;
}
